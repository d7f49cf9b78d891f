import Cores
import Machines

/// SIO, the single-cycle I/O of core 0: pins, spin locks and the integer divider.
///
/// Core 1 is not modelled: the FIFO to it takes words that nothing reads. Neither are the interpolators.
package final class SIO: BusDevice {
  package static let base: UInt32 = 0xD000_0000
  package static let CPUID: UInt32 = 0x000
  package static let GPIO_IN: UInt32 = 0x004
  static let GPIO_HI_IN: UInt32 = 0x008
  package static let GPIO_OUT: UInt32 = 0x010
  package static let GPIO_OUT_SET: UInt32 = 0x014
  package static let GPIO_OUT_CLR: UInt32 = 0x018
  package static let GPIO_OUT_XOR: UInt32 = 0x01C
  package static let GPIO_OE: UInt32 = 0x020
  package static let GPIO_OE_SET: UInt32 = 0x024
  package static let GPIO_OE_CLR: UInt32 = 0x028
  static let GPIO_OE_XOR: UInt32 = 0x02C
  static let GPIO_HI_OUT: UInt32 = 0x030
  static let FIFO_ST: UInt32 = 0x050
  static let FIFO_WR: UInt32 = 0x054
  static let FIFO_RD: UInt32 = 0x058
  static let SPINLOCK_ST: UInt32 = 0x05C
  package static let DIV_UDIVIDEND: UInt32 = 0x060
  package static let DIV_UDIVISOR: UInt32 = 0x064
  package static let DIV_SDIVIDEND: UInt32 = 0x068
  package static let DIV_SDIVISOR: UInt32 = 0x06C
  package static let DIV_QUOTIENT: UInt32 = 0x070
  package static let DIV_REMAINDER: UInt32 = 0x074
  package static let DIV_CSR: UInt32 = 0x078
  package static let SPINLOCK0: UInt32 = 0x100
  private static let end: UInt32 = 0x180

  private unowned let chip: Chip
  private let pins: IO_BANK0
  private var dividend: UInt32 = 0, divisor: UInt32 = 0
  private var quotient: UInt32 = 0, remainder: UInt32 = 0
  /// READY and DIRTY of DIV_CSR.
  private var divisionState: UInt32 = 1
  private var locks: UInt32 = 0
  private var unmodelled: [UInt32: UInt32] = [:]

  init(_ pins: IO_BANK0, _ chip: Chip) {
    (self.pins, self.chip) = (pins, chip)
    chip.memory.add(self, at: SIO.base, count: 0x1000)
  }

  func reset() {
    (dividend, divisor, quotient, remainder, divisionState, locks) = (0, 0, 0, 0, 1, 0)
    unmodelled.removeAll(keepingCapacity: true)
  }

  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let word = word(offset & ~3)
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  private func word(_ offset: UInt32) -> UInt32 {
    switch offset {
    case SIO.CPUID: return 0
    case SIO.GPIO_IN:
      chip.run.polls.didRead()
      return pins.inputs
    // The QSPI pins: SS and the data lines are high.
    case SIO.GPIO_HI_IN: return 0x3E
    case SIO.GPIO_OUT, SIO.GPIO_OUT_SET, SIO.GPIO_OUT_CLR, SIO.GPIO_OUT_XOR: return pins.outputs
    case SIO.GPIO_OE, SIO.GPIO_OE_SET, SIO.GPIO_OE_CLR, SIO.GPIO_OE_XOR: return pins.enables
    // RDY: there is room for a word to core 1; none comes back.
    case SIO.FIFO_ST:
      chip.run.polls.didRead()
      return 2
    case SIO.FIFO_RD: return 0
    case SIO.SPINLOCK_ST: return locks
    case SIO.DIV_UDIVIDEND, SIO.DIV_SDIVIDEND: return dividend
    case SIO.DIV_UDIVISOR, SIO.DIV_SDIVISOR: return divisor
    case SIO.DIV_QUOTIENT:
      divisionState &= ~2
      return quotient
    case SIO.DIV_REMAINDER: return remainder
    case SIO.DIV_CSR: return divisionState
    case SIO.SPINLOCK0..<SIO.end:
      let bit: UInt32 = 1 << ((offset - SIO.SPINLOCK0) / 4)
      chip.run.polls.didWrite()
      defer { locks |= bit }
      return locks & bit == 0 ? bit : 0
    default:
      note(offset, isWrite: false)
      return unmodelled[offset] ?? 0
    }
  }

  private func note(_ offset: UInt32, isWrite: Bool, _ mode: String? = nil) {
    guard !(SIO.GPIO_HI_OUT..<SIO.FIFO_ST).contains(offset) else { return }
    chip.run.unmodelledRegisters.note(SIO.base + offset, bytes: 4, isWrite: isWrite, mode: mode)
  }

  package func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    chip.run.polls.didWrite()
    let offset = offset & ~3
    switch offset {
    case SIO.GPIO_OUT: pins.set(outputs: value, enables: pins.enables)
    case SIO.GPIO_OUT_SET: pins.set(outputs: pins.outputs | value, enables: pins.enables)
    case SIO.GPIO_OUT_CLR: pins.set(outputs: pins.outputs & ~value, enables: pins.enables)
    case SIO.GPIO_OUT_XOR: pins.set(outputs: pins.outputs ^ value, enables: pins.enables)
    case SIO.GPIO_OE: pins.set(outputs: pins.outputs, enables: value)
    case SIO.GPIO_OE_SET: pins.set(outputs: pins.outputs, enables: pins.enables | value)
    case SIO.GPIO_OE_CLR: pins.set(outputs: pins.outputs, enables: pins.enables & ~value)
    case SIO.GPIO_OE_XOR: pins.set(outputs: pins.outputs, enables: pins.enables ^ value)
    case SIO.FIFO_ST: break
    case SIO.FIFO_WR: note(offset, isWrite: true, "core 1")
    case SIO.DIV_UDIVIDEND, SIO.DIV_SDIVIDEND: divide(value, divisor, offset == SIO.DIV_SDIVIDEND)
    case SIO.DIV_UDIVISOR, SIO.DIV_SDIVISOR: divide(dividend, value, offset == SIO.DIV_SDIVISOR)
    case SIO.DIV_QUOTIENT:
      quotient = value
      divisionState = 3
    case SIO.DIV_REMAINDER:
      remainder = value
      divisionState = 3
    case SIO.SPINLOCK0..<SIO.end: locks &= ~(1 << ((offset - SIO.SPINLOCK0) / 4))
    default:
      note(offset, isWrite: true)
      unmodelled[offset] = value
    }
    return true
  }

  /// Divides as the divider does, whose result is ready before a program can read it (RP2040 datasheet, 2.3.1.5).
  private func divide(_ dividend: UInt32, _ divisor: UInt32, _ isSigned: Bool) {
    (self.dividend, self.divisor, divisionState) = (dividend, divisor, 3)
    guard divisor != 0 else {
      let isNegative = isSigned && dividend >> 31 != 0
      (quotient, remainder) = (isNegative ? 1 : .max, dividend)
      return
    }
    guard isSigned else {
      (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
      return
    }
    let (one, other) = (Int32(bitPattern: dividend), Int32(bitPattern: divisor))
    let whole = one.dividedReportingOverflow(by: other)
    let rest = one.remainderReportingOverflow(dividingBy: other)
    quotient = UInt32(bitPattern: whole.partialValue)
    remainder = rest.overflow ? 0 : UInt32(bitPattern: rest.partialValue)
  }
}
