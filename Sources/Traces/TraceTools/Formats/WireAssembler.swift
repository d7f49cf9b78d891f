import I2C
import I2CTrace

/// Assembles transfers from the starts, bytes and stops on a bus.
///
/// The errno that the program received cannot be read from the wires, so an address NACK becomes
/// ENXIO and a data NACK becomes EIO.
struct WireAssembler {
  /// The meaning of the next byte.
  private enum Expectation {
    case address
    /// The low eight bits of a ten-bit address whose high bits have been sent.
    case addressLow(high: UInt16)
    case data
  }

  private let bus: Int
  private var isOpen = false
  private var begin: Int64?
  private var expectation = Expectation.address
  private var messages: [TracedMessage] = []
  private var error: I2CError?

  init(bus: Int) { self.bus = bus }

  /// Handles a start or repeated start.
  mutating func start(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    if isOpen, error != nil { try end(at: time, &sink) }
    if isOpen {
      if case .address = expectation { sink.omit(.emptyStart) }
    } else {
      isOpen = true
      begin = time
    }
    expectation = .address
  }

  /// Handles a byte and its acknowledge bit.
  mutating func byte(_ value: UInt8, acknowledged: Bool, _ sink: inout CaptureSink) {
    guard isOpen, error == nil else { return sink.omit(.strayByte) }
    switch expectation {
    case .address: address(value, acknowledged)
    case .addressLow(let high):
      let address = I2CAddress(rawValue: high << 8 | UInt16(value)) ?? 0
      open(I2CSegment(address: address, direction: .write, count: 0, flags: .tenBit), acknowledged)
    case .data: data(value, acknowledged)
    }
  }

  /// Handles a stop.
  mutating func stop(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    guard isOpen else { return sink.omit(.strayStop) }
    if case .address = expectation { sink.omit(.emptyStart) }
    try end(at: time, &sink)
  }

  /// Handles a start or stop in the middle of a byte.
  mutating func interrupt(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    guard isOpen, !messages.isEmpty else { return sink.omit(.strayByte) }
    error = I2CError(.busError, message: messages.count - 1, errno: .eio)
    try end(at: time, &sink)
  }

  /// Handles the end of the capture.
  mutating func finish(_ sink: inout CaptureSink) {
    if isOpen, !messages.isEmpty { sink.omit(.cutOffTransfer) }
    isOpen = false
  }

  private mutating func address(_ value: UInt8, _ acknowledged: Bool) {
    let isRead = value & 1 == 1
    guard value >> 3 == 0b11110 else {
      let address = I2CAddress(rawValue: UInt16(value >> 1)) ?? 0
      return open(
        I2CSegment(address: address, direction: isRead ? .read : .write, count: 0), acknowledged)
    }
    let high = UInt16(value >> 1) & 3
    if !isRead, acknowledged {
      expectation = .addressLow(high: high)
    } else {
      // A read from a ten-bit target repeats only the high bits, after a write that contained the
      // whole address.
      let named = messages.last?.segment.address.rawValue ?? 0
      let address = named >> 8 == high ? named : high << 8
      let isOnlyNamed = isRead && messages.last?.bytes.isEmpty == true
      if isOnlyNamed { messages.removeLast() }
      open(
        I2CSegment(
          address: I2CAddress(rawValue: address) ?? 0, direction: isRead ? .read : .write, count: 0,
          flags: .tenBit), acknowledged)
    }
  }

  private mutating func open(_ segment: I2CSegment, _ acknowledged: Bool) {
    messages.append(TracedMessage(segment, []))
    expectation = .data
    if !acknowledged {
      error = I2CError(.addressNack, message: messages.count - 1, errno: .enxio)
    }
  }

  private mutating func data(_ value: UInt8, _ acknowledged: Bool) {
    let last = messages.count - 1
    messages[last].bytes.append(value)
    messages[last].segment.count += 1
    if !acknowledged, messages[last].segment.direction == .write {
      error = I2CError(
        .dataNack, message: last, byte: messages[last].bytes.count - 1, errno: .eio)
    }
  }

  private mutating func end(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    isOpen = false
    defer {
      messages = []
      error = nil
    }
    guard !messages.isEmpty else { return }
    try sink.emit(messages, error: error, bus: bus, from: begin, until: time)
  }
}

/// The receiver of a capture's transfers, which makes times relative to the first transfer and
/// counts omissions.
struct CaptureSink {
  /// Parts of a capture that are omitted because they cannot be converted to transfers.
  enum Omission: String, CaseIterable {
    case emptyStart = "starts without an address"
    case strayByte = "bytes outside a transfer or after a NACK"
    case strayStop = "stops without a start"
    case cutOffTransfer = "transfers cut off by the end of the capture"
    case silentCommand = "commands with missing or unknown output"
    case lostEvent = "transfers with missing events"
  }

  /// The number of the capture's current line, from 1.
  var line = 0
  /// The count of each omission.
  private(set) var omissions: [Omission: Int] = [:]
  /// The bus numbers that occur in the capture.
  private(set) var buses: Set<Int> = []
  /// The number of transfers emitted.
  private(set) var count = 0

  /// Whether any transfer has a recorded time.
  private(set) var hasTimes = false

  private let frequency: UInt64
  private let take: (TracedTransfer) -> Void
  private var origin: Int64?
  private var last: UInt64 = 0
  private var end: UInt64 = 0

  /// Creates a sink that computes missing durations from the bus frequency in Hz.
  init(frequency: UInt64, take: @escaping (TracedTransfer) -> Void) {
    self.frequency = frequency
    self.take = take
  }

  /// Advances the time by a pause in the capture.
  mutating func pause(nanoseconds: Int64) { end &+= UInt64(max(nanoseconds, 0)) }

  mutating func omit(_ omission: Omission) { omissions[omission, default: 0] += 1 }

  /// Emits a transfer.
  ///
  /// Without a recorded time, it starts when the previous transfer ends.
  mutating func emit(
    _ messages: [TracedMessage], error: I2CError? = nil, bus: Int, from begin: Int64? = nil,
    until stop: Int64? = nil
  ) throws(TraceError) {
    var transfer = TracedTransfer(
      time: end, duration: 0, bus: bus, messages: messages, error: error)
    if let begin {
      hasTimes = true
      let start = origin ?? begin
      origin = start
      let (time, overflow) = begin.subtractingReportingOverflow(start)
      guard !overflow, time >= Int64(clamping: last) else {
        throw TraceError(line: line, "the time decreases; lines are missing or reordered")
      }
      transfer.time = UInt64(time)
    }
    if let begin, let stop, stop >= begin {
      transfer.duration = UInt64(stop.subtractingReportingOverflow(begin).partialValue.magnitude)
    } else {
      transfer.duration = transfer.bits * 1_000_000_000 / frequency
    }
    last = transfer.time
    end = transfer.time &+ transfer.duration
    buses.insert(bus)
    count += 1
    take(transfer)
  }
}
