/// The function that does an instruction: it gets the state and the decoded instruction, and returns the next one.
typealias AvrHandler =
  @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> UnsafeRawPointer

/// A decoded instruction; one stands for each word of the flash.
struct AvrOp {
  /// What does it.
  var run: AvrHandler
  /// A constant or an address in the data space.
  var k: UInt16 = 0
  /// How many words away the instruction stands to which it jumps or skips.
  var offset: Int16 = 0
  /// The numbers of the registers: destination and source.
  var d: UInt8 = 0
  var r: UInt8 = 0
  /// The cycles it takes when it does not jump.
  var cycles: UInt8 = 1
  /// Its words: 1 or 2.
  var slots: UInt8 = 1

  /// Creates an instruction.
  init(_ run: AvrHandler) { self.run = run }
}
