/// Sums with their flags, and shifts.
extension ArmStep {
  /// `a + b + carry`, with all flags.
  @inline(__always)
  func addSetting(_ a: UInt32, _ b: UInt32, _ carry: UInt32) -> UInt32 {
    let wide = UInt64(a) &+ UInt64(b) &+ UInt64(carry)
    let result = UInt32(truncatingIfNeeded: wide)
    setNZ(result)
    cpu.pointee.carry = UInt32(truncatingIfNeeded: wide &>> 32)
    cpu.pointee.overflow = (a ^ result) & (b ^ result)
    return result
  }

  /// A value shifted by an immediate: type 0 LSL, 1 LSR, 2 ASR, 3 ROR, 4 RRX, and its carry.
  @inline(__always)
  func shifted(_ value: UInt32, _ type: UInt8, _ amount: UInt32) -> (UInt32, carry: UInt32) {
    switch type {
    case 0:
      if amount == 0 { return (value, cpu.pointee.carry) }
      return (value &<< amount, value &>> (32 &- amount) & 1)
    case 1:
      if amount == 32 { return (0, value &>> 31) }
      return (value &>> amount, value &>> (amount &- 1) & 1)
    case 2:
      let signed = Int32(bitPattern: value)
      if amount == 32 { return (UInt32(bitPattern: signed &>> 31), value &>> 31) }
      return (UInt32(bitPattern: signed &>> Int32(amount)), value &>> (amount &- 1) & 1)
    case 3:
      let result = value &>> amount | value &<< (32 &- amount)
      return (result, result &>> 31)
    default: return (value &>> 1 | cpu.pointee.carry &<< 31, value & 1)
    }
  }

  /// A value shifted by the lowest byte of a register, and its carry.
  @inline(__always)
  func shiftedByRegister(_ value: UInt32, _ type: UInt8, _ by: UInt32) -> (UInt32, carry: UInt32) {
    let amount = by & 0xFF
    if amount == 0 { return (value, cpu.pointee.carry) }
    switch type {
    case 0:
      if amount > 32 { return (0, 0) }
      return amount == 32 ? (0, value & 1) : shifted(value, 0, amount)
    case 1: return amount > 32 ? (0, 0) : shifted(value, 1, amount)
    case 2: return shifted(value, 2, min(amount, 32))
    default:
      let turn = amount & 31
      return turn == 0 ? (value, value &>> 31) : shifted(value, 3, turn)
    }
  }
}
