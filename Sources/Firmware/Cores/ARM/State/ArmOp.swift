/// The function that does an instruction: it gets the state and the decoded instruction, and returns the next one.
typealias ArmHandler =
  @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> UnsafeRawPointer

/// A decoded instruction; one stands for each halfword of a page of code.
struct ArmOp {
  /// What does it.
  var run: ArmHandler
  /// The immediate value, or a target's address.
  var imm: UInt32 = 0
  /// Where it stands.
  var address: UInt32
  /// The numbers of the registers: destination, first and second operand, a fourth.
  var d: UInt8 = 0
  var n: UInt8 = 0
  var m: UInt8 = 0
  var a: UInt8 = 0
  /// What else it says: a shift, a carry, an operation's number.
  var x: UInt8 = 0
  /// ITSTATE before it; 0 outside an IT block.
  var it: UInt8 = 0
  /// Its halfwords: 1 or 2, and 0 while it is not decoded.
  var slots: UInt8 = 1
  /// The cycles it takes when it does not jump.
  var cycles: UInt8 = 1

  /// Creates an instruction.
  init(_ run: ArmHandler, at address: UInt32) {
    self.run = run
    self.address = address
  }
}
