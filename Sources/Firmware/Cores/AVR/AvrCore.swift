/// An AVR core with a 16-bit program counter and a multiplier (AVRe+), as in ATmega parts.
///
/// The core executes code from its flash until a given cycle, on the caller's thread. Between two runs, the caller can
/// read and change all of its state. Peripherals request interrupts in `requests`, with one bit per vector.
package final class AvrCore {
  /// The memory sizes of the core.
  package struct Model: Sendable {
    /// The size of the flash in words, a power of two.
    package var flashWords: Int
    /// The first address of RAM in the data space.
    package var ramStart: UInt16
    /// The size of RAM in bytes.
    package var ramCount: UInt16
    /// The size of an interrupt vector in words.
    package var vectorWords: UInt16

    package init(
      flashWords: Int, ramStart: UInt16, ramCount: UInt16, vectorWords: UInt16
    ) {
      precondition(
        flashWords & (flashWords - 1) == 0 && flashWords <= 0x8000,
        "flashWords must be a power of two")
      (self.flashWords, self.vectorWords) = (flashWords, vectorWords)
      (self.ramStart, self.ramCount) = (ramStart, ramCount)
    }
  }

  /// The memory sizes of the core.
  package let model: Model
  /// The peripherals of the core.
  package let peripherals: any AvrPeripherals
  let state: UnsafeMutablePointer<AvrState>
  /// Pending interrupts, one bit per vector; the lowest vector has the highest priority.
  @exclusivity(unchecked) package var requests: UInt64 = 0 {
    didSet { if requests & ~oldValue != 0 { state.pointee.limit = 0 } }
  }
  /// The word address of the first vector; a boot loader may move it.
  @exclusivity(unchecked) package var vectors: UInt16 = 0
  /// `true` while the core sleeps.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// The cycle at which the current run ends.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// `true` if the core must execute one more instruction before it takes an interrupt.
  @exclusivity(unchecked) var holdsBack = false
  /// The word addresses of the breakpoints.
  @exclusivity(unchecked) var breakpoints: Set<UInt16> = []
  /// The watchpoints.
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  /// The access that hit a watchpoint during the current instruction.
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The word address of the breakpoint at which the core has stopped; the next run continues from there.
  @exclusivity(unchecked) var haltedAt: UInt16?
  /// The effects of the loop iteration under analysis.
  @exclusivity(unchecked) var trace: AvrTrace?
  /// `true` to record, for coverage, executed instructions whose decoded form is discarded.
  ///
  /// Default: false.
  package var recordsCoverage = false
  /// The word addresses of executed instructions whose decoded form has been discarded.
  var discardedWords: Set<Int> = []
  /// The learned loops, the most recent first.
  @exclusivity(unchecked) var paths: [AvrLoopPath] = []
  /// The register values that were captured during a loop iteration.
  let captured = UnsafeMutablePointer<UInt8>.allocate(capacity: AvrLoopPath.maxCaptures)
  /// `true` if an instruction or interrupt has grown the stack past its limit.
  @exclusivity(unchecked) var hasPassedStackLimit = false
  /// Instructions executed since the core was created.
  @exclusivity(unchecked) package internal(set) var instructions: UInt64 = 0

  /// Cycles spent asleep since the core was created.
  @exclusivity(unchecked) package internal(set) var sleptCycles: UInt64 = 0

  /// Creates a core with an erased flash and PC 0.
  package init(_ model: Model, peripherals: any AvrPeripherals) {
    self.model = model
    self.peripherals = peripherals
    let data = UnsafeMutablePointer<UInt8>.allocate(capacity: 0x10000)
    data.initialize(repeating: 0, count: 0x10000)
    let flash = UnsafeMutablePointer<UInt8>.allocate(capacity: model.flashWords * 2)
    flash.initialize(repeating: 0xFF, count: model.flashWords * 2)
    let ops = UnsafeMutablePointer<AvrOp>.allocate(capacity: model.flashWords + Self.spare)
    Self.blank(ops, model.flashWords)
    state = .allocate(capacity: 1)
    state.initialize(
      to: AvrState(
        data: data, flash: flash, ops: ops, wordMask: UInt16(model.flashWords - 1),
        ramStart: model.ramStart, ramCount: model.ramCount, owner: UnsafeRawPointer(data),
        slowLoad: { AvrCore.at($0).slowLoad($1) },
        slowStore: { AvrCore.at($0).slowStore($1, $2) },
        slowChange: { AvrCore.at($0).slowChange($1, $2, $3) },
        slowLoadProgram: { AvrCore.at($0).slowLoadProgram($1) },
        slowReset: { AvrCore.at($0).slowReset() },
        slowDecode: { UnsafeRawPointer(AvrCore.at($0).decode($1)) }))
    state.pointee.owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    captured.deallocate()
    state.pointee.data.deallocate()
    state.pointee.flash.deallocate()
    state.pointee.ops.deallocate()
    state.deallocate()
  }

  private static func at(_ owner: UnsafeRawPointer) -> AvrCore {
    Unmanaged<AvrCore>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0 }
  }

  /// Resets the core to a word address; registers and memory keep their contents.
  package func reset(to address: UInt16 = 0) {
    state.pointee.status = 0
    state.pointee.stack = model.ramStart &+ model.ramCount &- 1
    state.pointee.stackLimit = state.pointee.mainStackLimit
    state.pointee.pc = address & state.pointee.wordMask
    state.pointee.request = .none
    requests = 0
    isAsleep = false
    holdsBack = false
    (haltedAt, watchHit, hasPassedStackLimit) = (nil, nil, false)
    (state.pointee.isPastTop, state.pointee.lastReturn) = (false, nil)
  }

  /// Runs until a cycle, or until the core stops for another reason.
  ///
  /// While the core sleeps, only time passes. An instruction that has started is completed.
  package func run(until end: UInt64) -> AvrStop {
    target = end
    while true {
      if let stop = serve() { return stop }
      if cycles >= target { return .reached }
      if takePending() { continue }
      if isAsleep {
        sleptCycles &+= target - cycles
        cycles = target
        return .reached
      }
      if let halted = haltedAt {
        haltedAt = nil
        if halted == state.pointee.pc, breakpoints.contains(halted) {
          passHalt()
          continue
        }
      }
      state.pointee.limit = holdsBack ? 0 : target
      holdsBack = false
      loop()
    }
  }

  /// Ends the current run at `cycle` at the latest, because a peripheral has an event at that cycle.
  package func shorten(to cycle: UInt64) {
    guard cycle < target else { return }
    target = cycle
    state.pointee.limit = min(state.pointee.limit, cycle)
  }

  /// The highest address of the variables below the stack; a push to this address stops the core.
  ///
  /// 0 disables the check.
  package var stackLimit: UInt16 {
    get { state.pointee.mainStackLimit }
    set { (state.pointee.stackLimit, state.pointee.mainStackLimit) = (newValue, newValue) }
  }

  /// The address above the stack; a return or POP that reads it stops the core.
  ///
  /// `UInt16.max` disables the check.
  package var stackTop: UInt16 {
    get { state.pointee.stackTop }
    set { state.pointee.stackTop = newValue }
  }

  /// Takes a pending interrupt, if any, and executes one instruction.
  package func step() -> AvrStop { run(until: cycles + 1) }

  /// Executes instructions until the cycle limit.
  func loop() {
    let cpu = state
    let raw = UnsafeMutableRawPointer(cpu)
    let overhead = cpu.pointee.overhead
    var count: UInt64 = 0
    var op = UnsafePointer(decoded(cpu.pointee.pc))
    repeat {
      count &+= 1
      cpu.pointee.cycles &+= UInt64(op.pointee.cycles)
      op = op.pointee.run(raw, UnsafeRawPointer(op)).assumingMemoryBound(to: AvrOp.self)
    } while cpu.pointee.cycles < cpu.pointee.limit
    cpu.pointee.pc =
      UInt16(truncatingIfNeeded: op - UnsafePointer(cpu.pointee.ops)) & cpu.pointee.wordMask
    instructions &+= count &- (cpu.pointee.overhead &- overhead)
  }
}

