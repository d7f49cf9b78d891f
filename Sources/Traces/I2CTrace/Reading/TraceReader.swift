import I2C

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
      throw TraceError(line: 1, "this is not a trace, which begins with {\"i2ctrace\":1")
    }
    header = try TraceHeader(jsonLine: lines.line, isWhole: lines.isTerminated)
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
      throw error
    }
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
