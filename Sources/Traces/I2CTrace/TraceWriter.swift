public import I2C

/// A writer of traces, which writes a header and then one transfer per line.
public struct TraceWriter {
  private var line = LineBuffer()
  private let isSingle: Bool
  private let print: ([UInt8]) -> Void
  private let limit: Int

  /// Creates a writer and writes the header of the trace.
  ///
  /// - Parameters:
  ///   - header: the header.
  ///   - isBuffered: `true` to buffer lines, `false` to print each line at once.
  ///   - print: the closure called with complete lines.
  public init(_ header: TraceHeader, isBuffered: Bool, to print: @escaping ([UInt8]) -> Void) {
    self.print = print
    isSingle = header.buses.count == 1
    limit = isBuffered ? 1 << 16 : 0
    line.append(header)
    line.append(UInt8(ascii: "\n"))
    flush()
  }

  /// The number of buffered bytes that have not been printed.
  public var pending: Int { line.bytes.count }

  /// Prints the buffered lines.
  public mutating func flush() {
    guard !line.bytes.isEmpty else { return }
    print(line.bytes)
    line.removeAll()
  }

  /// Writes a transfer from the arguments and results of an adapter.
  ///
  /// - Parameters:
  ///   - time: the start in nanoseconds.
  ///   - duration: the duration in nanoseconds.
  ///   - bus: the number of the bus, which is the N in /dev/i2c-N.
  ///   - segments: the messages.
  ///   - writing: the bytes of all writes, end to end.
  ///   - reading: the bytes of all reads, end to end; ignored after an error.
  ///   - error: the failure; `nil` for a successful transfer.
  public mutating func write(
    time: UInt64, duration: UInt64, bus: Int, _ segments: Span<I2CSegment>,
    writing: Span<UInt8>, reading: Span<UInt8>, error: I2CError?
  ) {
    begin(time, duration, bus, segments.isEmpty ? 0 : segments[0].address.rawValue)
    var (written, read) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      beginMessage(segment, isFirst: index == 0, segments[0].address)
      switch segment.direction {
      case .write:
        for offset in 0..<segment.count { line.append(hexadecimal: writing[written + offset]) }
        written += segment.count
      case .read:
        if error == nil {
          for offset in 0..<segment.count { line.append(hexadecimal: reading[read + offset]) }
        }
        read += segment.count
      }
      endMessage(segment, isWhole: error == nil)
    }
    end(error)
  }

  /// Writes a transfer.
  public mutating func write(_ transfer: TracedTransfer) {
    let first = transfer.messages.first?.segment.address ?? 0
    begin(transfer.time, transfer.duration, transfer.bus, first.rawValue)
    for (index, message) in transfer.messages.enumerated() {
      beginMessage(message.segment, isFirst: index == 0, first)
      for byte in message.bytes { line.append(hexadecimal: byte) }
      endMessage(message.segment, isWhole: message.bytes.count == message.segment.count)
    }
    end(transfer.error)
  }

  private mutating func begin(_ time: UInt64, _ duration: UInt64, _ bus: Int, _ address: UInt16) {
    line.append("{\"t\":")
    line.append(number: time)
    line.append(",\"d\":")
    line.append(number: duration)
    if !isSingle {
      line.append(",\"b\":")
      line.append(number: UInt64(bus))
    }
    line.append(",\"a\":")
    line.append(address: address)
    line.append(",\"m\":[")
  }

  private mutating func beginMessage(
    _ segment: I2CSegment, isFirst: Bool, _ address: I2CAddress
  ) {
    line.append(isFirst ? "{" : ",{")
    if segment.address != address {
      line.append("\"a\":")
      line.append(address: segment.address.rawValue)
      line.append(UInt8(ascii: ","))
    }
    line.append(segment.direction == .write ? "\"w\":\"" : "\"r\":\"")
  }

  private mutating func endMessage(_ segment: I2CSegment, isWhole: Bool) {
    line.append(UInt8(ascii: "\""))
    if !isWhole, segment.direction == .read {
      line.append(",\"n\":")
      line.append(number: UInt64(segment.count))
    }
    if !segment.flags.isEmpty {
      line.append(",\"f\":")
      line.append(quoted: UInt32(segment.flags.rawValue), bytes: 2)
    }
    line.append(UInt8(ascii: "}"))
  }

  private mutating func end(_ error: I2CError?) {
    line.append(UInt8(ascii: "]"))
    if let error {
      line.append(",\"e\":{\"kind\":\"")
      line.append(error.kind.name)
      line.append("\",\"errno\":")
      if let name = error.errno.name {
        line.append(UInt8(ascii: "\""))
        line.append(name)
        line.append(UInt8(ascii: "\""))
      } else {
        line.append(number: UInt64(max(error.errno.rawValue, 0)))
      }
      line.append(",\"message\":")
      line.append(number: UInt64(error.message))
      if error.kind == .dataNack {
        line.append(",\"byte\":")
        line.append(number: UInt64(error.byte))
      }
      line.append(UInt8(ascii: "}"))
    }
    line.append("}\n")
    if line.bytes.count > limit { flush() }
  }
}

