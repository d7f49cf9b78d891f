import I2C
import I2CTrace

/// Puts the symbols of a bus together to transfers.
///
/// The errno that a program saw is not on the wires: ENXIO stands for an address that nobody acknowledged,
/// EIO for a byte.
struct WireAssembler {
  /// What the next byte is.
  private enum Expectation {
    case address
    /// The low eight bits of an address of ten, whose high bits were sent.
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

  /// A start, or a repeated one.
  mutating func start(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    if isOpen, error != nil { try end(at: time, &sink) }
    if isOpen {
      if case .address = expectation { sink.leaveOut(.emptyStart) }
    } else {
      isOpen = true
      begin = time
    }
    expectation = .address
  }

  /// A byte and the answer to it.
  mutating func byte(_ value: UInt8, acknowledged: Bool, _ sink: inout CaptureSink) {
    guard isOpen, error == nil else { return sink.leaveOut(.strayByte) }
    switch expectation {
    case .address: address(value, acknowledged)
    case .addressLow(let high):
      let address = I2CAddress(rawValue: high << 8 | UInt16(value)) ?? 0
      open(I2CSegment(address: address, direction: .write, count: 0, flags: .tenBit), acknowledged)
    case .data: data(value, acknowledged)
    }
  }

  /// A stop.
  mutating func stop(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    guard isOpen else { return sink.leaveOut(.strayStop) }
    if case .address = expectation { sink.leaveOut(.emptyStart) }
    try end(at: time, &sink)
  }

  /// A start or a stop in the middle of a byte.
  mutating func breakOff(at time: Int64?, _ sink: inout CaptureSink) throws(TraceError) {
    guard isOpen, !messages.isEmpty else { return sink.leaveOut(.strayByte) }
    error = I2CError(.busError, message: messages.count - 1, errno: .eio)
    try end(at: time, &sink)
  }

  /// The capture ends.
  mutating func finish(_ sink: inout CaptureSink) {
    if isOpen, !messages.isEmpty { sink.leaveOut(.cutOffTransfer) }
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
      // To read, a target of ten bits is addressed by its high bits after a write has named it whole.
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
