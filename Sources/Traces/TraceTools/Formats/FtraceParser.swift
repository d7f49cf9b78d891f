import I2C
import I2CTrace
import Support

/// A parser of the i2c and smbus events of Linux ftrace, for any number of buses.
///
/// Ftrace records a failure only as an errno, so ENXIO and EREMOTEIO are imported as an address
/// NACK of the first message.
struct FtraceParser: CaptureParser {
  /// The transfer in progress on a bus.
  private struct Bus {
    var messages: [TracedMessage] = []
    var messagesBegin: Int64 = 0
    var isLost = false
    var smbus: SMBusRequest?

    /// The start of the transfer in progress; `nil` if the bus is idle.
    var begin: Int64? {
      let both = [smbus?.begin, messages.isEmpty ? nil : messagesBegin]
      return both.compactMap(\.self).min()
    }
  }

  /// A request to the kernel's SMBus layer, which the adapter performs itself or the kernel
  /// emulates with I2C messages.
  private struct SMBusRequest {
    let begin: Int64
    var messages: [TracedMessage]
    var isDoneByMessages = false
  }

  /// A finished transfer, which is held back until transfers that started earlier on other buses
  /// have finished.
  private struct Finished {
    let begin: Int64
    let end: Int64
    let bus: Int
    let messages: [TracedMessage]
    let error: I2CError?
  }

