package import Cores

/// An ARM core as a debugger sees it.
extension ArmCore: MachineCore {
  /// GDB's numbers: R0 to R12, SP, LR, PC, XPSR; then the FPU's registers as bits, and its status; then the registers that
  /// only MRS and MSR reach.
  private static let names =
    (0..<13).map { CoreRegister("r\($0)") }
    + ["sp", "lr", "pc", "xpsr"].map { CoreRegister($0) }
    + (0..<32).map { CoreRegister("s\($0)") } + [CoreRegister("fpscr")]
    + specials.map { CoreRegister($0.name) }

  private static let specials: [(name: String, register: Special)] = [
    ("msp", .mainStack), ("psp", .processStack), ("primask", .primask), ("basepri", .basepri),
    ("faultmask", .faultmask), ("control", .control),
  ]

  package var architecture: CoreArchitecture { .arm }
  package var registers: [CoreRegister] { Self.names }
  package var stackPointer: UInt32 { self[register: 13] }

  package var programCounter: UInt32 {
    get { self[register: 15] }
    set { self[register: 15] = newValue }
  }

  package func setStackEnd(_ address: UInt32) { stackFloor = address }
  package func stopAtFaults() { stopsAtFaults = true }
  package func noteRun() { notesRun = true }

  package func readRegister(_ number: Int) -> UInt64 {
    switch number {
    case 0...15: UInt64(self[register: number])
    case 16: UInt64(xpsr)
    case 17...48: UInt64(self[float: number - 17])
    case 49: UInt64(fpscr)
    default: UInt64(self[special: Self.specials[number - 50].register])
    }
  }

  package func writeRegister(_ number: Int, _ value: UInt64) {
    let word = UInt32(truncatingIfNeeded: value)
    switch number {
    case 0...15: self[register: number] = word
    case 16: xpsr = word
    case 17...48: self[float: number - 17] = word
    case 49: fpscr = word
    default: self[special: Self.specials[number - 50].register] = word
    }
  }
}
