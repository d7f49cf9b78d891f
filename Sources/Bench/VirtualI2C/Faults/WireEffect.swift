import I2C

/// What a fault does to one message on the wire, whatever adapter the message is on.
///
/// In this order: SCL is held, then the address is refused, or another chip answers; then the bytes come, of which one
/// may be refused or some spoilt.
struct WireEffect {
  /// For how long SCL is held low behind the address, in nanoseconds.
  var holdTime: UInt64 = 0
  /// With what the message ends at its address; where that is a time-out, the bus was held until the adapter gave up.
  var refusal: I2CError.Kind?
  /// How many clocks the adapter gives to free the bus behind a time-out.
  var freeingClocks: UInt64 = 0
  /// What all registers of the chip read that answers instead of the target; `nil` where the target does.
  var standIn: UInt8?
  /// The index of the written byte that is not acknowledged.
  var refusedByte: Int?
  /// Which bits of which read byte are inverted.
  private var flip: (byte: Int, mask: UInt8) = (0, 0)
  /// How many bytes of a read the target drives; behind them SDA is high.
  private var drivenBytes = Int.max

  /// Creates what a kind of fault does; `nil` where it is none of the wire.
  init?(_ kind: PlannedFault.Kind) {
    switch kind {
    case .addressNack: refusal = .addressNack
    case .arbitrationLost: refusal = .arbitrationLost
    case .busError: refusal = .busError
    case .dataStuck: (refusal, freeingClocks) = (.timeOut, 9)
    case .clockStuck: refusal = .timeOut
    case .clockStretch(let length): holdTime = length
    case .otherTarget(let value): standIn = value
    case .dataNack(let byte): refusedByte = byte
    case .bitFlip(let byte, let mask): flip = (byte, mask)
    case .shortRead(let bytes): drivenBytes = bytes
    case .powerLoss, .condition, .frameLate, .frameLost, .frameRepeated: return nil
    }
  }

  /// What is read where the target gave a byte.
  func spoilt(_ value: UInt8, at byte: Int) -> UInt8 {
    guard byte < drivenBytes else { return 0xFF }
    return byte == flip.byte ? value ^ flip.mask : value
  }

  /// Whether nothing behind its message is sent, on an adapter that bears stretching up to a limit in nanoseconds.
  func endsTransfer(within limit: UInt64) -> Bool {
    refusal != nil || refusedByte != nil || holdTime > limit
  }
}
