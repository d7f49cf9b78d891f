/// Where the data of a classic NetCDF file (CDF-1, CDF-2, CDF-5) lie by its header.
///
/// The library reads what lies after the end of a file as zeros, so the length is compared before anything is read.
struct ClassicLayout {
  /// A variable by the header.
  struct Variable {
    let name: String
    /// The first byte.
    let begin: Int
    /// The bytes without padding: of all data, or of one record.
    let bytes: Int
    /// Whether it has the record dimension.
    let isRecord: Bool
    /// ``bytes`` up to a multiple of 4.
    var padded: Int { (bytes + 3) & ~3 }
  }

  /// All variables, in the order of the file.
  let variables: [Variable]
  /// The number of records; `nil` for a file that was written as a stream and leaves it open.
  let records: Int?

  /// Reads a header; `nil` for one that is not whole or not of this format.
  ///
  /// - Parameter descriptor: the open file.
  init?(descriptor: Int32) {
    var header = ClassicHeader(descriptor: descriptor)
    guard let (variables, records) = try? header.read() else { return nil }
    (self.variables, self.records) = (variables, records)
  }

  /// The bytes of all variables' records together; a single one is not padded.
  private var recordSize: Int {
    let all = variables.filter(\.isRecord)
    return all.count == 1 ? all[0].bytes : all.reduce(0) { min($0 + $1.padded, Self.most) }
  }

  /// No file is longer, in bytes: sums stop here and do not overflow.
  private static let most = 1 << 60

  /// Says where the data of a file end too early.
  ///
  /// - Parameter size: the length of the file, in bytes.
  /// - Returns: the words; `nil` for a file that is whole.
  func shortage(at size: Int) -> String? {
    var end = 0
    var first: (begin: Int, variable: Variable, record: Int?)?
    for variable in variables where variable.bytes > 0 {
      // Which record is the first that is not whole; a variable without records has one.
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
    return "it is cut off: \(size) of \(end) bytes are there; the data of \(name)\(record) are "
      + "incomplete from byte \(max(size, first.begin)) on, and all that follow them are missing"
  }
}
