import CNetCDF
import Glibc
package import ServiceMachine
import Synchronization

/// A classic NetCDF or NetCDF-4 file, from which windows of variables are read.
///
/// libnetcdf is not thread-safe, so one lock serializes all calls.
package final class NetCDFFile: Sendable {
  /// A dimension of a variable.
  package struct Dimension: Sendable {
    package let name: String
    package let count: Int
  }

  /// The library's handles for open files, by file descriptor.
  private static let opened = Mutex<[Int32: (handle: Int32, version: FileVersion)]>([:])

  /// The name of the file in messages.
  package let name: String
  /// The library's handle for a file in memory; 0 for other files.
  private let memoryHandle: Int32
  private let descriptor: Int32
  private let identity: FileVersion?

  /// Opens a file by descriptor, so replacing the file later has no effect on this object.
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
      // A positive status is a system error number, which is often unrelated to the actual cause.
      let reason = FileDiagnosis.words(descriptor, status > 0 ? nil : Self.text(status))
      throw ForecastFileError(file: path, reason: reason)
    }
    // The length must be checked, because the library reads data beyond the end of a classic file
    // as zeros.
    if let size = identity?.size,
      let shortage = ClassicLayout(descriptor: descriptor)?.shortage(at: size)
    {
      throw ForecastFileError(file: path, reason: shortage)
    }
  }

  /// Opens a file in memory; the memory must exist for the lifetime of the process.
  package init(name: String, memory: UnsafeRawPointer, count: Int) throws(ForecastFileError) {
    self.name = name
    (descriptor, identity) = (-1, nil)
    var opened: Int32 = 0
    // The library does not write to data opened with NC_NOWRITE.
    let bytes = UnsafeMutableRawPointer(mutating: memory)
    let status = Self.alone { _ in nc_open_mem(name, NC_NOWRITE, count, bytes, &opened) }
    memoryHandle = opened
    guard status == NC_NOERR else { throw ForecastFileError(file: name, reason: Self.text(status)) }
  }

  /// Closes the file; this is also needed after a failed initializer.
  deinit {
    let (memoryHandle, descriptor) = (memoryHandle, descriptor)
    Self.alone { opened in
      let handle = opened.removeValue(forKey: descriptor)?.handle ?? memoryHandle
      if handle != 0 { nc_close(handle) }
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// `true` if the file has been written to since it was opened.
  package var wasOverwritten: Bool {
    identity != nil && FileVersion(descriptor: descriptor) != identity
  }

  /// The version of the file that was opened; `nil` for a file in memory.
  package var version: FileVersion? { identity }

  /// Opens a file and returns the library's status.
  ///
  /// For a file that is already open, HDF5 returns the old state. If the file has been written to
  /// since, the old handle is therefore closed first, and other readers that use it get the error
  /// that the file was replaced.
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

  /// Calls the library under the lock.
  private static func alone<Result>(
    _ body: (inout [Int32: (handle: Int32, version: FileVersion)]) -> Result
  ) -> Result {
    opened.withLock { opened in
      station_quiet_hdf5()
      return body(&opened)
    }
  }

  /// Calls the library with the file's handle; the result is NC_EBADID if the file was written to
  /// and reopened.
  private func alone(_ body: (Int32) -> Int32) -> Int32 {
    let (memoryHandle, descriptor) = (memoryHandle, descriptor)
    return Self.alone { opened in
      let handle = opened[descriptor]?.handle ?? memoryHandle
      return handle == 0 ? NC_EBADID : body(handle)
    }
  }

  private static func text(_ status: Int32) -> String {
    status > 0 ? "its data are damaged or truncated" : String(cString: nc_strerror(status))
  }

  /// Calls the library under the lock, and throws an error if the library reports one.
  func call(_ what: String, _ body: (Int32) -> Int32) throws(ForecastFileError) {
    let status = alone(body)
    guard status == NC_NOERR else {
      throw ForecastFileError(
        file: name, reason: "\(what): \(Self.text(status))", wasReplaced: wasOverwritten)
    }
  }

  /// Returns the library's number of a variable; `nil` if there is no variable of that name.
  func number(of variable: String) -> Int32? {
    var id: Int32 = 0
    let status = alone { nc_inq_varid($0, variable, &id) }
    return status == NC_NOERR ? id : nil
  }

  /// Returns the names of all variables, in the order of the file.
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

  /// Returns the number of values that are decompressed together to read one of a variable; `nil` if it is not compressed.
  func compressedChunk(of variable: String) -> Int? {
    guard let id = number(of: variable) else { return nil }
    var (shuffles, deflates, level): (Int32, Int32, Int32) = (0, 0, 0)
    var storage: Int32 = 0
    var lengths = [Int](repeating: 1, count: Int(NC_MAX_VAR_DIMS))
    guard alone({ nc_inq_var_deflate($0, id, &shuffles, &deflates, &level) }) == NC_NOERR,
      deflates != 0,
      alone({ nc_inq_var_chunking($0, id, &storage, &lengths) }) == NC_NOERR,
      storage == NC_CHUNKED, let count = try? dimensions(of: variable).count
    else { return nil }
    return lengths.prefix(count).reduce(1, *)
  }

  /// Returns the dimensions of a variable, the slowest-varying first.
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

extension NetCDFFile {
  /// Returns a text attribute; `nil` if the attribute is missing or numeric.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - variable: The variable that has the attribute. Default: the file.
  /// - Returns: The text.
  package func text(_ name: String, of variable: String? = nil) -> String? {
    guard let id = id(of: variable) else { return nil }
    var kind: Int32 = 0
    var length = 0
    guard (try? call(name) { nc_inq_att($0, id, name, &kind, &length) }) != nil else { return nil }
    if kind == NC_STRING, length == 1 {
      var pointer: UnsafeMutablePointer<CChar>?
      guard (try? call(name) { nc_get_att_string($0, id, name, &pointer) }) != nil, let pointer
      else { return nil }
      defer { free(pointer) }
      return String(cString: pointer)
    }
    guard kind == NC_CHAR, length < 100_000 else { return nil }
    var bytes = [CChar](repeating: 0, count: length + 1)
    guard (try? call(name) { nc_get_att_text($0, id, name, &bytes) }) != nil else { return nil }
    return Self.string(bytes)
  }

  /// Returns the `standard_name` of a variable; `nil` if it is missing or is a placeholder written
  /// by a converter.
  package func standardName(of variable: String) -> String? {
    guard let name = text("standard_name", of: variable)?.trimmedOfBlanks, !name.isEmpty,
      !["unknown", "none", "n/a", "undefined", "missing"].contains(name.lowercased())
    else { return nil }
    // A modifier that follows a space is kept: `air_temperature standard_error` is not a
    // temperature.
    return name
  }

  /// Returns a numeric attribute; the result is empty if the attribute is missing.
  package func numbers(_ name: String, of variable: String? = nil) -> [Double] {
    guard let id = id(of: variable) else { return [] }
    var kind: Int32 = 0
    var length = 0
    guard (try? call(name) { nc_inq_att($0, id, name, &kind, &length) }) != nil, kind != NC_CHAR,
      kind != NC_STRING, length < 10_000
    else { return [] }
    var values = [Double](repeating: 0, count: length)
    guard (try? call(name) { nc_get_att_double($0, id, name, &values) }) != nil else { return [] }
    return values
  }

  private func id(of variable: String?) -> Int32? {
    guard let variable else { return NC_GLOBAL }
    return number(of: variable)
  }

  /// Reads the values in a window as they are packed in the file.
  ///
  /// - Parameters:
  ///   - variable: The variable.
  ///   - start: The start of the window in each dimension.
  ///   - count: The length of the window in each dimension.
  /// - Returns: The values; the last dimension varies fastest.
  /// - Throws: `ForecastFileError` if the values cannot be read.
  package func raw(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError)
    -> [Double]
  {
    guard let id = number(of: variable) else {
      throw ForecastFileError(file: name, reason: "it has no variable \(variable)")
    }
    var values = [Double](repeating: 0, count: count.reduce(1, *))
    try call(variable) { nc_get_vara_double($0, id, start, count, &values) }
    return values
  }

  /// Reads and unpacks the values in a window; missing values become NaN.
  package func values(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError)
    -> [Double]
  {
    var values = try raw(variable, start: start, count: count)
    let packing = packing(of: variable)
    for index in values.indices { values[index] = packing.unpacked(values[index]) }
    return values
  }

  /// Reads and unpacks all values of a variable.
  package func values(_ variable: String) throws(ForecastFileError) -> [Double] {
    let counts = try dimensions(of: variable).map(\.count)
    return try values(
      variable, start: counts.map { _ in 0 }, count: counts)
  }

  /// Returns the parameters with which a variable is packed.
  package func packing(of variable: String) -> Packing {
    Packing(
      scale: numbers("scale_factor", of: variable).first ?? 1,
      offset: numbers("add_offset", of: variable).first ?? 0,
      missing: numbers("_FillValue", of: variable) + numbers("missing_value", of: variable)
        + [defaultFill(of: variable)].compactMap { $0 },
      range: validRange(of: variable), unsigned: unsigned(of: variable))
  }

  /// Returns the offset to add to negative values if the attribute `_Unsigned` declares the type
  /// unsigned, as in classic files; otherwise 0.
  private func unsigned(of variable: String) -> Double {
    guard let id = number(of: variable), text("_Unsigned", of: variable)?.lowercased() == "true"
    else { return 0 }
    var kind: Int32 = 0
    guard (try? call(variable) { nc_inq_vartype($0, id, &kind) }) != nil else { return 0 }
    switch kind {
    case NC_BYTE: return 256
    case NC_SHORT: return 65536
    case NC_INT: return 4_294_967_296
    default: return 0
    }
  }

  private func validRange(of variable: String) -> ClosedRange<Double> {
    let range = numbers("valid_range", of: variable)
    let low = numbers("valid_min", of: variable).first ?? (range.count == 2 ? range[0] : -.infinity)
    let high = numbers("valid_max", of: variable).first ?? (range.count == 2 ? range[1] : .infinity)
    return low <= high ? low...high : -(.infinity)...(.infinity)
  }

  /// Returns the library's default fill value, for variables that do not set one; `nil` for bytes,
  /// which have none.
  private func defaultFill(of variable: String) -> Double? {
    guard let id = number(of: variable) else { return nil }
    var kind: Int32 = 0
    guard (try? call(variable) { nc_inq_vartype($0, id, &kind) }) != nil else { return nil }
    switch kind {
    case NC_SHORT: return -32767
    case NC_INT: return -2_147_483_647
    case NC_FLOAT: return Double(Float(9.9692099683868690e+36))
    case NC_DOUBLE: return 9.9692099683868690e+36
    case NC_USHORT: return 65535
    case NC_UINT: return 4_294_967_295
    default: return nil
    }
  }
}

/// The conversion from packed values to actual values: `packed * scale + offset`.
package struct Packing: Sendable {
  let scale: Double
  let offset: Double
  let missing: [Double]
  let range: ClosedRange<Double>
  /// The offset added to negative values of unsigned types.
  var unsigned = 0.0

  /// Unpacks a value; the result is NaN if the value is missing or outside the valid range set in
  /// the file.
  func unpacked(_ number: Double) -> Double {
    guard number.isFinite else { return .nan }
    let whole = number < 0 ? number + unsigned : number
    // With single precision, the missing value is the number closest to the attribute.
    let isMissing = missing.contains {
      $0 == number || $0 == whole || (abs($0) > 1e9 && Float($0) == Float(number))
    }
    let isValid = range.contains(number) || unsigned > 0 && range.contains(whole)
    guard isValid, !isMissing else { return .nan }
    return whole * scale + offset
  }
}

extension NetCDFFile {
  /// Reads the characters in a window.
  func letters(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError) -> String {
    guard let id = number(of: variable) else {
      throw ForecastFileError(file: name, reason: "it has no variable \(variable)")
    }
    var bytes = [CChar](repeating: 0, count: count.reduce(1, *) + 1)
    try call(variable) { nc_get_vara_text($0, id, start, count, &bytes) }
    return Self.string(bytes)
  }
}

extension String {
  /// The text without leading and trailing spaces.
  var trimmedOfBlanks: String {
    var rest = Substring(self)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}

/// The reason why a forecast file cannot be used.
package struct ForecastFileError: Error, Sendable, CustomStringConvertible {
  /// The name of the file.
  package let file: String
  package let reason: String
  /// `true` if the file was replaced while it was read, in which case a retry reads the new file.
  package var wasReplaced = false

  package var description: String { "\(file): \(reason)" }
}
