import Cores
import Machines

/// A peripheral with registers of 32 bits, of which each is defined with what can be written and its value after a reset.
///
/// Registers that are not defined behave as memory, and the ledger is told.
class Peripheral: BusDevice {
  unowned let chip: Silicon
  let base: UInt32
  private var words: [UInt32]
  private var masks: [UInt32]
  private var resets: [UInt32]
  private var isDefined: [Bool]

  init(at base: UInt32, count: UInt32 = 0x400, _ chip: Silicon) {
    self.chip = chip
    self.base = base
    let registers = Int(count / 4)
    words = Array(repeating: 0, count: registers)
    masks = Array(repeating: .max, count: registers)
    resets = words
    isDefined = Array(repeating: false, count: registers)
    chip.add(self, count: count)
  }

  /// Defines a register.
  final func define(_ offset: UInt32, mask: UInt32 = .max, reset: UInt32 = 0) {
    let index = Int(offset / 4)
    (masks[index], resets[index], words[index]) = (mask, reset, reset)
    isDefined[index] = true
  }

  /// What a register holds.
  final subscript(offset: UInt32) -> UInt32 {
    get { words[Int(offset / 4)] }
    set { words[Int(offset / 4)] = newValue }
  }

  /// Brings all registers to their values after a reset.
  func reset() { words = resets }

  /// The value that a program reads, with the effects that reading has.
  func load(_ offset: UInt32) -> UInt32 { self[offset] }

  /// Does what a program's store does; the register holds the new value by then.
  func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {}

  /// The frequency of the clocks is about to change, or has changed.
  func clocksWillChange() {}
  func clocksDidChange() {}

  final func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    chip.run.polls.didRead()
    note(offset, bytes, isWrite: false)
    let word = load(offset & ~3)
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  final func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    chip.run.polls.didWrite()
    note(offset, bytes, isWrite: true)
    let place = offset & ~3
    let before = self[place]
    var word = value
    if bytes < 4 {
      let shift = offset & 3 * 8
      let lanes: UInt32 = (1 << (bytes * 8) - 1) << shift
      word = before & ~lanes | value << shift & lanes
    }
    let mask = masks[Int(place / 4)]
    self[place] = before & ~mask | word & mask
    didStore(place, word, before: before)
    return true
  }

  private func note(_ offset: UInt32, _ bytes: UInt32, isWrite: Bool) {
    if !isDefined[Int(offset / 4)] {
      chip.run.untouched.note(base + offset & ~3, bytes: bytes, isWrite: isWrite)
    }
  }
}
