import I2C
import Support

/// Reads a trace of any length, line by line.
///
/// Lines whose keys are in canonical order are scanned directly. Other lines are parsed as general
/// JSON.
public struct TraceReader {
  /// The maximum length of a line in bytes.
  public static let longestLine = 10_000_000

  /// The header of the trace, which is its first line.
  public let header: TraceHeader
  /// The number of the last line read, from 1.
  public private(set) var line = 1

  private var lines: LineReader
  private let numbers: [Int]
  private var last: UInt64 = 0

  /// Reads the header.
  ///
  /// - Parameter source: returns the next chunk of the input, and `nil` at its end.
  /// - Throws: `TraceError` if the header is missing or invalid, or the error of the source.
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

  /// Returns the next transfer; `nil` at the end.
  ///
  /// - Throws: `TraceError` if a line is invalid (of kind `TraceError/Kind/cutOff` if the last
  ///   line is incomplete), or the error of the source.
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

  /// Returns the error for a complete line that is not valid UTF-8; `nil` if the line is valid or
  /// was truncated.
  private static func error(_ lines: LineReader, _ line: Int) -> TraceError? {
    guard lines.isTerminated else { return nil }
    return fault(lines, line).map { TraceError(line: line, $0.words) }
  }

  private static func fault(_ lines: LineReader, _ line: Int) -> UTF8Fault? {
    UTF8Fault(in: Array(lines.line), from: lines.offset, line: line)
  }

  private mutating func check(_ transfer: TracedTransfer) throws(TraceError) {
    guard numbers.contains(transfer.bus) else {
      throw TraceError(line: line, "the header lists no bus \(transfer.bus)")
    }
    guard transfer.time >= last else {
      throw TraceError(
        line: line, "t decreases from \(last) to \(transfer.time); lines are missing or reordered")
    }
    last = transfer.time
  }
}

/// A fast scanner for lines whose keys are in canonical order.
struct TransferScanner {
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  /// Returns the transfer in a line; `nil` if the keys are not in canonical order or the transfer
  /// failed.
  static func scan(_ line: ArraySlice<UInt8>, onlyBus: Int?) -> TracedTransfer? {
    var scanner = TransferScanner(bytes: line, next: line.startIndex)
    return scanner.transfer(onlyBus: onlyBus)
  }

  private mutating func transfer(onlyBus: Int?) -> TracedTransfer? {
    guard take("{\"t\":"), let time = number(), take(",\"d\":"), let duration = number() else {
      return nil
    }
    var bus = onlyBus
    if take(",\"b\":") {
      guard let number = number(), number <= I2CBusNumber.all.upperBound else { return nil }
      bus = Int(number)
    }
    guard let bus, take(",\"a\":"), let address = address(), take(",\"m\":[") else { return nil }
    var messages: [TracedMessage] = []
    repeat {
      guard let message = message(address) else { return nil }
      messages.append(message)
    } while take(",")
    guard take("]}"), next == bytes.endIndex else { return nil }
    return TracedTransfer(time: time, duration: duration, bus: bus, messages: messages)
  }

  private mutating func message(_ address: I2CAddress) -> TracedMessage? {
    let isWrite = take("{\"w\":\"")
    guard isWrite || take("{\"r\":\""), let data = hexadecimal(), take("\"}") else { return nil }
    return TracedMessage(
      I2CSegment(address: address, direction: isWrite ? .write : .read, count: data.count), data)
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.endIndex - next >= count else { return false }
    for index in 0..<count where bytes[next + index] != text.utf8Start[index] { return false }
    next += count
    return true
  }

  /// Scans a whole number of at most 64 bits.
  private mutating func number() -> UInt64? {
    var value: UInt64 = 0
    let start = next
    while next < bytes.endIndex, case let digit = bytes[next] &- UInt8(ascii: "0"), digit < 10 {
      if next - start < 19 {
        value = value * 10 + UInt64(digit)
      } else {
        // Only the 20th and later digits can overflow.
        let (product, isTooMuch) = value.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = product.addingReportingOverflow(UInt64(digit))
        guard !isTooMuch, !isTooLarge else { return nil }
        value = sum
      }
      next += 1
    }
    return next > start ? value : nil
  }

  private mutating func address() -> I2CAddress? {
    guard take("\"0x") else { return nil }
    var value: UInt16 = 0
    let start = next
    while next < bytes.endIndex, let digit = digit(bytes[next]) {
      guard next - start < 3 else { return nil }
      value = value << 4 | UInt16(digit)
      next += 1
    }
    return next > start && take("\"") ? I2CAddress(rawValue: value) : nil
  }

  private mutating func hexadecimal() -> [UInt8]? {
    var data: [UInt8] = []
    while next + 1 < bytes.endIndex, let high = digit(bytes[next]) {
      guard let low = digit(bytes[next + 1]) else { return nil }
      data.append(high << 4 | low)
      next += 2
    }
    return data
  }

  private func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Splits chunks of bytes into lines.
package struct LineReader {
  private let source: () throws -> [UInt8]?
  private var bytes: [UInt8] = []
  private var start = 0
  private var end = 0
  private var after = 0
  /// Whether the current line ended with a line feed.
  package private(set) var isTerminated = false
  private var number = 0
  private var dropped = 0

  /// Creates a reader for the chunks that a source returns; the source returns `nil` at the end.
  package init(_ source: @escaping () throws -> [UInt8]?) { self.source = source }

  /// The current line, without its line ending.
  package var line: ArraySlice<UInt8> { bytes[start..<end] }

  /// The offset of the current line in the input, in bytes.
  var offset: Int { dropped + start }

  /// Moves to the next line; returns `false` at the end.
  package mutating func next() throws -> Bool {
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
      // Drop the lines already read before fetching more bytes.
      bytes.removeFirst(start)
      dropped += start
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
