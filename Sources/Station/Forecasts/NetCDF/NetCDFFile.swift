import CNetCDF
import Glibc
import Synchronization

/// A NetCDF file, classic or NetCDF-4, of which windows are read.
///
/// libnetcdf is not safe for threads: one lock goes around all of its calls.
package final class NetCDFFile: Sendable {
  /// A dimension of a variable.
  package struct Dimension: Sendable {
    package let name: String
    package let count: Int
  }

  /// The library's handles of the files that are open, by their descriptors.
  private static let opened = Mutex<[Int32: (handle: Int32, version: FileVersion)]>([:])

  /// The file's name in messages.
  package let name: String
  /// The handle of a file in memory; 0 for any other.
  private let memoryHandle: Int32
  private let descriptor: Int32
  private let identity: FileVersion?

  /// Opens a file by its descriptor: a file that replaces it later has another one.
  package init(path: String) throws(ForecastFileError) {
    name = path
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ForecastFileError(file: path, reason: String(cString: strerror(errno)))
    }
    identity = FileVersion(descriptor: descriptor)
    memoryHandle = 0
    let status = Self.open(descriptor, identity)
    guard status == NC_NOERR else {
      // A status above 0 is the number of a system error, and mostly not that of what went wrong.
      let reason = FileDiagnosis.words(descriptor, status > 0 ? nil : Self.text(status))
      throw ForecastFileError(file: path, reason: reason)
    }
    // The library reads data beyond the end of a classic file as zeros.
    if let size = identity?.size,
      let shortage = ClassicLayout(descriptor: descriptor)?.shortage(at: size)
    {
      throw ForecastFileError(file: path, reason: shortage)
    }
  }

  /// Opens a file that lies in memory for as long as the program runs.
  package init(name: String, memory: UnsafeRawPointer, count: Int) throws(ForecastFileError) {
    self.name = name
    (descriptor, identity) = (-1, nil)
    var opened: Int32 = 0
    // The library does not write to what is opened with NC_NOWRITE.
    let bytes = UnsafeMutableRawPointer(mutating: memory)
    let status = Self.alone { _ in nc_open_mem(name, NC_NOWRITE, count, bytes, &opened) }
    memoryHandle = opened
    guard status == NC_NOERR else { throw ForecastFileError(file: name, reason: Self.text(status)) }
  }

  /// Closes the file, also one that an initializer has refused.
  deinit {
    let (memoryHandle, descriptor) = (memoryHandle, descriptor)
    Self.alone { opened in
      let handle = opened.removeValue(forKey: descriptor)?.handle ?? memoryHandle
      if handle != 0 { nc_close(handle) }
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether the bytes under the handle have been written to since it was opened.
  package var wasOverwritten: Bool {
    identity != nil && FileVersion(descriptor: descriptor) != identity
  }

  /// Which file was opened; nothing for one in memory.
  package var version: FileVersion? { identity }

  /// Opens a file; the status of the library.
  ///
  /// HDF5 gives a file that is open already as it was, so one that has been written to since is closed first: who still
  /// reads it learns that it was replaced.
  private static func open(_ descriptor: Int32, _ version: FileVersion?) -> Int32 {
    alone { opened in
      guard let version else { return EIO }
      for (other, file) in opened
      where file.version != version && file.version.isSameFile(as: version) {
        nc_close(file.handle)
        opened[other] = nil
      }
      var handle: Int32 = 0
      let status = nc_open("/proc/self/fd/\(descriptor)", NC_NOWRITE, &handle)
      if status == NC_NOERR { opened[descriptor] = (handle, version) }
      return status
    }
  }

  /// Calls the library while nobody else does.
  private static func alone<Result>(
    _ body: (inout [Int32: (handle: Int32, version: FileVersion)]) -> Result
  ) -> Result {
    opened.withLock { opened in
      station_quiet_hdf5()
      return body(&opened)
    }
  }

  /// Calls the library with the file's handle; NC_EBADID if the file was written to and opened anew.
  private func alone(_ body: (Int32) -> Int32) -> Int32 {
    let (memoryHandle, descriptor) = (memoryHandle, descriptor)
    return Self.alone { opened in
      let handle = opened[descriptor]?.handle ?? memoryHandle
      return handle == 0 ? NC_EBADID : body(handle)
    }
  }

  private static func text(_ status: Int32) -> String {
    status > 0 ? "its data are damaged or cut off" : String(cString: nc_strerror(status))
  }

  /// Calls the library, alone.
  func call(_ what: String, _ body: (Int32) -> Int32) throws(ForecastFileError) {
    let status = alone(body)
    guard status == NC_NOERR else {
      throw ForecastFileError(
        file: name, reason: "\(what): \(Self.text(status))", wasReplaced: wasOverwritten)
    }
  }

  /// The number of a variable; `nil` where there is none of that name.
  func number(of variable: String) -> Int32? {
    var id: Int32 = 0
    let status = alone { nc_inq_varid($0, variable, &id) }
    return status == NC_NOERR ? id : nil
  }

  /// The names of all variables, in the order of the file.
  package func variables() throws(ForecastFileError) -> [String] {
    var count: Int32 = 0
    try call("its variables") { nc_inq_nvars($0, &count) }
    var names: [String] = []
    for id in 0..<count {
      var name = [CChar](repeating: 0, count: Int(NC_MAX_NAME) + 1)
      try call("its variables") { nc_inq_varname($0, id, &name) }
      names.append(Self.string(name))
    }
    return names
  }

  /// The dimensions of a variable, the slowest first.
  package func dimensions(of variable: String) throws(ForecastFileError) -> [Dimension] {
    guard let id = number(of: variable) else {
      throw ForecastFileError(file: name, reason: "it has no variable \(variable)")
    }
    var count: Int32 = 0
    try call(variable) { nc_inq_varndims($0, id, &count) }
    var ids = [Int32](repeating: 0, count: Int(count) + 1)
    try call(variable) { nc_inq_vardimid($0, id, &ids) }
    var found: [Dimension] = []
    for dimension in ids.prefix(Int(count)) {
      var length = 0
      var name = [CChar](repeating: 0, count: Int(NC_MAX_NAME) + 1)
      try call(variable) { nc_inq_dim($0, dimension, &name, &length) }
      found.append(Dimension(name: Self.string(name), count: length))
    }
    return found
  }

  static func string(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
