package import Cores
package import Machines

/// An AVR core as a debugger sees it: data from 0x800000, programs from 0.
extension AvrCore: MachineCore {
  /// GDB's numbers: R0 to R31, SREG, SP, PC.
  private static let names =
    (0..<32).map { CoreRegister("r\($0)", bits: 8) } + [
      CoreRegister("SREG", bits: 8), CoreRegister("SP", bits: 16), CoreRegister("pc", bits: 32),
    ]
  /// Where the data space begins.
  private static let data: UInt32 = 0x80_0000

  package var architecture: CoreArchitecture { .avr }
  package var registers: [CoreRegister] { Self.names }
  package var stackPointer: UInt32 { UInt32(stack) }

  package var programCounter: UInt32 {
    get { UInt32(pc) * 2 }
    set { pc = UInt16(truncatingIfNeeded: newValue / 2) }
  }

  package func setStackEnd(_ address: UInt32) {
    stackFloor = UInt16(truncatingIfNeeded: max(address, 1) - 1)
    stackTop = model.ramStart + model.ramCount
  }
  package var beginsWithInterruptsOff: Bool { true }
  package var libraryEnding: LibraryEnding? {
    LibraryEnding(name: "avr-libc", symbol: "__stop_program")
  }
  /// An AVR knows no faults.
  package func stopAtFaults() {}
  package func noteRun() { notesRun = true }

  package func readRegister(_ number: Int) -> UInt64 {
    switch number {
    case 0..<32: UInt64(self[register: number])
    case 32: UInt64(status)
    case 33: UInt64(stack)
    default: UInt64(programCounter)
    }
  }

  package func writeRegister(_ number: Int, _ value: UInt64) {
    switch number {
    case 0..<32: self[register: number] = UInt8(truncatingIfNeeded: value)
    case 32: status = UInt8(truncatingIfNeeded: value)
    case 33: stack = UInt16(truncatingIfNeeded: value)
    default: programCounter = UInt32(truncatingIfNeeded: value)
    }
  }

  package func readByte(_ address: UInt32) -> UInt8? {
    if address < UInt32(flash.count) { return flash[Int(address)] }
    return inData(address).map { self[data: $0] }
  }

  package func writeByte(_ address: UInt32, _ value: UInt8) -> Bool {
    if address < UInt32(flash.count) {
      flash[Int(address)] = value
      forget(Int(address), count: 1)
      return true
    }
    guard let place = inData(address) else { return false }
    self[data: place] = value
    return true
  }

  private func inData(_ address: UInt32) -> UInt16? {
    let end = UInt32(model.ramStart) + UInt32(model.ramCount)
    return address &- Self.data < end ? UInt16(address - Self.data) : nil
  }
}
