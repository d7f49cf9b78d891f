import I2C
import I2CTrace
import Text

/// The i2c and smbus events of Linux ftrace, of any number of buses.
///
/// Of a failure only the errno is recorded: ENXIO and EREMOTEIO count as an address without an answer, at the
/// first message.
struct FtraceParser: CaptureParser {
  /// What is under way on a bus.
  private struct Bus {
    var messages: [TracedMessage] = []
    var messagesBegin: Int64 = 0
    var isLost = false
    var smbus: SMBusRequest?

    /// When it began, or `nil` where the bus is idle.
    var begin: Int64? {
      let both = [smbus?.begin, messages.isEmpty ? nil : messagesBegin]
      return both.compactMap(\.self).min()
    }
  }

  /// A request to the kernel's SMBus layer, which does it by itself or by messages.
  private struct SMBusRequest {
    let begin: Int64
    var messages: [TracedMessage]
    var isDoneByMessages = false
  }

  /// A transfer that waits until those that began before it, on other buses, are over as well.
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
      sink.leaveOut(.cutOffTransfer)
      buses[number] = nil
    }
    try release(&sink)
  }

  /// Gives away what is over, in the order in which it began.
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
      return sink.leaveOut(.lostEvent)
    }
    finished.append(
      Finished(begin: begin, end: event.time, bus: event.bus, messages: messages, error: error))
  }

  /// What an error number stands for; above 0 it counts the messages that were done.
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
    if bus.smbus != nil { sink.leaveOut(.lostEvent) }
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
    guard let request = bus.smbus else { return sink.leaveOut(.lostEvent) }
    bus.smbus = nil
    guard !request.isDoneByMessages else { return }
    let error = Self.error(try event.smbusResult, messages: request.messages.count)
    end(request.messages, error, from: request.begin, isLost: false, event, &sink)
  }
}
