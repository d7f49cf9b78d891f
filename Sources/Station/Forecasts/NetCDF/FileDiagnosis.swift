import Glibc

/// What is wrong with a file that the library cannot open, in words about the file: the library's own may be those of an
/// unrelated system error.
enum FileDiagnosis {
  /// The kinds of files that are taken for NetCDF by mistake: their first bytes, and what to do.
  private static let others: [(start: [UInt8], words: String)] = [
    (Array("GRIB".utf8), "it is a GRIB file; convert it to NetCDF, with grib_to_netcdf or wgrib2"),
    (Array("PK".utf8), "it is a zip archive; unpack it first"),
    ([0x1F, 0x8B], "it is compressed with gzip; unpack it first"),
    (Array("BZh".utf8), "it is compressed with bzip2; unpack it first"),
  ]

  /// Says what is wrong.
  ///
  /// - Parameters:
  ///   - descriptor: the open file.
  ///   - libraryWords: what the library says; `nil` if it gives the number of a system error.
  /// - Returns: the words.
  static func words(_ descriptor: Int32, _ libraryWords: String?) -> String {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return libraryWords ?? "it cannot be read" }
    guard facts.st_mode & S_IFMT != S_IFDIR else { return "it is a folder" }
    let size = Int(facts.st_size)
    if size == 0 { return "it is empty" }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    let start = Array(bytes.prefix(count))
    if let other = others.first(where: { start.starts(with: $0.start) }) { return other.words }
    if start.starts(with: [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]) {
      if let whole = hdf5Size(start), whole > size {
        return "it is cut off: \(size) of \(whole) bytes are there"
      }
      return "it is damaged: its NetCDF-4 (HDF5) structure cannot be read"
    }
    if start.starts(with: Array("CDF".utf8)), count >= 4, [1, 2, 5].contains(start[3]) {
      return "it is damaged or cut off: the header of its classic NetCDF format cannot be read "
        + "(the file has \(size) bytes)"
    }
    return "it is no NetCDF file: its first bytes are neither 'CDF' nor those of HDF5"
  }

  /// How long an HDF5 file is by its superblock, versions 0 to 3 with addresses of 8 bytes.
  private static func hdf5Size(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 48 else { return nil }
    let place =
      switch bytes[8] {
      case 0 where bytes[13] == 8: 40
      case 2 where bytes[9] == 8, 3 where bytes[9] == 8: 28
      default: -1
      }
    guard place > 0 else { return nil }
    let address = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
    return Int(exactly: address)
  }
}