/// The reason why a run ended.
package enum AvrStop: Equatable, Sendable {
  /// The run reached its end cycle; the core may be asleep.
  case reached
  /// The core executed BREAK; PC is at the BREAK.
  case breakpoint
  /// The core reached a breakpoint; PC is at the instruction, which has not executed.
  case halted
  /// An access hit a watchpoint; PC is after the instruction.
  case watched(MemoryWatchHit)
  /// The stack has grown past `AvrCore/stackLimit`; PC is after the instruction that moved it.
  case stackLimit
  /// The instruction at a byte address read the stack above its top, `AvrCore/stackTop`.
  case stackTop(at: UInt32)
  /// The core reached an undefined instruction, such as erased flash; PC is at the instruction.
  case undefined(UInt16)
}

/// Register access between two runs.
extension AvrCore {
  /// R0 to R31.
  package subscript(register number: Int) -> UInt8 {
    get { state.pointee.data[number & 31] }
    set { state.pointee.data[number & 31] = newValue }
  }

  /// A register pair, given by the number of its low register: 26 is X, 28 is Y, 30 is Z.
  package subscript(pair number: Int) -> UInt16 {
    UInt16(self[register: number]) | UInt16(self[register: number + 1]) << 8
  }

  /// The program counter, in words.
  package var pc: UInt16 {
    get { state.pointee.pc }
    set { state.pointee.pc = newValue & state.pointee.wordMask }
  }

