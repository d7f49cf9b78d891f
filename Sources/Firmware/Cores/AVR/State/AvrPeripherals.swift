/// What stands around an AVR core: its I/O registers, and what its few special instructions reach.
///
/// The core calls it on the thread that runs it. The stack pointer and the status register are the core's own and are
/// never asked for here.
package protocol AvrPeripherals: AnyObject {
  /// Reads an I/O register.
  ///
  /// - Parameter address: in the data space: 0x20 is the first I/O register.
  /// - Returns: what it holds.
  func read(_ address: UInt16) -> UInt8

  /// Writes an I/O register, by its address in the data space.
  func write(_ address: UInt16, _ value: UInt8)

  /// SBI and CBI: changes one bit of an I/O register and touches no other, so that a flag which a written 1 clears is
  /// cleared alone.
  func change(_ address: UInt16, bit: UInt8, to isSet: Bool)

  /// An interrupt is taken: a flag that its vector clears is cleared.
  func acknowledge(_ vector: Int)

  /// SLEEP: whether the core stops until an interrupt.
  func sleep() -> Bool

  /// WDR.
  func resetWatchdog()

  /// SPM: what Z points to, and the word in R1 and R0.
  func storeProgram(_ address: UInt16, _ word: UInt16)

  /// LPM while the flash does not answer as usual.
  ///
  /// - Returns: what is read there: fuses, the signature, or what stands in the flash.
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8
}
