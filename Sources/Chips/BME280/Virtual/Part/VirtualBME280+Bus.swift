public import I2C
public import VirtualI2C

extension VirtualBME280 {
  /// Sees its address: a write begins with a register address.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    guard answers else { return false }
    if isInBurst, options.unknown.burstEnd == .start { endBurst() }
    if direction == .write { expectsRegister = true }
    return true
  }

  /// Takes a register address or, after one, its data: pairs, never auto-incremented (DS 6.2.1).
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    if expectsRegister {
      pointer = byte
    } else {
      advance(to: time.nanoseconds)
      guard options.unknown.readOnlyWrite == .ack || isWritable(pointer) else { return false }
      write(byte, to: pointer, at: time.nanoseconds)
      if options.unknown.pointerAfterPair == .next { pointer &+= 1 }
    }
    expectsRegister.toggle()
    return true
  }

  /// Gives the register under the pointer and moves on; the first data register freezes them all.
  public func read(at time: inout WireTime) -> UInt8 {
    let now = time.nanoseconds
    advance(to: now)
    if Self.dataRegisters.contains(pointer) { isInBurst = true }
    let value = value(of: pointer, at: now)
    if pointer < 0xFF || options.unknown.pastEnd == .wrap { pointer &+= 1 }
    return value
  }

  /// Ends a burst: what was measured meanwhile becomes visible (DS 4.1).
  public func stop(at time: inout WireTime) {
    guard isInBurst else { return }
    advance(to: time.nanoseconds)
    endBurst()
  }

  private static var dataRegisters: ClosedRange<UInt8> { 0xF7...0xFE }

  private func endBurst() {
    isInBurst = false
    visible = latest
  }

  /// Whether the part acknowledges its address.
  private var answers: Bool {
    guard hasInterfaceSupply else { return false }
    switch phase {
    case .off: return false
    case .starting: return options.unknown.unreadable != .nack
    default: return true
    }
  }
}