  /// The stack pointer.
  package var stack: UInt16 {
    get { state.pointee.stack }
    set { state.pointee.stack = newValue }
  }

  /// SREG, with C, Z, N, V, S, H, T and I in bits 0 to 7.
  package var status: UInt8 {
    get { state.pointee.status }
    set { state.pointee.status = newValue }
  }

  /// Cycles since the core was created.
  package var cycles: UInt64 {
    get { state.pointee.cycles }
    set { state.pointee.cycles = newValue }
  }
}

/// The peripherals of an AVR core: I/O registers, and the effects of SLEEP, WDR, SPM and LPM.
///
/// The core calls these functions on the thread that runs the core. It handles the stack pointer and SREG itself, so
/// their addresses never reach the peripherals.
package protocol AvrPeripherals: AnyObject {
  /// Reads an I/O register.
  ///
  /// - Parameter address: the address in the data space; 0x20 is the first I/O register.
  /// - Returns: the value of the register.
  func read(_ address: UInt16) -> UInt8

  /// Writes an I/O register at an address in the data space.
  func write(_ address: UInt16, _ value: UInt8)

  /// Changes one bit of an I/O register, for SBI and CBI.
  ///
  /// Other bits are unchanged, so in a register of write-one-to-clear flags only the addressed
  /// flag is cleared.
  func change(_ address: UInt16, bit: UInt8, to isSet: Bool)

  /// Acknowledges an interrupt that the core takes, and clears its flag if the hardware does.
  func acknowledge(_ vector: Int)

  /// Executes SLEEP; returns `false` if sleep is disabled, so the core continues.
  func sleep() -> Bool

  /// Executes WDR.
  func resetWatchdog()

  /// Executes SPM with the address in Z and the word in R1:R0.
  func storeProgram(_ address: UInt16, _ word: UInt16)

  /// Executes LPM while `AvrCore/loadsProgramSpecially` is set.
  ///
  /// - Returns: the byte that LPM reads, which is a fuse, a signature byte, or the contents of the flash.
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8
}
