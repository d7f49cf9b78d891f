public import I2C
public import I2CTrace
import Text

/// Reads what other tools recorded of a bus, line by line, however long it is.
public struct CaptureReader {
  /// What a capture does not say itself.
  public struct Options: Hashable, Sendable {
    /// N of the bus, where the capture names none.
    public var bus = 1
    /// The target, where a register dump stands without its command.
    public var address: I2CAddress?
    /// The bus frequency in Hz, from which durations follow where they are not recorded.
    public var frequency = I2CBusFrequency.standard
    /// Samples a second, where places are given as samples.
    public var sampleRate: Double?
    /// The names of the lines in a Value Change Dump; by themselves SDA and SCL.
    public var sda: String?, scl: String?

    /// Creates options: bus 1 at the default frequency.
    public init() {}
  }

  /// What was in a capture.
  public struct Summary: Hashable, Sendable {
    /// How many transfers.
    public let transfers: Int
    /// The buses, in order.
    public let buses: [Int]
    /// What could not become a transfer, one sentence each.
    public let omissions: [String]
    /// Whether the capture says when anything happened; otherwise the times are made up.
    public let hasTimes: Bool
  }

  private var lines: LineReader
  private var parser: any CaptureParser
  private let kind: CaptureKind
  private let frequency: UInt64

  /// Prepares to read.
  ///
  /// - Parameters:
  ///   - kind: what wrote the capture.
  ///   - options: what it does not say itself.
  ///   - source: gives the input in chunks, `nil` at its end.
  public init(
    _ kind: CaptureKind, _ options: Options = Options(), _ source: @escaping () throws -> [UInt8]?
  ) {
    lines = LineReader(source)
    self.kind = kind
    frequency = max(options.frequency, 1)
    parser =
      switch kind {
      case .i2cTools: ToolsParser(options)
      case .ftrace: FtraceParser()
      case .saleae: SaleaeParser(options)
      case .sigrok: SigrokParser(options)
      case .vcd: ChangeDumpParser(options)
      case .busPirate: BusPirateParser(options)
      case .periph: PeriphParser(options)
      }
  }

  /// Reads the capture to its end.
  ///
  /// - Parameter take: takes the transfers, in order; times begin with 0.
  /// - Throws: `TraceError` when it is none, or what the source throws.
  /// - Returns: what was in it.
  public mutating func read(_ take: @escaping (TracedTransfer) -> Void) throws -> Summary {
    var sink = CaptureSink(frequency: frequency, take: take)
    while try lines.next() {
      sink.line += 1
      if sink.line == 1, lines.line.starts(with: Self.archiveMark) { throw archiveError }
      try parser.take(lines.line, &sink)
    }
    try parser.finish(&sink)
    guard sink.count > 0 else {
      throw TraceError(line: max(sink.line, 1), "no transfers in this \(kind.rawValue) capture")
    }
    return Summary(
      transfers: sink.count, buses: sink.buses.inOrder(),
      omissions: CaptureSink.Omission.allCases.compactMap { omission in
        sink.omissions[omission].map { "\(omission.rawValue) (\($0))" }
      }, hasTimes: sink.hasTimes)
  }

  /// How a ZIP archive begins: sigrok's sessions (.sr) and Logic 2's captures (.sal) are such.
  private static let archiveMark: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

  private var archiveError: TraceError {
    let advice =
      switch kind {
      case .sigrok, .vcd:
        "decode it first: sigrok-cli -i FILE.sr -P i2c:scl=SCL:sda=SDA -A i2c "
          + "--protocol-decoder-samplenum"
      case .saleae: "export the table of its I2C analyzer as CSV"
      default: "unpack it first"
      }
    return TraceError(line: 1, "this is a binary archive, not the text of a capture; \(advice)")
  }
}

/// One form of capture.
protocol CaptureParser {
  /// Takes a line without its end.
  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError)
  /// The capture is over.
  mutating func finish(_ sink: inout CaptureSink) throws(TraceError)
}

/// Numbers in the texts of captures.
enum CaptureText {
  /// A byte in one or two hexadecimal digits, with or without 0x.
  static func byte(_ text: some StringProtocol) -> UInt8? {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard (1...2).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt8(digits, radix: 16)
  }

  /// A whole number, in hexadecimal with 0x.
  static func integer(_ text: some StringProtocol) -> Int? {
    guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-")
    else { return nil }
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return Int(text) }
    let digits = text.dropFirst(2)
    return digits.allSatisfy(\.isHexDigit) ? Int(digits, radix: 16) : nil
  }

  /// Seconds in nanoseconds, rounded.
  static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard let seconds = Double(text), seconds.magnitude < 4e9 else { return nil }
    return Int64((seconds * 1e9).rounded())
  }

  static func address(_ number: Int) -> I2CAddress? {
    UInt16(exactly: number).flatMap(I2CAddress.init(rawValue:))
  }
}
