/// The system control space and the debug registers, from 0xE0000000.
extension ArmCore {
  /// Reads 1, 2 or 4 bytes of a register.
  func readControl(_ address: UInt32, bytes: UInt32) -> UInt32 {
    let word = readWord(address & ~3)
    return bytes == 4 ? word : word >> (address & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  private func readWord(_ address: UInt32) -> UInt32 {
    switch address {
    case ControlRegister.dwtCtrl: return control.watch | 0x4000_0000
    case ControlRegister.dwtCyccnt: return control.count(at: cycles)
    case ControlRegister.ictr: return 3
    case ControlRegister.systCsr: return tick.readControl()
    case ControlRegister.systRvr: return tick.reload
    case ControlRegister.systCvr: return tick.value(at: cycles)
    case ControlRegister.systCalib: return 0
    case ControlRegister.iser..<ControlRegister.ipr:
      let first = 16 + Int(address & 0x7F) * 8
      switch address >> 7 & 7 {
      case 2, 3: return bits(first, interrupts.isEnabled)
      case 4, 5: return bits(first, interrupts.isPending)
      default: return bits(first, interrupts.isActive)
      }
    case ControlRegister.ipr..<ControlRegister.iprEnd: return priorities(16 + Int(address & 0xFF))
    case ControlRegister.cpuid..<ControlRegister.end: return readBlock(address)
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
    case ControlRegister.cpuid: return model.isBaseline ? 0x410C_C200 : 0x410F_C241
    case ControlRegister.icsr: return interruptControl
    case ControlRegister.vtor: return control.vectors
    case ControlRegister.aircr: return 0xFA05_0000 | interrupts.grouping << 8
    case ControlRegister.scr: return control.sleep
    case ControlRegister.ccr: return control.configuration
    case ControlRegister.shpr1, ControlRegister.shpr2, ControlRegister.shpr3:
      return priorities(Int(address & 0xFF) - 0x14)
    case ControlRegister.shcsr: return handlers
    case ControlRegister.cfsr: return control.faults
    case ControlRegister.hfsr: return control.hardFaults
    case ControlRegister.mmfar: return control.protectionAddress
    case ControlRegister.bfar: return control.faultAddress
    case ControlRegister.cpacr: return control.coprocessors
    case ControlRegister.mpuType..<ControlRegister.mpuEnd: return readProtection(address)
    case ControlRegister.demcr: return control.debug
    case ControlRegister.fpccr: return control.floatContext
    case ControlRegister.fpcar: return control.floatAddress
    case ControlRegister.fpdscr: return state.pointee.fpDefault
    case ControlRegister.mvfr0: return model.hasFloat ? 0x1011_0021 : 0
    case ControlRegister.mvfr1: return model.hasFloat ? 0x1100_0011 : 0
    default: return 0
    }
  }

  /// ICSR (ARMv7-M ARM B3.2.4 and ARMv6-M ARM B3.2.4; ARMv6-M has no RETTOBASE).
  private var interruptControl: UInt32 {
    let current = state.pointee.exception
    var word = current
    if !model.isBaseline, !interrupts.isAnyActive(but: Int(current)) { word |= 1 << 11 }
    if let next = interrupts.next { word |= UInt32(next) << 12 }
    if interrupts.isAnyInterruptPending { word |= 1 << 22 }
    if interrupts.isPending(ArmNVIC.sysTick) { word |= 1 << 26 }
    if interrupts.isPending(ArmNVIC.pendSV) { word |= 1 << 28 }
    if interrupts.isPending(ArmNVIC.nonMaskable) { word |= 1 << 31 }
    return word
  }

  /// Exception numbers and the positions of their active bits in SHCSR.
  ///
  /// HardFault has no such bit, so number 3 in this list means MemManage.
  private static let activeBits = [(3, 0), (5, 1), (6, 3), (11, 7), (14, 10), (15, 11)].map {
    (number: $0.0 == 3 ? ArmNVIC.memory : $0.0, bit: UInt32($0.1))
  }

  private var handlers: UInt32 {
    var word: UInt32 = 0
    for (number, bit) in Self.activeBits where interrupts.isActive(number) { word |= 1 << bit }
    for (index, number) in (4...6).enumerated() where interrupts.isEnabled(number) {
      word |= 1 << UInt32(16 + index)
    }
    return word
  }

  /// Writes 1, 2 or 4 bytes of a register.
  func writeControl(_ address: UInt32, _ value: UInt32, bytes: UInt32) {
    if (ControlRegister.ipr..<ControlRegister.iprEnd).contains(address)
      || (ControlRegister.shpr1..<ControlRegister.shcsr).contains(address)
    {
      let first =
        address < ControlRegister.cpuid ? 16 + Int(address & 0xFF) : Int(address & 0xFF) - 0x14
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
    case ControlRegister.dwtCtrl:
      control.watch = value & 0x0FFF_FFFF
      control.refreshCount(at: cycles)
    case ControlRegister.dwtCyccnt: control.setCount(value, at: cycles)
    case ControlRegister.systCsr: tick.setControl(value, at: cycles)
    case ControlRegister.systRvr: tick.reload = value & 0xFF_FFFF
    case ControlRegister.systCvr: tick.clear(at: cycles)
    case ControlRegister.iser..<ControlRegister.iabr:
      let first = 16 + Int(address & 0x7F) * 8
      for bit in 0..<32 where value >> UInt32(bit) & 1 != 0 && first + bit < 256 {
        switch address >> 7 & 7 {
        case 2: interrupts.setEnabled(first + bit, true)
        case 3: interrupts.setEnabled(first + bit, false)
        case 4: pend(first + bit)
        // An interrupt whose line is still high stays pending (Cortex-M4 Devices, "Level-sensitive and pulse
        // interrupts").
        default: if !interrupts.isHigh(first + bit) { interrupts.setPending(first + bit, false) }
        }
      }
    case ControlRegister.cpuid..<ControlRegister.end: writeBlock(address, value)
    default: break
    }
  }

  private func writeBlock(_ address: UInt32, _ value: UInt32) {
    switch address {
    case ControlRegister.icsr:
      if value >> 31 & 1 != 0 { pend(ArmNVIC.nonMaskable) }
      if value >> 28 & 1 != 0 { pend(ArmNVIC.pendSV) }
      if value >> 27 & 1 != 0 { interrupts.setPending(ArmNVIC.pendSV, false) }
      if value >> 26 & 1 != 0 { pend(ArmNVIC.sysTick) }
      if value >> 25 & 1 != 0 { interrupts.setPending(ArmNVIC.sysTick, false) }
    case ControlRegister.vtor: control.vectors = value & ~0x7F
    case ControlRegister.aircr:
      guard value >> 16 == 0x05FA else { break }
      interrupts.grouping = value >> 8 & 7
      if value & 4 != 0 { wantsReset = true }
    case ControlRegister.scr: control.sleep = value & 0x16
    case ControlRegister.ccr:
      control.configuration = value & 0x31B
      state.pointee.trapsUnaligned = value & 8 != 0
      state.pointee.trapsDivision = value & 16 != 0
    case ControlRegister.shcsr:
      for (index, number) in (4...6).enumerated() {
        interrupts.setEnabled(number, value >> UInt32(16 + index) & 1 != 0)
      }
      for (number, bit) in Self.activeBits {
        interrupts.setActive(number, value >> bit & 1 != 0)
      }
    case ControlRegister.cfsr: control.faults &= ~value
    case ControlRegister.hfsr: control.hardFaults &= ~value
    case ControlRegister.cpacr:
      control.coprocessors = model.hasFloat ? value & 0xF0_0000 : 0
      control.mustDiscardDecoded = true
    case ControlRegister.mpuType..<ControlRegister.mpuEnd: writeProtection(address, value)
    case ControlRegister.demcr:
      control.debug = value
      control.refreshCount(at: cycles)
    case ControlRegister.stir: pend(16 + Int(value & 0x1FF) % 240)
    case ControlRegister.fpccr: control.floatContext = value & (0xC000_0000 | ArmSCB.LazyFrame.all)
    case ControlRegister.fpcar: control.floatAddress = value & ~7
    case ControlRegister.fpdscr: state.pointee.fpDefault = value & 0x07C0_0000
    default: break
    }
  }
}

/// Addresses of core registers, named as in the ARMv7-M architecture (Arm DDI 0403E, B3.2.2).
enum ControlRegister {
  // DWT and DEMCR.
  static let dwtCtrl: UInt32 = 0xE000_1000
  static let dwtCyccnt: UInt32 = 0xE000_1004
  static let demcr: UInt32 = 0xE000_EDFC

  // SysTick.
  static let systCsr: UInt32 = 0xE000_E010
  static let systRvr: UInt32 = 0xE000_E014
  static let systCvr: UInt32 = 0xE000_E018
  static let systCalib: UInt32 = 0xE000_E01C

  // NVIC: ISER, ICER, ISPR, ICPR, IABR and IPR.
  static let ictr: UInt32 = 0xE000_E004
  static let iser: UInt32 = 0xE000_E100
  static let iabr: UInt32 = 0xE000_E300
  static let ipr: UInt32 = 0xE000_E400
  static let iprEnd: UInt32 = 0xE000_E4F0
  static let stir: UInt32 = 0xE000_EF00

  // System control block.
  static let cpuid: UInt32 = 0xE000_ED00
  static let icsr: UInt32 = 0xE000_ED04
  static let vtor: UInt32 = 0xE000_ED08
  static let aircr: UInt32 = 0xE000_ED0C
  static let scr: UInt32 = 0xE000_ED10
  static let ccr: UInt32 = 0xE000_ED14
  static let shpr1: UInt32 = 0xE000_ED18
  static let shpr2: UInt32 = 0xE000_ED1C
  static let shpr3: UInt32 = 0xE000_ED20
  static let shcsr: UInt32 = 0xE000_ED24
  static let cfsr: UInt32 = 0xE000_ED28
  static let hfsr: UInt32 = 0xE000_ED2C
  static let mmfar: UInt32 = 0xE000_ED34
  static let bfar: UInt32 = 0xE000_ED38
  static let cpacr: UInt32 = 0xE000_ED88
  static let end: UInt32 = 0xE000_F000

  // MPU.
  static let mpuType: UInt32 = 0xE000_ED90
  static let mpuCtrl: UInt32 = 0xE000_ED94
  static let mpuRnr: UInt32 = 0xE000_ED98
  static let mpuRbar: UInt32 = 0xE000_ED9C
  static let mpuEnd: UInt32 = 0xE000_EDBC

  /// Returns whether an address is RBAR or one of its aliases RBAR_A1 to RBAR_A3; RASR follows each of them.
  static func isRbar(_ address: UInt32) -> Bool { address >= mpuRbar && address & 7 == 4 }

  // FPU.
  static let fpccr: UInt32 = 0xE000_EF34
  static let fpcar: UInt32 = 0xE000_EF38
  static let fpdscr: UInt32 = 0xE000_EF3C
  static let mvfr0: UInt32 = 0xE000_EF40
  static let mvfr1: UInt32 = 0xE000_EF44
}
