import Glibc

/// A parser for the header of a classic NetCDF file, which it reads in blocks.
struct ClassicHeader {
  /// The error for a header that is truncated or invalid.
  struct Broken: Error {}

  private let descriptor: Int32
  /// Two flags: `true` if counts have 8 bytes, and `true` if offsets have 8 bytes.
  private var (wideCounts, wideOffsets) = (false, false)
  private var block: [UInt8] = []
  private var start = 0
  private var next = 0

  /// Creates a parser at the start of an open file.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Parses the whole header.
  ///
  /// - Returns: The variables and the number of records; the number is `nil` for a file written as
  ///   a stream.
  /// - Throws: `Broken` if the header is truncated or invalid.
  mutating func read() throws(Broken) -> (variables: [ClassicLayout.Variable], records: Int?) {
    guard try number(3) == 0x43_4446 else { throw Broken() }
    let version = try number(1)
    guard [1, 2, 5].contains(version) else { throw Broken() }
    (wideCounts, wideOffsets) = (version == 5, version != 1)
    let records = try records()
    var lengths: [Int] = []
    for _ in 0..<(try list(0x0A)) {
      _ = try name()
      lengths.append(try count())
    }
    try skipAttributes()
    var variables: [ClassicLayout.Variable] = []
    for _ in 0..<(try list(0x0B)) { variables.append(try variable(lengths)) }
    return (variables, records)
  }

  /// Reads the number of records, which is unspecified (`nil`) if all bits are set.
  private mutating func records() throws(Broken) -> Int? {
    var bytes: [UInt8] = []
    for _ in 0..<(wideCounts ? 8 : 4) { bytes.append(try byte()) }
    if bytes.allSatisfy({ $0 == 0xFF }) { return nil }
    guard let value = Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else {
      throw Broken()
    }
    return value
  }

  private mutating func variable(_ lengths: [Int]) throws(Broken) -> ClassicLayout.Variable {
    let name = try name()
    var (bytes, isRecord) = (1, false)
    for index in 0..<(try count()) {
      let dimension = try count()
      guard lengths.indices.contains(dimension) else { throw Broken() }
      if index == 0, lengths[dimension] == 0 {
        isRecord = true
      } else {
        bytes = try Self.product(bytes, lengths[dimension])
      }
    }
    try skipAttributes()
    bytes = try Self.product(bytes, try Self.size(of: try number(4)))
    // The size in the header is too small for large variables, so the size is computed from the
    // dimensions instead.
    _ = try count()
    let begin = try number(wideOffsets ? 8 : 4)
    guard begin < 1 << 50 else { throw Broken() }
    return ClassicLayout.Variable(name: name, begin: begin, bytes: bytes, isRecord: isRecord)
  }

  private mutating func skipAttributes() throws(Broken) {
    for _ in 0..<(try list(0x0C)) {
      _ = try name()
      let size = try Self.size(of: try number(4))
      try skip((try Self.product(try count(), size) + 3) & ~3)
    }
  }

  /// Reads the number of entries in a list that starts with a tag; the number is 0 if the list is
  /// absent.
  private mutating func list(_ tag: Int) throws(Broken) -> Int {
    let found = try number(4)
    let entries = try count()
    guard found == tag || found == 0 && entries == 0 else { throw Broken() }
    return entries
  }

