/// The core's own registers, from 0xE0000000.
extension ArmCore {
  /// Reads one, in whatever width.
  func readControl(_ address: UInt32, bytes: UInt32) -> UInt32 {
    let word = readWord(address & ~3)
    return bytes == 4 ? word : word >> (address & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  private func readWord(_ address: UInt32) -> UInt32 {
    switch address {
    case 0xE000_1000: return control.watch | 0x4000_0000
    case 0xE000_1004: return control.count(at: cycles)
    case 0xE000_E004: return 3
    case 0xE000_E010: return tick.readControl()
    case 0xE000_E014: return tick.reload
    case 0xE000_E018: return tick.value(at: cycles)
    case 0xE000_E01C: return 0
    case 0xE000_E100..<0xE000_E400:
      let first = 16 + Int(address & 0x7F) * 8
      switch address >> 7 & 7 {
      case 2, 3: return bits(first, interrupts.isEnabled)
      case 4, 5: return bits(first, interrupts.isPending)
      default: return bits(first, interrupts.isActive)
      }
    case 0xE000_E400..<0xE000_E4F0: return priorities(16 + Int(address & 0xFF))
    case 0xE000_ED00..<0xE000_F000: return readBlock(address)
    default: return 0
    }
  }

  private func bits(_ first: Int, _ holds: (Int) -> Bool) -> UInt32 {
    (0..<32).reduce(0) { first + $1 < 256 && holds(first + $1) ? $0 | 1 << UInt32($1) : $0 }
  }

  private func priorities(_ first: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(interrupts[priorityOf: first + $1]) << UInt32($1 * 8) }
  }

  private func readBlock(_ address: UInt32) -> UInt32 {
    switch address {
    case 0xE000_ED00: return model.isBaseline ? 0x410C_C200 : 0x410F_C241
    case 0xE000_ED04: return interruptControl
    case 0xE000_ED08: return control.vectors
    case 0xE000_ED0C: return 0xFA05_0000 | interrupts.grouping << 8
    case 0xE000_ED10: return control.sleep
    case 0xE000_ED14: return control.configuration
    case 0xE000_ED18, 0xE000_ED1C, 0xE000_ED20: return priorities(Int(address & 0xFF) - 0x14)
    case 0xE000_ED24: return handlers
    case 0xE000_ED28: return control.faults
    case 0xE000_ED2C: return control.hardFaults
    case 0xE000_ED34: return control.protectionAddress
    case 0xE000_ED38: return control.faultAddress
    case 0xE000_ED88: return control.coprocessors
    case 0xE000_ED90..<0xE000_EDBC: return readProtection(address)
    case 0xE000_EDFC: return control.debug
    case 0xE000_EF34: return control.floatContext
    case 0xE000_EF38: return control.floatAddress
    case 0xE000_EF3C: return state.pointee.fpDefault
    case 0xE000_EF40: return model.hasFloat ? 0x1011_0021 : 0
    case 0xE000_EF44: return model.hasFloat ? 0x1100_0011 : 0
    default: return 0
    }
  }

  /// ICSR (ARMv7-M ARM B3.2.4, ARMv6-M ARM B3.2.4, which has no RETTOBASE).
  private var interruptControl: UInt32 {
    let current = state.pointee.exception
    var word = current
    if !model.isBaseline, !interrupts.isAnyActive(but: Int(current)) { word |= 1 << 11 }
    if let next = interrupts.next { word |= UInt32(next) << 12 }
    if interrupts.isAnyInterruptPending { word |= 1 << 22 }
    if interrupts.isPending(ArmInterrupts.sysTick) { word |= 1 << 26 }
    if interrupts.isPending(ArmInterrupts.pendSV) { word |= 1 << 28 }
    if interrupts.isPending(ArmInterrupts.nonMaskable) { word |= 1 << 31 }
    return word
  }

  /// SHCSR: which bit is which exception's.
  private static let activeBits = [(3, 0), (5, 1), (6, 3), (11, 7), (14, 10), (15, 11)].map {
    (number: $0.0 == 3 ? ArmInterrupts.memory : $0.0, bit: UInt32($0.1))
  }

  private var handlers: UInt32 {
    var word: UInt32 = 0
    for (number, bit) in Self.activeBits where interrupts.isActive(number) { word |= 1 << bit }
    for (index, number) in (4...6).enumerated() where interrupts.isEnabled(number) {
      word |= 1 << UInt32(16 + index)
    }
    return word
  }

  /// Writes one, in whatever width.
  func writeControl(_ address: UInt32, _ value: UInt32, bytes: UInt32) {
    if (0xE000_E400..<0xE000_E4F0).contains(address)
      || (0xE000_ED18..<0xE000_ED24).contains(address)
    {
      let first =
        address < 0xE000_ED00 ? 16 + Int(address & 0xFF) : Int(address & 0xFF) - 0x14
      for index in 0..<Int(bytes) {
        interrupts[priorityOf: first + index] =
          UInt8(truncatingIfNeeded: value >> UInt32(index * 8))
      }
    } else if bytes == 4 {
      writeWord(address, value)
    } else {
      let shift = address & 3 * 8
      let mask: UInt32 = (1 << (bytes * 8) - 1) << shift
      writeWord(address & ~3, readWord(address & ~3) & ~mask | value << shift & mask)
    }
    state.pointee.limit = 0
  }

  private func writeWord(_ address: UInt32, _ value: UInt32) {
    switch address {
    case 0xE000_1000:
      control.watch = value & 0x0FFF_FFFF
      control.refreshCount(at: cycles)
    case 0xE000_1004: control.setCount(value, at: cycles)
    case 0xE000_E010: tick.setControl(value, at: cycles)
    case 0xE000_E014: tick.reload = value & 0xFF_FFFF
    case 0xE000_E018: tick.clear(at: cycles)
    case 0xE000_E100..<0xE000_E300:
      let first = 16 + Int(address & 0x7F) * 8
      for bit in 0..<32 where value >> UInt32(bit) & 1 != 0 && first + bit < 256 {
        switch address >> 7 & 7 {
        case 2: interrupts.setEnabled(first + bit, true)
        case 3: interrupts.setEnabled(first + bit, false)
        case 4: pend(first + bit)
        // A line that is still high keeps its interrupt pending (Cortex-M4 Devices, "Level-sensitive and pulse interrupts").
        default: if !interrupts.isHigh(first + bit) { interrupts.setPending(first + bit, false) }
        }
      }
    case 0xE000_ED00..<0xE000_F000: writeBlock(address, value)
    default: break
    }
  }

  private func writeBlock(_ address: UInt32, _ value: UInt32) {
    switch address {
    case 0xE000_ED04:
      if value >> 31 & 1 != 0 { pend(ArmInterrupts.nonMaskable) }
      if value >> 28 & 1 != 0 { pend(ArmInterrupts.pendSV) }
      if value >> 27 & 1 != 0 { interrupts.setPending(ArmInterrupts.pendSV, false) }
      if value >> 26 & 1 != 0 { pend(ArmInterrupts.sysTick) }
      if value >> 25 & 1 != 0 { interrupts.setPending(ArmInterrupts.sysTick, false) }
    case 0xE000_ED08: control.vectors = value & ~0x7F
    case 0xE000_ED0C:
      guard value >> 16 == 0x05FA else { break }
      interrupts.grouping = value >> 8 & 7
      if value & 4 != 0 { wantsReset = true }
    case 0xE000_ED10: control.sleep = value & 0x16
    case 0xE000_ED14:
      control.configuration = value & 0x31B
      state.pointee.trapsUnaligned = value & 8 != 0
      state.pointee.trapsDivision = value & 16 != 0
    case 0xE000_ED24:
      for (index, number) in (4...6).enumerated() {
        interrupts.setEnabled(number, value >> UInt32(16 + index) & 1 != 0)
      }
      for (number, bit) in Self.activeBits {
        interrupts.setActive(number, value >> bit & 1 != 0)
      }
    case 0xE000_ED28: control.faults &= ~value
    case 0xE000_ED2C: control.hardFaults &= ~value
    case 0xE000_ED88:
      control.coprocessors = model.hasFloat ? value & 0xF0_0000 : 0
      control.mustForget = true
    case 0xE000_ED90..<0xE000_EDBC: writeProtection(address, value)
    case 0xE000_EDFC:
      control.debug = value
      control.refreshCount(at: cycles)
    case 0xE000_EF00: pend(16 + Int(value & 0x1FF) % 240)
    case 0xE000_EF34: control.floatContext = value & (0xC000_0000 | ArmControl.LateFrame.all)
    case 0xE000_EF38: control.floatAddress = value & ~7
    case 0xE000_EF3C: state.pointee.fpDefault = value & 0x07C0_0000
    default: break
    }
  }
}
