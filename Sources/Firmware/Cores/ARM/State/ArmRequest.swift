/// What an instruction asks of its core after it: the rare things that are not done inside the loop.
enum ArmRequest: UInt8 {
  /// Nothing.
  case none
  /// An instruction that the architecture does not define, or calls UNPREDICTABLE.
  case undefined
  /// An instruction of the FPU while CPACR forbids it.
  case noCoprocessor
  /// EPSR.T is clear.
  case invalidState
  /// A division by zero that is trapped.
  case divideByZero
  /// An unaligned access that faults.
  case unaligned
  /// A bus error of a load or store; the value is its address.
  case dataBus
  /// A load or store that the MPU forbids; the value is its address.
  case dataProtection
  /// A bus error of a fetch.
  case fetchBus
  /// A fetch from where the MPU or the memory map forbids it.
  case fetchProtection
  /// A breakpoint of a debugger.
  case halt
  /// The main stack has grown into what lies below it.
  case stackFloor
  /// SVC.
  case supervisorCall
  /// BKPT; the value is its number.
  case breakpoint
  /// A jump to an EXC_RETURN value.
  case exceptionReturn
  /// WFI and WFE.
  case waitForInterrupt
  case waitForEvent
  /// What interrupts are taken may have changed.
  case priorities
}
