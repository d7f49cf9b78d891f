import I2C
import Text

/// Reads a trace line by line, however long it is.
///
/// Lines in the canonical order of keys are scanned, others go through general JSON.
public struct TraceReader {
  /// The longest line in bytes.
  public static let longestLine = 10_000_000

  /// What the first line says.
  public let header: TraceHeader
  /// The line that was read last, from 1.
  public private(set) var line = 1

  private var lines: LineReader
  private let numbers: [Int]
  private var last: UInt64 = 0

  /// Begins to read.
  ///
  /// - Parameter source: gives the input in chunks, `nil` at its end.
  /// - Throws: ``TraceError`` when the header is missing or wrong, or what the source throws.
  public init(_ source: @escaping () throws -> [UInt8]?) throws {
    lines = LineReader(source)
    guard try lines.next() else {
      throw TraceError(line: 1, "the trace is empty; it needs a header")
    }
    guard lines.line.first == UInt8(ascii: "{") else {
      if let fault = Self.fault(lines, 1), fault.isUTF16 {
        throw TraceError(line: 1, fault.words)
      }
      throw TraceError(line: 1, "this is not a trace, which begins with {\"i2ctrace\":1")
    }
    do throws(TraceError) {
      header = try TraceHeader(jsonLine: lines.line, isWhole: lines.isTerminated)
    } catch {
      throw Self.error(lines, 1) ?? error
    }
    numbers = header.buses.map(\.number)
  }

  /// The next transfer, or `nil` at the end.
  ///
  /// - Throws: ``TraceError``, of kind ``TraceError/Kind/cutOff`` when the last line is not whole; or
  ///   what the source throws.
  public mutating func next() throws -> TracedTransfer? {
    while try lines.next() {
      line += 1
      let bytes = lines.line
      guard !bytes.isEmpty else { continue }
      let transfer = try transfer(bytes)
      try check(transfer)
      return transfer
    }
    return nil
  }

  private func transfer(_ bytes: ArraySlice<UInt8>) throws(TraceError) -> TracedTransfer {
    let onlyBus = numbers.count == 1 ? numbers[0] : nil
    if let transfer = TransferScanner.scan(bytes, onlyBus: onlyBus) { return transfer }
    do throws(TraceError) {
      return try TracedTransfer(jsonLine: bytes, line, onlyBus: onlyBus)
    } catch {
      guard lines.isTerminated else {
        throw TraceError(.cutOff, line: line, "the trace was cut off in this line")
      }
      throw Self.error(lines, line) ?? error
    }
  }

  /// The error of a whole line that is not UTF-8; `nil` if it is, or if the line was cut off.
  private static func error(_ lines: LineReader, _ line: Int) -> TraceError? {
    guard lines.isTerminated else { return nil }
    return fault(lines, line).map { TraceError(line: line, $0.words) }
  }

  private static func fault(_ lines: LineReader, _ line: Int) -> UTF8Fault? {
    UTF8Fault(in: Array(lines.line), from: lines.offset, line: line)
  }

  private mutating func check(_ transfer: TracedTransfer) throws(TraceError) {
    guard numbers.contains(transfer.bus) else {
      throw TraceError(line: line, "the header names no bus \(transfer.bus)")
    }
    guard transfer.time >= last else {
      throw TraceError(
        line: line, "t goes back from \(last) to \(transfer.time); lines are missing or reordered")
    }
    last = transfer.time
  }
}
