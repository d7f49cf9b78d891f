package import Files

extension FirmwareImage {
  /// The largest file that is read, in bytes.
  package static let largestFile = 64 << 20

  /// Reads an ELF, an Intel HEX file, or raw bytes.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - address: where raw bytes go; a file that is neither ELF nor Intel HEX needs it.
  /// - Throws: `Failure` when it cannot be read (66, 74) or is no image (65).
  package init(path: String, rawAddress address: UInt32? = nil) throws(Failure) {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      guard bytes.count <= Self.largestFile else {
        throw Failure(.badContent, "\(path): the file is larger than 64 MiB: it is no firmware")
      }
    }
    try self.init(bytes, path: path, rawAddress: address)
  }

  /// Reads an image from bytes.
  ///
  /// - Parameters:
  ///   - bytes: those of the file.
  ///   - path: its name for messages.
  ///   - address: where raw bytes go.
  /// - Throws: `Failure` when they are no image.
  package init(_ bytes: [UInt8], path: String, rawAddress address: UInt32? = nil) throws(Failure) {
    do throws(ImageProblem) {
      guard !bytes.isEmpty else { throw ImageProblem("the file is empty") }
      if bytes.starts(with: ElfFile.magic) {
        self = try ElfFile(bytes).image(path: path)
      } else if let address {
        self = try FirmwareImage(
          path: path, form: .raw, [ImageSegment(address: address, bytes: bytes)])
      } else if IntelHex.isLikely(bytes) {
        self = try IntelHex.image(bytes, path: path)
      } else {
        throw ImageProblem(
          "it is neither ELF nor Intel HEX; for raw bytes say where they go: --at 0x0")
      }
    } catch {
      throw Failure(.badContent, "\(path): \(error.message)")
    }
  }
}
