import I2C
import I2CTrace

/// What two wires show: the conditions and the bytes of a transfer.
enum WireSymbol: Hashable, Sendable {
  /// SDA falls while SCL is high; inside a transfer a repeated start.
  case start
  /// Eight bits and the answer to them.
  case byte(UInt8, acknowledged: Bool)
  /// SDA rises while SCL is high.
  case stop

  /// How many bit times it takes.
  var bits: UInt64 {
    if case .byte = self { 9 } else { 1 }
  }
}

extension TracedTransfer {
  /// What the wires showed, or `nil` where the trace does not say: of failures other than a NACK.
  ///
  /// A request that its adapter refused never reached the wires; it shows nothing, and that is known.
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

  /// How many bit times its wires were busy: 9 a byte, 1 for each start, repeated start and stop.
  var bits: UInt64 { wire?.reduce(0) { $0 + $1.bits } ?? 0 }
}

extension TracedMessage {
  /// Adds a message; `isNamed` when the one before went to the same target.
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

  /// Seven bits and the direction; of ten bits the two high ones, and the low ones where they are sent.
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
