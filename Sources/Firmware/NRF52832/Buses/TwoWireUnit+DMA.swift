import I2C
import Machines

/// TWIM: whole messages between the wire and RAM.
extension TwoWireUnit {
  /// Takes the pointer and the count of a message, as its start does.
  func latch(_ direction: I2CSegment.Direction, at cycle: UInt64) -> I2CWirePlan {
    if direction == .write {
      (pointer, count, sent) = (self[0x544], Int(self[0x548]), 0)
      raise(Event.writeStarted, at: cycle)
      return I2CWirePlan(count: count, first: count > 0 ? memory(0) : nil)
    }
    (pointer, count, received) = (self[0x534], Int(self[0x538]), 0)
    raise(Event.readStarted, at: cycle)
    return I2CWirePlan(count: count)
  }

  /// A byte of the buffer.
  ///
  /// EasyDMA reaches RAM only: what lies elsewhere reads 0, and the ledger is told of the pointer.
  private func memory(_ index: Int) -> UInt8 {
    if let byte = die.readRAM(pointer &+ UInt32(index)) { return byte }
    die.noteOutsideRAM(base + 0x544, "TXD.PTR")
    return 0
  }

  func dmaDidEnd(at cycle: UInt64) {
    switch step {
    case .address(let way):
      if let outcome { return lose(outcome, at: cycle) }
      move(0, way, at: cycle)
    case .write(let index):
      sent += 1
      if let outcome { return lose(outcome, at: cycle) }
      move(index + 1, .write, at: cycle)
    case .read(let index):
      if !die.writeRAM(pointer &+ UInt32(index), byte) {
        die.noteOutsideRAM(base + 0x534, "RXD.PTR")
      }
      received += 1
      if let outcome { return lose(outcome, at: cycle) }
      move(index + 1, .read, at: cycle)
    default: break
    }
  }

  /// Tells of a failure; the bus stays held until the program stops it.
  private func lose(_ kind: I2CError.Kind, at cycle: UInt64) {
    (count, isLost) = (0, true)
    hold()
    fail(kind, at: cycle)
    if isMoving { return }
    // EVENTS_SUSPENDED: "Last byte has been sent out after the SUSPEND task has been issued" (PS v1.4, TWIM), also where
    // that byte was not acknowledged.
    if wantsStop { end(at: cycle) } else { _ = suspends(at: cycle) }
  }

  /// Moves the byte of an index, or ends the message behind the last one.
  private func move(_ index: Int, _ way: I2CSegment.Direction, at cycle: UInt64) {
    guard index < count else { return messageDidEnd(at: cycle) }
    if wantsStop { return end(at: cycle) }
    if suspends(at: cycle) { return }
    // The shortcuts of the last byte ask for what comes behind it while it is on its way.
    step = way == .write ? .write(index) : .read(index)
    if index == count - 1 {
      raise(way == .write ? Event.lastWrite : Event.lastRead, at: cycle)
    }
    let time = die.nanoseconds(cycle)
    let reply =
      way == .write
      ? wire.write(memory(index), at: time)
      : wire.read(acknowledging: index < count - 1, at: time)
    wait(for: reply, as: step, from: cycle)
  }

  private func messageDidEnd(at cycle: UInt64) {
    hold()
    if suspends(at: cycle) { return }
    goOn(at: cycle)
  }

  func dmaGoesOn(at cycle: UInt64) {
    let moved = Int(direction == .write ? sent : received)
    if moved < count { move(moved, direction, at: cycle) } else { hold() }
  }
}
