import I2C
import I2CTrace

/// The conditions and bytes of a transfer on the wires.
enum WireSymbol: Hashable, Sendable {
  /// A start or repeated start: SDA falls while SCL is high.
  case start
  /// Eight data bits and the acknowledge bit.
  case byte(UInt8, acknowledged: Bool)
  /// A stop: SDA rises while SCL is high.
  case stop

  /// The duration in bit times.
  var bits: UInt64 {
    if case .byte = self { 9 } else { 1 }
  }
}

extension TracedTransfer {
  /// The symbols on the wires; `nil` for a failure other than a NACK, because the trace does not
  /// record its symbols.
  ///
  /// A request that its adapter rejected did not reach the wires and has no symbols.
  var wire: [WireSymbol]? {
    switch error?.kind {
    case nil, .addressNack, .dataNack: break
    case .unsupported, .invalid: return []
    case .arbitrationLost, .busError, .timeOut, .noDevice: return nil
    }
    var symbols: [WireSymbol] = []
    for (index, message) in messages.enumerated() {
      let failure = error.flatMap { $0.message == index ? $0 : nil }
      let previous = index > 0 ? messages[index - 1].segment.address : nil
      message.add(to: &symbols, failure, isNamed: message.segment.address == previous)
      if failure != nil { break }
      if message.segment.flags.contains(.stop), index < messages.count - 1 {
        symbols.append(.stop)
      }
    }
    return symbols + [.stop]
  }

  /// The duration in bit times: 9 for each byte, and 1 for each start, repeated start and stop.
  var bits: UInt64 { wire?.reduce(0) { $0 + $1.bits } ?? 0 }
}

extension TracedMessage {
  /// Appends the symbols of a message; `isNamed` says that the previous message had the same
  /// target.
  fileprivate func add(to symbols: inout [WireSymbol], _ failure: I2CError?, isNamed: Bool) {
    let isRead = segment.direction == .read
    let isAnswered = failure?.kind != .addressNack
    if !segment.flags.contains(.noStart) {
      symbols.append(.start)
      addAddress(to: &symbols, isAnswered, isNamed)
    }
    guard isAnswered else { return }
    for (index, byte) in bytes.enumerated() {
      let isRefused = failure?.kind == .dataNack && failure?.byte == index
      let isLastRead = isRead && index == bytes.count - 1
      symbols.append(.byte(byte, acknowledged: !isRefused && !isLastRead))
      if isRefused { return }
    }
  }

  /// Appends the address byte, which contains seven address bits and the direction.
  ///
  /// For a ten-bit address, it appends a byte with the two high bits and, if necessary, a byte with
  /// the low bits.
  private func addAddress(to symbols: inout [WireSymbol], _ isAnswered: Bool, _ isNamed: Bool) {
    let address = segment.address.rawValue
    let direction: UInt8 = segment.direction == .read ? 1 : 0
    guard segment.flags.contains(.tenBit) || address > 0x7F else {
      symbols.append(.byte(UInt8(address) << 1 | direction, acknowledged: isAnswered))
      return
    }
    let high = 0xF0 | UInt8(address >> 7) & 0x06
    if direction == 0 || !isNamed {
      symbols.append(.byte(high, acknowledged: true))
      symbols.append(
        .byte(UInt8(truncatingIfNeeded: address), acknowledged: isAnswered || direction == 1))
      if direction == 0 { return }
      symbols.append(.start)
    }
    symbols.append(.byte(high | 1, acknowledged: isAnswered))
  }
}

/// Decodes the levels of SDA and SCL into symbols.
///
/// A change of SDA while SCL is high is a start or a stop, and a bit is sampled when SCL rises.
/// Glitches are not filtered, so the capture must be clean.
struct WireDecoder {
  private var assembler: WireAssembler
  private var sda = true
  private var scl = true
  /// The number of bits since the last byte or start.
  private var count = 0
  private var shift: UInt16 = 0

  init(bus: Int) { assembler = WireAssembler(bus: bus) }

  /// Applies the levels that begin at a time in nanoseconds.
  mutating func step(
    sda newSDA: Bool, scl newSCL: Bool, at time: Int64, _ sink: inout CaptureSink
  ) throws(TraceError) {
    defer { (sda, scl) = (newSDA, newSCL) }
    if scl, newSCL, sda != newSDA {
      // One of the counted bits was sampled at the rising edge of SCL that belongs to the condition
      // itself.
      if count > 1 { try assembler.interrupt(at: time, &sink) }
      count = 0
      if newSDA {
        try assembler.stop(at: time, &sink)
      } else {
        try assembler.start(at: time, &sink)
      }
    } else if !scl, newSCL {
      shift = shift << 1 | (newSDA ? 1 : 0)
      count += 1
      if count == 9 {
        assembler.byte(
          UInt8(truncatingIfNeeded: shift >> 1), acknowledged: shift & 1 == 0, &sink)
        count = 0
      }
    }
  }

  mutating func finish(_ sink: inout CaptureSink) { assembler.finish(&sink) }

}
