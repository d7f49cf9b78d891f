/// The registers of a task that does not run, on its stack: what FreeRTOS's ports for Cortex-M3 and M4 save, then what the
/// core itself has saved at the exception (ARMv7-M, B1.5.6).
struct FreeRTOSFrame {
  /// Where each register is saved, by its name; the stack pointer is not saved.
  let addresses: [String: UInt32]
  /// The stack pointer that the task has when it goes on.
  let stackPointer: UInt32
  /// Whether the task uses the FPU.
  let usesFPU: Bool

  /// Bits of EXC_RETURN: all above are ones; bit 4 is 0 for a frame with registers of the FPU.
  private static let exceptionReturn: UInt32 = 0xFFFF_FF80
  private static let basicFrame: UInt32 = 0x10
  /// The bit of xPSR that says that a word was left out to align the stack.
  private static let isPadded: UInt32 = 1 << 9

  /// Reads a frame.
  ///
  /// It is `nil` where there is no memory.
  ///
  /// - Parameters:
  ///   - top: the top of the task's stack as its control block has it.
  ///   - word: reads a word of memory.
  init?(top: UInt32, reading word: (UInt32) -> UInt32?) {
    var addresses: [String: UInt32] = [:]
    var next = top
    func take(_ names: some Sequence<String>) {
      for name in names {
        addresses[name] = next
        next &+= 4
      }
    }
    take((4...11).map { "r\($0)" })
    guard let link = word(next) else { return nil }
    // The port for the Cortex-M4F saves EXC_RETURN, that for the M3 nothing: there R0 follows.
    let hasLink = link & Self.exceptionReturn == Self.exceptionReturn
    let usesFPU = hasLink && link & Self.basicFrame == 0
    if hasLink { next &+= 4 }
    if usesFPU { take((16...31).map { "s\($0)" }) }
    take(["r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr"])
    if usesFPU {
      take((0...15).map { "s\($0)" } + ["fpscr"])
      next &+= 4
    }
    guard let status = addresses["xpsr"].flatMap(word) else { return nil }
    if status & Self.isPadded != 0 { next &+= 4 }
    self.addresses = addresses
    self.usesFPU = usesFPU
    stackPointer = next
  }

  /// The value that a register has which is not saved: the stack pointers, and the masks, all open when a task is switched.
  ///
  /// - Parameter name: the register.
  /// - Returns: its value; `nil` if it is saved, or unknown.
  func value(_ name: String) -> UInt32? {
    switch name {
    case "sp", "psp": stackPointer
    case "primask", "basepri", "faultmask": 0
    // The task has its own stack, and the FPU if it has used it.
    case "control": usesFPU ? 6 : 2
    default: nil
    }
  }
}