extension LineBuffer {
  mutating func append(_ header: TraceHeader) {
    append("{\"i2ctrace\":1,\"generator\":")
    append(quoted: header.generator)
    append(",\"clock\":")
    append(quoted: header.clock)
    if let seed = header.seed {
      append(",\"seed\":")
      append(number: seed)
    }
    if let start = header.start {
      append(",\"start_utc\":")
      append(quoted: start)
    }
    if let digest = header.rigDigest {
      append(",\"rig_sha256\":")
      append(quoted: digest)
    }
    append(",\"buses\":[")
    for (index, bus) in header.buses.enumerated() {
      append(index == 0 ? "{\"number\":" : ",{\"number\":")
      append(number: UInt64(bus.number))
      append(",\"frequency_hz\":")
      append(number: bus.frequency)
      append(",\"funcs\":")
      append(quoted: bus.functionality.rawValue, bytes: 4)
      append(",\"quirks\":{")
      append(bus.quirks)
      append("}}")
    }
    append("]")
    if let note = header.note {
      append(",\"note\":")
      append(quoted: note)
    }
    append("}")
  }

  /// Appends those limits of an adapter that are set, under the names used in rigs.
  private mutating func append(_ quirks: I2CQuirks) {
    var isFirst = true
    for (name, limit) in quirks.limits where limit > 0 {
      append(isFirst ? "\"" : ",\"")
      append(name)
      append("\":")
      append(number: UInt64(limit))
      isFirst = false
    }
    if quirks.noZeroLength {
      append(isFirst ? "\"no_zero_length\":true" : ",\"no_zero_length\":true")
    }
  }
}

extension I2CQuirks {
  /// The limits, each with its name in rigs and traces; 0 means no limit.
  var limits: [(name: StaticString, limit: Int)] {
    [
      ("max_read", maxReadLength), ("max_write", maxWriteLength), ("max_messages", maxMessages),
      ("max_combined_write", maxCombinedWriteLength), ("max_combined_read", maxCombinedReadLength),
    ]
  }
}

/// A buffer of bytes, for writing lines of JSON.
package struct LineBuffer {
  /// The content.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Removes the content but keeps the allocated memory.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends a string literal.
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  package mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

  package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends a whole number in decimal digits.
  package mutating func append(number: UInt64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var (rest, start) = (number, 20)
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    digits.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0[start...]) }
  }

  /// Appends a byte as two hexadecimal digits.
  package mutating func append(hexadecimal byte: UInt8) {
    bytes.append(Self.digit(byte >> 4))
    bytes.append(Self.digit(byte & 0x0F))
  }

  /// Appends a number of `count` bytes as `"0x0eff0009"`.
  package mutating func append(quoted word: UInt32, bytes count: Int) {
    append("\"0x")
    for index in (0..<count).reversed() {
      append(hexadecimal: UInt8(truncatingIfNeeded: word >> UInt32(8 * index)))
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends an address as `"0x76"`.
  package mutating func append(address: UInt16) {
    append("\"0x")
    if address > 0xFF { append(Self.digit(UInt8(address >> 8))) }
    append(hexadecimal: UInt8(truncatingIfNeeded: address))
    append(UInt8(ascii: "\""))
  }

  /// Appends a text as a quoted, escaped JSON string.
  package mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20:
        append("\\u00")
        append(hexadecimal: byte)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
