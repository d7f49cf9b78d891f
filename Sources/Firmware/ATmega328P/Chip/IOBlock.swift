/// A peripheral: some I/O registers with what they do.
class IOBlock {
  /// The addresses of its registers in the data space.
  var addresses: [UInt16] { [] }
  /// The interrupts of which it wants to know when they are taken.
  var vectors: [Vector] { [] }

  /// Reads a register.
  func read(_ address: UInt16) -> UInt8 { 0 }
  /// Writes a register.
  func write(_ address: UInt16, _ value: UInt8) {}
  /// An interrupt of its own is taken: a flag that it clears is cleared.
  func acknowledge(_ vector: Vector) {}
  /// All registers get their values after a reset.
  func reset() {}
  /// The clock of the peripherals stops, in the deeper sleep modes, or goes on.
  func clock(runs: Bool) {}
}
