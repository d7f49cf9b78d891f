import I2C
import Machines

/// TWI: one byte at a time through TXD and RXD.
extension TwoWireUnit {
  func legacyDidEnd(at cycle: UInt64) {
    switch step {
    case .address(let way):
      hold()
      if let outcome { return lose(outcome, at: cycle) }
      if way == .read, !wantsStop, !wantsSuspend { return receive(at: cycle) }
      pause(at: cycle)
    case .write:
      hold()
      if let outcome {
        (waiting, isLost) = (nil, true)
        fail(outcome, at: cycle)
      }
      raise(Event.sent, at: cycle)
      raise(Event.boundary, at: cycle)
      pause(at: cycle)
    case .read:
      step = .read(0)
      if unread != nil {
        failures |= Failure.overrun
        raise(Event.error, at: cycle)
      }
      unread = byte
      if let outcome { fail(outcome, at: cycle) }
      raise(Event.received, at: cycle)
      raise(Event.boundary, at: cycle)
      hold()
      pause(at: cycle)
    default: break
    }
  }

  private func lose(_ kind: I2CError.Kind, at cycle: UInt64) {
    (waiting, isLost) = (nil, true)
    fail(kind, at: cycle)
    if isMoving { return }
    if wantsStop { end(at: cycle) } else { _ = suspends(at: cycle) }
  }

  /// Does what was asked for while a byte was on its way, or goes on.
  private func pause(at cycle: UInt64) {
    if suspends(at: cycle) { return }
    goOn(at: cycle)
  }

  func legacyGoesOn(at cycle: UInt64) {
    guard !isLost else { return }
    if direction == .read {
      receive(at: cycle)
    } else if let byte = waiting {
      waiting = nil
      transmit(byte, at: cycle)
    }
  }

  private func receive(at cycle: UInt64) {
    let reply = wire.read(acknowledging: true, at: die.nanoseconds(cycle))
    wait(for: reply, as: .read(0), from: cycle)
  }

  private func transmit(_ byte: UInt8, at cycle: UInt64) {
    lastByte = byte
    wait(for: wire.write(byte, at: die.nanoseconds(cycle)), as: .write(0), from: cycle)
  }

  /// A write of TXD.
  func write(_ byte: UInt8) {
    guard isLegacy, direction == .write else { return }
    if case .held = step, !isSuspended { transmit(byte, at: die.now) } else { waiting = byte }
  }

  /// A read of RXD, which makes room for the next byte.
  func readByte() -> UInt32 {
    if let byte = unread { lastByte = byte }
    unread = nil
    return UInt32(lastByte)
  }
}