  private var buses: [Int: Bus] = [:]
  private var finished: [Finished] = []

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    if text.contains("[LOST ") {
      for number in buses.keys { buses[number]?.isLost = true }
    }
    guard let event = try FtraceEvent(text, sink.line) else { return }
    var bus = buses[event.bus] ?? Bus()
    switch event.name {
    case "i2c_write", "i2c_read": try Self.message(event, &bus)
    case "i2c_reply": try Self.reply(event, &bus)
    case "i2c_result": try result(event, &bus, &sink)
    case "smbus_write", "smbus_read": try Self.request(event, &bus, &sink)
    case "smbus_reply": try Self.smbusReply(event, &bus)
    default: try smbusResult(event, &bus, &sink)
    }
    buses[event.bus] = bus
    try release(&sink)
  }

  mutating func finish(_ sink: inout CaptureSink) throws(TraceError) {
    for number in buses.keys where buses[number]?.begin != nil {
      sink.omit(.cutOffTransfer)
      buses[number] = nil
    }
    try release(&sink)
  }

  /// Emits finished transfers in the order of their start, up to the start of the first unfinished
  /// transfer.
  private mutating func release(_ sink: inout CaptureSink) throws(TraceError) {
    guard !finished.isEmpty else { return }
    let horizon = buses.values.compactMap(\.begin).min() ?? .max
    let ready = finished.filter { $0.begin <= horizon }.inOrder { $0.begin < $1.begin }
    finished.removeAll { $0.begin <= horizon }
    for transfer in ready {
      try sink.emit(
        transfer.messages, error: transfer.error, bus: transfer.bus, from: transfer.begin,
        until: transfer.end)
    }
  }

  private static func message(_ event: FtraceEvent, _ bus: inout Bus) throws(TraceError) {
    let index = try event.index
    if index == 0 {
      bus.messagesBegin = event.time
      bus.messages = []
      bus.isLost = false
    }
    if index != bus.messages.count { bus.isLost = true }
    let isWrite = event.name == "i2c_write"
    bus.messages.append(
      TracedMessage(
        try event.segment(isWrite ? .write : .read), isWrite ? try event.bytes : []))
  }

  private static func reply(_ event: FtraceEvent, _ bus: inout Bus) throws(TraceError) {
    let index = try event.index
    guard bus.messages.indices.contains(index),
      bus.messages[index].segment.direction == .read
    else {
      bus.isLost = true
      return
    }
    bus.messages[index].bytes = try event.bytes
    bus.messages[index].segment.count = bus.messages[index].bytes.count
  }

  private mutating func result(
    _ event: FtraceEvent, _ bus: inout Bus, _ sink: inout CaptureSink
  ) throws(TraceError) {
    defer { bus.messages = [] }
    bus.smbus?.isDoneByMessages = true
    var result = try event.result
    if result == bus.messages.count { result = 0 }
    let error = Self.error(result, messages: bus.messages.count)
    end(bus.messages, error, from: bus.messagesBegin, isLost: bus.isLost, event, &sink)
  }

  private mutating func end(
    _ messages: [TracedMessage], _ error: I2CError?, from begin: Int64, isLost: Bool,
    _ event: FtraceEvent, _ sink: inout CaptureSink
  ) {
    let isWhole = messages.allSatisfy { $0.bytes.count == $0.segment.count }
    guard !messages.isEmpty, !isLost, isWhole || error != nil else {
      return sink.omit(.lostEvent)
    }
    finished.append(
      Finished(begin: begin, end: event.time, bus: event.bus, messages: messages, error: error))
  }

  /// Converts a result to a failure; returns `nil` for success.
  ///
  /// A positive result is the number of completed messages.
  private static func error(_ result: Int, messages: Int) -> I2CError? {
    guard result != 0 else { return nil }
    guard (-4095 ... -1).contains(result), let number = Int32(exactly: -result) else {
      return I2CError(.busError, message: min(max(result, 0), max(messages - 1, 0)), errno: .eio)
    }
    return I2CError(reported: I2CErrno(rawValue: number))
  }

  private static func request(
    _ event: FtraceEvent, _ bus: inout Bus, _ sink: inout CaptureSink
  ) throws(TraceError) {
    if bus.smbus != nil { sink.omit(.lostEvent) }
    let isWrite = event.name == "smbus_write"
    let bytes = isWrite ? try event.bytes : []
    let kind = try event.smbusProtocol
    let address = try event.address
    let command = try event.command
    var (write, reads): ([UInt8]?, Bool) = ([command], !isWrite)
    switch kind {
    case .quick: write = isWrite ? [] : nil
    case .byte: write = isWrite ? [command] : nil
    case .byteData, .wordData, .blockData: write? += bytes
    case .i2cBlockData: write? += bytes.dropFirst()
    case .processCall, .blockProcessCall:
      write? += bytes
      reads = true
    }
    var messages: [TracedMessage] = []
    if let write { messages.append(TracedMessage(.write(write.count, to: address), write)) }
    if reads {
      let count = kind == .byte || kind == .byteData ? 1 : kind == .wordData ? 2 : 0
      let flags: I2CSegment.Flags =
        kind == .blockData || kind == .blockProcessCall ? .receiveLength : []
      messages.append(
        TracedMessage(
          I2CSegment(address: address, direction: .read, count: count, flags: flags), []))
    }
    bus.smbus = SMBusRequest(begin: event.time, messages: messages)
  }

  private static func smbusReply(_ event: FtraceEvent, _ bus: inout Bus) throws(TraceError) {
    guard let last = bus.smbus?.messages.indices.last else { return }
    let isBlock = try event.smbusProtocol == .i2cBlockData
    let bytes = isBlock ? Array(try event.bytes.dropFirst()) : try event.bytes
    bus.smbus?.messages[last].bytes = bytes
    bus.smbus?.messages[last].segment.count = bytes.count
  }

  private mutating func smbusResult(
    _ event: FtraceEvent, _ bus: inout Bus, _ sink: inout CaptureSink
  ) throws(TraceError) {
    guard let request = bus.smbus else { return sink.omit(.lostEvent) }
    bus.smbus = nil
    guard !request.isDoneByMessages else { return }
    let error = Self.error(try event.smbusResult, messages: request.messages.count)
    end(request.messages, error, from: request.begin, isLost: false, event, &sink)
  }
}

/// An i2c or smbus event of Linux ftrace, parsed from its line (include/trace/events/i2c.h and
/// smbus.h).
struct FtraceEvent {
  /// The SMBus protocols; the raw values are their names in the events.
  enum SMBusProtocol: String {
    case quick = "QUICK"
    case byte = "BYTE"
    case byteData = "BYTE_DATA"
    case wordData = "WORD_DATA"
    case processCall = "PROC_CALL"
    case blockData = "BLOCK_DATA"
    case blockProcessCall = "BLOCK_PROC_CALL"
    case i2cBlockData = "I2C_BLOCK_DATA"
  }

  private static let names = [
    "i2c_write", "i2c_read", "i2c_reply", "i2c_result",
    "smbus_write", "smbus_read", "smbus_reply", "smbus_result",
  ]

  let name: String
  /// The time of the tracing clock in nanoseconds.
  let time: Int64
  let bus: Int
  private let words: [Substring]
  private let line: Int

