import I2C
import Machines

/// The registers that TWI does not share with TWIM, by their offset in the common page.
package enum TWI {
  package static let EVENTS_RXDREADY: UInt32 = 0x108
  package static let EVENTS_TXDSENT: UInt32 = 0x11C
  package static let EVENTS_BB: UInt32 = 0x138
  package static let RXD: UInt32 = 0x518
  package static let TXD: UInt32 = 0x51C
}

/// TWI: one byte at a time through TXD and RXD.
extension TWIM {
  func legacyDidEnd(at cycle: UInt64) {
    switch step {
    case .address(let way):
      hold()
      if let outcome { return abort(outcome, at: cycle) }
      if way == .read, !wantsStop, !wantsSuspend { return receive(at: cycle) }
      pause(at: cycle)
    case .write:
      hold()
      if let outcome {
        (waiting, isLost) = (nil, true)
        fail(outcome, at: cycle)
      }
      raise(TWI.EVENTS_TXDSENT, at: cycle)
      raise(TWI.EVENTS_BB, at: cycle)
      pause(at: cycle)
    case .read:
      step = .read(0)
      if unread != nil {
        failures |= Failure.OVERRUN
        raise(TWIM.EVENTS_ERROR, at: cycle)
      }
      unread = byte
      if let outcome { fail(outcome, at: cycle) }
      raise(TWI.EVENTS_RXDREADY, at: cycle)
      raise(TWI.EVENTS_BB, at: cycle)
      hold()
      pause(at: cycle)
    default: break
    }
  }

  private func abort(_ kind: I2CError.Kind, at cycle: UInt64) {
    (waiting, isLost) = (nil, true)
    fail(kind, at: cycle)
    if isMoving { return }
    if wantsStop { end(at: cycle) } else { _ = suspends(at: cycle) }
  }

  /// Performs the tasks that became pending during a byte, or continues.
  private func pause(at cycle: UInt64) {
    if suspends(at: cycle) { return }
    proceed(at: cycle)
  }

  func legacyProceed(at cycle: UInt64) {
    guard !isLost else { return }
    if direction == .read {
      receive(at: cycle)
    } else if let byte = waiting {
      waiting = nil
      transmit(byte, at: cycle)
    }
  }

  private func receive(at cycle: UInt64) {
    let reply = wire.read(acknowledging: true, at: chip.nanoseconds(cycle))
    wait(for: reply, as: .read(0), from: cycle)
  }

  private func transmit(_ byte: UInt8, at cycle: UInt64) {
    lastByte = byte
    wait(for: wire.write(byte, at: chip.nanoseconds(cycle)), as: .write(0), from: cycle)
  }

  /// Applies a write of TXD.
  func write(_ byte: UInt8) {
    guard isLegacy, direction == .write else { return }
    if case .held = step, !isSuspended { transmit(byte, at: chip.now) } else { waiting = byte }
  }

  /// Reads RXD, which frees it for the next byte.
  func readByte() -> UInt32 {
    if let byte = unread { lastByte = byte }
    unread = nil
    return UInt32(lastByte)
  }
}