  private mutating func name() throws(Broken) -> String {
    let length = try count()
    guard length <= 1 << 16 else { throw Broken() }
    var bytes: [UInt8] = []
    for _ in 0..<length { bytes.append(try byte()) }
    try skip(-length & 3)
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func count() throws(Broken) -> Int { try number(wideCounts ? 8 : 4) }

  private mutating func number(_ bytes: Int) throws(Broken) -> Int {
    var value: UInt64 = 0
    for _ in 0..<bytes { value = value << 8 | UInt64(try byte()) }
    guard let number = Int(exactly: value) else { throw Broken() }
    return number
  }

  private mutating func byte() throws(Broken) -> UInt8 {
    if next - start >= block.count {
      start = next
      block = [UInt8](repeating: 0, count: 1 << 16)
      let count = pread(descriptor, &block, block.count, start)
      guard count > 0 else { throw Broken() }
      block.removeLast(block.count - count)
    }
    next += 1
    return block[next - 1 - start]
  }

  private mutating func skip(_ bytes: Int) throws(Broken) {
    let (end, overflow) = next.addingReportingOverflow(bytes)
    guard bytes >= 0, !overflow else { throw Broken() }
    next = end
  }

  /// Multiplies sizes, and throws on overflow, because an overflow means that the header is
  /// invalid.
  private static func product(_ one: Int, _ other: Int) throws(Broken) -> Int {
    let (value, overflow) = one.multipliedReportingOverflow(by: other)
    guard !overflow, value < 1 << 50 else { throw Broken() }
    return value
  }

  /// Returns the size of an external type in bytes.
  private static func size(of type: Int) throws(Broken) -> Int {
    switch type {
    case 1, 2, 7: return 1
    case 3, 8: return 2
    case 4, 5, 9: return 4
    case 6, 10, 11: return 8
    default: throw Broken()
    }
  }
}

/// The layout of the data in a classic NetCDF file (CDF-1, CDF-2, CDF-5), as its header describes
/// it.
///
/// The library reads data beyond the end of a file as zeros, so the file's length must be checked
/// beforehand.
struct ClassicLayout {
  /// A variable in the header.
  struct Variable {
    let name: String
    /// The offset of the variable's first byte.
    let begin: Int
    /// The size in bytes without padding, either of all data or, for a record variable, of one
    /// record.
    let bytes: Int
    /// `true` if the variable has the record dimension.
    let isRecord: Bool
    /// `bytes` rounded up to a multiple of 4.
    var padded: Int { (bytes + 3) & ~3 }
  }

  /// All variables, in the order of the file.
  let variables: [Variable]
  /// The number of records; `nil` for a file written as a stream that leaves it unspecified.
  let records: Int?

  /// Reads the header of a file; the result is `nil` if the header is truncated or invalid.
  ///
  /// - Parameter descriptor: The open file.
  init?(descriptor: Int32) {
    var header = ClassicHeader(descriptor: descriptor)
    guard let (variables, records) = try? header.read() else { return nil }
    (self.variables, self.records) = (variables, records)
  }

  /// The size of one record of all record variables; if there is only one such variable, it is not
  /// padded.
  private var recordSize: Int {
    let all = variables.filter(\.isRecord)
    return all.count == 1 ? all[0].bytes : all.reduce(0) { min($0 + $1.padded, Self.most) }
  }

  /// The maximum size of a file in bytes; larger sums are clamped to it instead of overflowing.
  private static let most = 1 << 60

  /// Returns the reason why a file is too short for the data that its header describes.
  ///
  /// - Parameter size: The length of the file in bytes.
  /// - Returns: The reason; `nil` for a complete file.
  func shortage(at size: Int) -> String? {
    var end = 0
    var first: (begin: Int, variable: Variable, record: Int?)?
    for variable in variables where variable.bytes > 0 {
      // Finds the first incomplete record; a variable without the record dimension counts as one
      // record.
      let count = variable.isRecord ? records ?? 0 : 1
      guard count > 0 else { continue }
      let length = max(1, variable.isRecord ? recordSize : variable.bytes)
      let (before, overflow) = (count - 1).multipliedReportingOverflow(by: length)
      let last = min(overflow ? Self.most : before, Self.most) + variable.begin + variable.bytes
      end = max(end, min(last, Self.most))
      guard last > size else { continue }
      let whole =
        size < variable.begin + variable.bytes
        ? 0 : (size - variable.begin - variable.bytes) / length + 1
      let begin = variable.begin + whole * length
      if begin < first?.begin ?? .max {
        first = (begin, variable, variable.isRecord ? whole : nil)
      }
    }
    guard let first else { return nil }
    let record = first.record.map { " of its record \($0 + 1) of \(records ?? 0)" } ?? ""
    let name = first.variable.name
    return "it is truncated: it has \(size) of \(end) bytes; the data of \(name)\(record) are "
      + "incomplete from byte \(max(size, first.begin)) on, and all following data are missing"
  }
}
