/// An AVR core with a 16-bit program counter and a multiplier (AVRe+), as in ATmega parts.
///
/// It executes code from its flash until a given cycle, on the caller's thread. All state can be read and changed
/// between two runs. Interrupts are requested by ``requests``, one bit per vector.
package final class AvrCore {
  /// The memory sizes of the core.
  package struct Model: Sendable {
    /// Words of flash, a power of two.
    package var flashWords: Int
    /// The first address of RAM in the data space.
    package var ramStart: UInt16
    /// Bytes of RAM.
    package var ramCount: UInt16
    /// Words of an interrupt vector.
    package var vectorWords: UInt16

    /// Creates a model.
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
  /// Whether the core sleeps.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// The cycle at which the current run ends.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// Whether one more instruction runs before an interrupt is taken.
  @exclusivity(unchecked) var holdsBack = false
  /// Breakpoints and watchpoints, and the watchpoint that was hit.
  @exclusivity(unchecked) var breakpoints: Set<UInt16> = []
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The breakpoint that stopped the core; the next run continues from it.
  @exclusivity(unchecked) var haltedAt: UInt16?
  /// The effects of the loop iteration under analysis.
  @exclusivity(unchecked) var trace: AvrTrace?
  /// Whether executed instructions are recorded when their slots are discarded, for coverage.
  ///
  /// Default: false.
  package var recordsCoverage = false
  /// Word addresses of executed instructions whose slots were discarded.
  var discardedWords: Set<Int> = []
  /// Learned loops, the most recent first, and the bytes captured in an iteration.
  @exclusivity(unchecked) var paths: [AvrLoopPath] = []
  let captured = UnsafeMutablePointer<UInt8>.allocate(capacity: AvrLoopPath.maxCaptures)
  /// Whether an interrupt has pushed the stack past its limit.
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

  /// Ends the current run at `cycle` at the latest, because a peripheral has an event then.
  package func shorten(to cycle: UInt64) {
    guard cycle < target else { return }
    target = cycle
    state.pointee.limit = min(state.pointee.limit, cycle)
  }

  /// The highest address of the variables below the stack: a push to it stops the core.
  ///
  /// 0 disables the check.
  package var stackLimit: UInt16 {
    get { state.pointee.mainStackLimit }
    set { (state.pointee.stackLimit, state.pointee.mainStackLimit) = (newValue, newValue) }
  }

  /// The address above the stack: a return or pop that reads it stops the core.
  ///
  /// `UInt16.max` disables the check.
  package var stackTop: UInt16 {
    get { state.pointee.stackTop }
    set { state.pointee.stackTop = newValue }
  }

  /// Executes one instruction, after taking a pending interrupt.
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
  /// The end cycle; the core may be asleep.
  case reached
  /// BREAK; PC is at its address.
  case breakpoint
  /// A breakpoint; PC is at its instruction.
  case halted
  /// A watchpoint; PC is after the instruction that hit it.
  case watched(MemoryWatchHit)
  /// The stack has grown past ``AvrCore/stackLimit``; PC is after the instruction that moved it.
  case stackLimit
  /// The stack was read above ``AvrCore/stackTop`` by the instruction at a byte address.
  case stackTop(at: UInt32)
  /// An undefined instruction, as in erased flash; PC is at its address.
  case undefined(UInt16)
}

/// Register access between two runs.
extension AvrCore {
  /// R0 to R31.
  package subscript(register number: Int) -> UInt8 {
    get { state.pointee.data[number & 31] }
    set { state.pointee.data[number & 31] = newValue }
  }

  /// A register pair by the number of its low register: 26 is X, 28 is Y, 30 is Z.
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

  /// SREG: C, Z, N, V, S, H, T, I from bit 0.
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
/// The core calls it on the thread that runs it. The stack pointer and SREG belong to the core and are never passed on.
package protocol AvrPeripherals: AnyObject {
  /// Reads an I/O register.
  ///
  /// - Parameter address: the address in the data space; 0x20 is the first I/O register.
  /// - Returns: the value of the register.
  func read(_ address: UInt16) -> UInt8

  /// Writes an I/O register at an address in the data space.
  func write(_ address: UInt16, _ value: UInt8)

  /// Changes one bit of an I/O register, for SBI and CBI. Other bits are untouched, so that only the addressed
  /// write-one-to-clear flag is cleared.
  func change(_ address: UInt16, bit: UInt8, to isSet: Bool)

  /// Acknowledges an interrupt, which clears the flag if the vector does so.
  func acknowledge(_ vector: Int)

  /// Executes SLEEP; returns whether the core stops until an interrupt.
  func sleep() -> Bool

  /// Executes WDR.
  func resetWatchdog()

  /// Executes SPM with the address in Z and the word in R1:R0.
  func storeProgram(_ address: UInt16, _ word: UInt16)

  /// Executes LPM while ``AvrCore/loadsProgramSpecially`` is set.
  ///
  /// - Returns: the byte that is read: a fuse, the signature, or the contents of the flash.
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8
}
