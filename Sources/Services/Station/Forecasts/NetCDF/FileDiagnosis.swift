import Glibc

/// Explains why the library cannot open a file, in terms of the file's content.
///
/// The library's own message may be that of an unrelated system error.
enum FileDiagnosis {
  /// The signatures of files that are often mistaken for NetCDF, with advice for each.
  private static let others: [(start: [UInt8], words: String)] = [
    (Array("GRIB".utf8), "it is a GRIB file; convert it to NetCDF, with grib_to_netcdf or wgrib2"),
    (Array("PK".utf8), "it is a zip archive; unpack it first"),
    ([0x1F, 0x8B], "it is compressed with gzip; unpack it first"),
    (Array("BZh".utf8), "it is compressed with bzip2; unpack it first"),
  ]

  /// Returns the reason why a file cannot be opened.
  ///
  /// - Parameters:
  ///   - descriptor: The open file.
  ///   - libraryWords: The library's message; `nil` if the library reports a system error.
  /// - Returns: The reason as text.
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
        return "it is truncated: it has \(size) of \(whole) bytes"
      }
      return "it is damaged: its NetCDF-4 (HDF5) structure cannot be read"
    }
    if start.starts(with: Array("CDF".utf8)), count >= 4, [1, 2, 5].contains(start[3]) {
      return "it is damaged or truncated: the header of its classic NetCDF format cannot be read "
        + "(the file has \(size) bytes)"
    }
    return "it is not a NetCDF file: it starts with neither 'CDF' nor the HDF5 signature"
  }

  /// Returns the length of an HDF5 file as given in its superblock (versions 0 to 3 with 8-byte
  /// addresses); `nil` if there is no such superblock.
  private static func hdf5Size(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 48 else { return nil }
    let offset =
      switch bytes[8] {
      case 0 where bytes[13] == 8: 40
      case 2 where bytes[9] == 8, 3 where bytes[9] == 8: 28
      default: -1
      }
    guard offset > 0 else { return nil }
    let address = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
    return Int(exactly: address)
  }
}
