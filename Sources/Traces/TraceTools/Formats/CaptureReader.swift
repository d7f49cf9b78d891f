public import I2C
public import I2CTrace
import Support

/// Reads a capture made by another tool, of any length, line by line.
public struct CaptureReader {
  /// Properties of the bus that a capture does not contain.
  public struct Options: Hashable, Sendable {
    /// The number of the bus (the N in /dev/i2c-N), if the capture does not contain it.
    ///
    /// Default: 1.
    public var bus = 1
    /// The address of the I2C target, for a table printed by i2cdump that was logged without its
    /// command.
    public var address: I2CAddress?
    /// The bus frequency in Hz, from which missing durations are computed.
    ///
    /// Default: 100 kHz.
    public var frequency = I2CBusFrequency.standard
    /// The sample rate in Hz, for captures whose positions are sample numbers.
    public var sampleRate: Double?
    /// The names of SDA and SCL in a Value Change Dump.
    ///
    /// Default: the signals whose names contain SDA and SCL.
    public var sda: String?, scl: String?

    /// Creates the default options.
    public init() {}
  }

  /// A summary of a capture.
  public struct Summary: Hashable, Sendable {
    /// The number of transfers.
    public let transfers: Int
    /// The bus numbers in ascending order.
    public let buses: [Int]
    /// The parts of the capture that could not be converted to transfers, with a description and
    /// count for each.
    public let omissions: [String]
    /// Whether the capture contains times; if not, the times in the trace are computed.
    public let hasTimes: Bool
  }

  private var lines: LineReader
  private var parser: any CaptureParser
  private let kind: CaptureKind
  private let frequency: UInt64

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - kind: the format of the capture.
  ///   - options: properties of the bus that the capture does not contain.
  ///   - source: returns the next chunk of the input, and `nil` at its end.
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
  /// - Parameter take: the closure called with the transfers in order; their times begin with 0.
  /// - Throws: `TraceError` if the capture is invalid, or the error of the source.
  /// - Returns: a summary.
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

  /// The first bytes of a ZIP archive, the format of sigrok's sessions (.sr) and Logic 2's captures
  /// (.sal).
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

/// A parser of one capture format.
protocol CaptureParser {
  /// Parses a line without its line ending.
  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError)
  /// Handles the end of the capture.
  mutating func finish(_ sink: inout CaptureSink) throws(TraceError)
}

/// Parsing of numbers in captures.
enum CaptureText {
  /// Parses a byte of one or two hexadecimal digits, with or without the prefix 0x.
  static func byte(_ text: some StringProtocol) -> UInt8? {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard (1...2).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt8(digits, radix: 16)
  }

  /// Parses a whole number, which is decimal, or hexadecimal with the prefix 0x.
  static func integer(_ text: some StringProtocol) -> Int? {
    guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-")
    else { return nil }
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return Int(text) }
    let digits = text.dropFirst(2)
    return digits.allSatisfy(\.isHexDigit) ? Int(digits, radix: 16) : nil
  }

  /// Parses a time in seconds and converts it to nanoseconds, rounded.
  static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard let seconds = Double(text), seconds.magnitude < 4e9 else { return nil }
    return Int64((seconds * 1e9).rounded())
  }

  static func address(_ number: Int) -> I2CAddress? {
    UInt16(exactly: number).flatMap(I2CAddress.init(rawValue:))
  }
}

/// The supported formats of captures made by other tools.
public enum CaptureKind: String, Hashable, Sendable, CaseIterable {
  /// A shell log with commands of i2c-tools (i2ctransfer, i2cget, i2cset and i2cdump) and their output.
  case i2cTools = "i2c-tools"
  /// The i2c and smbus events of Linux ftrace (`trace`, `trace_pipe`).
  case ftrace
  /// The CSV table of Saleae Logic's I2C analyzer, from Logic 2 or Logic 1.
  case saleae
  /// The output of `sigrok-cli -P i2c -A i2c`.
  case sigrok
  /// A Value Change Dump of SDA and SCL, from any logic analyzer.
  case vcd
  /// The output of the Bus Pirate's I2C sniffer.
  case busPirate = "bus-pirate"
  /// The transfers in the source of a Go test that uses periph's `i2ctest.Playback`.
  case periph

  /// The information that is missing from this kind of capture, and what replaces it in the trace.
  public var limits: String {
    switch self {
    case .i2cTools:
      "times are not recorded: transfers follow one another at the bus frequency; the bus traffic of a command "
        + "is derived from its arguments and its output"
    case .ftrace: "messages longer than 64 bytes are not recorded completely and are rejected"
    case .saleae:
      "errno is not on the wires: a NACK is imported as ENXIO or EIO; Logic 1 does not record stops, so "
        + "each of its packets is a transfer"
    case .sigrok:
      "errno is not on the wires: a NACK is imported as ENXIO or EIO; times need "
        + "--protocol-decoder-samplenum and the sample rate"
    case .vcd: "errno is not on the wires: a NACK is imported as ENXIO or EIO"
    case .busPirate:
      "times are not recorded; the sniffer loses bytes above 100 kHz; errno is not on the wires: a NACK is "
        + "imported as ENXIO or EIO"
    case .periph: "times are not recorded; a write followed by a read is assumed to be one transfer"
    }
  }
}

extension I2CError {
  /// Creates a failure from an error number alone, assuming the meaning it has with most adapters.
  init(reported errno: I2CErrno) {
    let kind: Kind =
      switch errno {
      case .enxio, .eremoteio: .addressNack
      case .eagain: .arbitrationLost
      case .etimedout: .timeOut
      case .eopnotsupp: .unsupported
      case .einval: .invalid
      case .enodev: .noDevice
      default: .busError
      }
    self.init(kind, errno: errno)
  }

  /// Creates a failure from a line that contains an error message of the C library, such as
  /// `No such device or address`.
  init(worded text: Substring) {
    let words: [(String, I2CErrno)] = [
      ("No such device or address", .enxio), ("Remote I/O error", .eremoteio),
      ("Connection timed out", .etimedout), ("Resource temporarily unavailable", .eagain),
      ("Operation not supported", .eopnotsupp), ("Invalid argument", .einval),
      ("No such device", .enodev), ("Input/output error", .eio),
    ]
    self.init(reported: words.first { text.contains($0.0) }?.1 ?? .enxio)
  }
}
