package import Files

extension FirmwareImage {
  /// The largest file that is read, in bytes.
  package static let largestFile = 64 << 20

  /// Reads an ELF, an Intel HEX file, or raw bytes.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - address: where raw bytes go; a file that is neither ELF nor Intel HEX needs it.
  ///   - profiles: what it may be for: where raw bytes may go is said of these.
  /// - Throws: `Failure` when it cannot be read (66, 74) or is no image (65).
  package init(
    path: String, rawAddress address: UInt32? = nil,
    for profiles: @autoclosure () -> [MemoryProfile] = []
  ) throws(Failure) {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      guard bytes.count <= Self.largestFile else {
        throw Failure(.badContent, "\(path): the file is larger than 64 MiB: it is no firmware")
      }
    }
    try self.init(bytes, path: path, rawAddress: address, for: profiles())
  }

  /// Reads an image from bytes.
  ///
  /// - Parameters:
  ///   - bytes: those of the file.
  ///   - path: its name for messages.
  ///   - address: where raw bytes go.
  ///   - profiles: what they may be for.
  /// - Throws: `Failure` when they are no image.
  package init(
    _ bytes: [UInt8], path: String, rawAddress address: UInt32? = nil,
    for profiles: @autoclosure () -> [MemoryProfile] = []
  ) throws(Failure) {
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
          "it is neither ELF nor Intel HEX; for raw bytes say where they go: "
            + Self.places(of: bytes, in: profiles()))
      }
    } catch {
      throw Failure(.badContent, "\(path): \(error.message)")
    }
  }

  /// Where raw bytes may go: where the flash of that microcontroller begins for which they are by their first two words,
  /// the stack and the first instruction of an ARM core; else of all.
  private static func places(of bytes: [UInt8], in profiles: [MemoryProfile]) -> String {
    let words = [bytes.prefix(4), bytes.dropFirst(4).prefix(4)].map { word in
      word.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let fitting = profiles.filter {
      $0.architecture == .arm && $0.ram.contains(max(words[0], 1) - 1)
        && $0.flash.contains(words[1])
    }
    let known = fitting.isEmpty ? profiles : fitting
    let bases = Set(known.map(\.flash.lowerBound)).sorted()
    guard !bases.isEmpty else { return "--at 0x0" }
    return bases.map { base in
      let names = known.filter { $0.flash.lowerBound == base }.map(\.name).joined(separator: ", ")
      return "--at 0x\(String(base, radix: 16)) (\(names))"
    }.joined(separator: " or ")
  }
}