  /// Parses a line; returns `nil` if it contains none of these events.
  init?(_ text: String, _ line: Int) throws(TraceError) {
    guard let (name, start) = Self.event(in: text) else { return nil }
    let head = text[..<start].split(separator: " ").last {
      !$0.hasSuffix("bus:") && $0 != "i2c:"
    }
    guard let stamp = head, stamp.hasSuffix(":"),
      let time = CaptureText.nanoseconds(stamp.dropLast())
    else { throw TraceError(line: line, "the event has no timestamp") }
    let words = text[start...].split(separator: " ")
    guard words.count > 1, let bus = Int(words[1].dropFirst(4)), (0...255).contains(bus) else {
      throw TraceError(line: line, "the event names no bus")
    }
    (self.name, self.time, self.bus, self.words, self.line) = (name, time, bus, words, line)
  }

  /// Returns the name of the event in a line and the position of the name; `nil` without an event.
  ///
  /// An event is written `i2c_write: i2c-1`, or with the alignment of `trace-cmd report`
  /// `i2c_write:   i2c-1`. Its name follows a space or the colon of its group.
  private static func event(in text: String) -> (name: String, start: String.Index)? {
    for name in names {
      for range in text.ranges(of: "\(name):") {
        let isWhole = text[..<range.lowerBound].last.map { $0 == " " || $0 == ":" } ?? false
        let rest = text[range.upperBound...]
        let bus = rest.drop { $0 == " " }
        if isWhole, bus.startIndex > rest.startIndex, bus.hasPrefix("i2c-") {
          return (name, range.lowerBound)
        }
      }
    }
    return nil
  }

  /// Returns the number after a key, such as 0x76 for `a=` in `a=076` with the radix 16.
  private func field(_ key: String, radix: Int) throws(TraceError) -> Int {
    guard let word = words.first(where: { $0.hasPrefix(key) }),
      let value = Int(word.dropFirst(key.count), radix: radix)
    else { throw TraceError(line: line, "\(name) lacks \(key)") }
    return value
  }

  /// The index of the message in its transfer, written `#1`.
  var index: Int { get throws(TraceError) { try field("#", radix: 10) } }
  /// The number of completed messages or a negative errno, written `ret=2`.
  var result: Int { get throws(TraceError) { try field("ret=", radix: 10) } }
  /// The result of an SMBus request, 0 or a negative errno, written `res=0`.
  var smbusResult: Int { get throws(TraceError) { try field("res=", radix: 10) } }
  /// The SMBus command, written `c=d0`.
  var command: UInt8 {
    get throws(TraceError) { UInt8(truncatingIfNeeded: try field("c=", radix: 16)) }
  }

  /// Returns the message without its bytes.
  func segment(_ direction: I2CSegment.Direction) throws(TraceError) -> I2CSegment {
    let flags = UInt16(truncatingIfNeeded: try field("f=", radix: 16)) & ~1
    return I2CSegment(
      address: try address, direction: direction, count: try length,
      flags: I2CSegment.Flags(rawValue: flags))
  }

  /// The number of bytes, written `l=2`.
  private var length: Int {
    get throws(TraceError) {
      let length = try field("l=", radix: 10)
      guard (0...0xFFFF).contains(length) else {
        throw TraceError(line: line, "l=\(length) is not a valid length")
      }
      return length
    }
  }

  var address: I2CAddress {
    get throws(TraceError) {
      guard let address = CaptureText.address(try field("a=", radix: 16)) else {
        throw TraceError(line: line, "the address is above 0x3ff")
      }
      return address
    }
  }

  var smbusProtocol: SMBusProtocol {
    get throws(TraceError) {
      for word in words {
        if let found = SMBusProtocol(rawValue: String(word)) { return found }
      }
      throw TraceError(line: line, "the event has no known SMBus protocol")
    }
  }

  /// The bytes, written `[d0-60]`.
  var bytes: [UInt8] {
    get throws(TraceError) {
      guard let word = words.last, word.hasPrefix("["), word.hasSuffix("]") else {
        throw TraceError(line: line, "\(name) lacks its bytes")
      }
      var bytes: [UInt8] = []
      for digits in word.dropFirst().dropLast().split(separator: "-") {
        guard digits.count == 2, let byte = CaptureText.byte(digits) else {
          throw TraceError(line: line, "'\(digits)' is not a hexadecimal byte")
        }
        bytes.append(byte)
      }
      let count = try length
      guard bytes.count == count else {
        let reason = count > 64 ? "; the kernel prints 64 at most" : ""
        throw TraceError(
          line: line, "\("byte".counted(bytes.count)) instead of l=\(count)\(reason)")
      }
      return bytes
    }
  }
}
