/// Arithmetic that sets flags, as the instruction set manual gives it.
extension AvrStep {
  /// Sets N, Z, V and S from a result and the bit 7 of an overflow.
  @inline(__always)
  func setFlags(_ result: UInt8, overflow: UInt8) {
    cpu.pointee.zero = result
    cpu.pointee.negative = result
    cpu.pointee.overflow = overflow
    cpu.pointee.sign = result ^ overflow
  }

  /// The sum, with all its flags.
  @inline(__always)
  func add(_ a: UInt8, _ b: UInt8, _ carry: UInt8) -> UInt8 {
    let result = a &+ b &+ carry
    let carries = a & b | (a | b) & ~result
    cpu.pointee.carry = carries &>> 7
    cpu.pointee.half = carries
    setFlags(result, overflow: (a ^ result) & (b ^ result))
    return result
  }

  /// The difference, with all its flags; Z stays clear where it was when `keepsZero` says so.
  @inline(__always)
  func subtract(_ a: UInt8, _ b: UInt8, _ borrow: UInt8, keepsZero: Bool = false) -> UInt8 {
    let result = a &- b &- borrow
    let borrows = ~a & b | (~a | b) & result
    let before = cpu.pointee.zero
    cpu.pointee.carry = borrows &>> 7
    cpu.pointee.half = borrows
    setFlags(result, overflow: (a ^ b) & (a ^ result))
    if keepsZero { cpu.pointee.zero = result | before }
    return result
  }

  /// N, Z, V and S of a word, and its carry; H stays.
  @inline(__always)
  func setWide(_ result: UInt16, overflow: UInt16, carry: UInt16) {
    cpu.pointee.zero = UInt8(truncatingIfNeeded: result | result &>> 8)
    cpu.pointee.negative = UInt8(truncatingIfNeeded: result &>> 8)
    cpu.pointee.overflow = UInt8(truncatingIfNeeded: overflow &>> 8)
    cpu.pointee.sign = UInt8(truncatingIfNeeded: (result ^ overflow) &>> 8)
    cpu.pointee.carry = UInt8(truncatingIfNeeded: carry &>> 15)
  }
}
