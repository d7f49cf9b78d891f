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
  /// - Parameter source: gives the input in chunks, nothing at its end.
  /// - Throws: ``TraceError`` when the header is missing or wrong, or what the source throws.
  public init(_ source: @escaping () throws -> [UInt8]?) throws {
    lines = LineReader(source)
    guard try lines.next() else {
      throw TraceError(line: 1, "the trace is empty; it needs a header")
    }
    header = try TraceHeader(jsonLine: lines.line, isWhole: lines.isTerminated)
    numbers = header.buses.map(\.number)
  }

  /// The next transfer, or nothing at the end.
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

/// Splits chunks of bytes into lines.
struct LineReader {
  private let source: () throws -> [UInt8]?
  private var bytes: [UInt8] = []
  private var start = 0
  private var end = 0
  private var after = 0
  /// Whether the line ended with a line feed.
  private(set) var isTerminated = false
  private var number = 0

  init(_ source: @escaping () throws -> [UInt8]?) { self.source = source }

  /// The line, without its end.
  var line: ArraySlice<UInt8> { bytes[start..<end] }

  /// Moves to the next line; whether there is one.
  mutating func next() throws -> Bool {
    start = after
    var search = start
    number += 1
    while true {
      if let feed = bytes[search...].firstIndex(of: 10) {
        end = feed > start && bytes[feed - 1] == 13 ? feed - 1 : feed
        after = feed + 1
        isTerminated = true
        return true
      }
      guard bytes.count - start <= TraceReader.longestLine else {
        throw TraceError(
          line: number, "the line is longer than \(TraceReader.longestLine) bytes")
      }
      // What has been read is dropped before more is fetched.
      bytes.removeFirst(start)
      search = bytes.count
      start = 0
      guard let chunk = try source() else { break }
      bytes += chunk
    }
    end = bytes.count
    after = end
    isTerminated = false
    return end > start
  }
}
