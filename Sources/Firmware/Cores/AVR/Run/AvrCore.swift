/// An AVR core with a 16-bit program counter and a multiplier (AVRe+), as the ATmega parts have.
///
/// It runs what lies in its flash until a cycle, on the thread that calls it. Between two runs everything can be read
/// and changed. Interrupts are asked of it by ``requests``, one bit for each vector.
package final class AvrCore {
  /// What the core is.
  package struct Model: Sendable {
    /// The words of the flash, a power of two.
    package var flashWords: Int
    /// Where RAM begins in the data space.
    package var ramStart: UInt16
    /// The bytes of RAM.
    package var ramCount: UInt16
    /// The words of a vector.
    package var vectorWords: UInt16

    /// Creates a model from its sizes.
    package init(
      flashWords: Int, ramStart: UInt16, ramCount: UInt16, vectorWords: UInt16
    ) {
      precondition(flashWords & (flashWords - 1) == 0 && flashWords <= 0x8000, "a power of two")
      (self.flashWords, self.vectorWords) = (flashWords, vectorWords)
      (self.ramStart, self.ramCount) = (ramStart, ramCount)
    }
  }

  /// What the core is.
  package let model: Model
  /// What stands around it.
  package let peripherals: any AvrPeripherals
  let state: UnsafeMutablePointer<AvrState>
  /// The vectors that ask to be taken, a bit each; of several the lowest goes first.
  @exclusivity(unchecked) package var requests: UInt64 = 0 {
    didSet { if requests & ~oldValue != 0 { state.pointee.limit = 0 } }
  }
  /// The address of the first vector, in words: a boot loader may move it.
  @exclusivity(unchecked) package var vectors: UInt16 = 0
  /// Whether it waits for an interrupt.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// Where the run that is under way ends.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// An instruction goes before any interrupt.
  @exclusivity(unchecked) var holdsBack = false
  /// What a debugger waits for, and what came of it.
  @exclusivity(unchecked) var breakpoints: Set<UInt16> = []
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The breakpoint at which the core stopped, from which the next run goes on.
  @exclusivity(unchecked) var haltedAt: UInt16?
  /// What a turn of a loop does, while one is looked at.
  @exclusivity(unchecked) var trace: AvrTrace?
  /// Whether instructions that have run are remembered when their slots go.
  package var notesRun = false
  /// The words of those.
  var forgotten: Set<Int> = []
  /// The loops that have been learned, the last one first, and what a turn of one has captured.
  @exclusivity(unchecked) var paths: [AvrLoopPath] = []
  let captured = UnsafeMutablePointer<UInt8>.allocate(capacity: AvrLoopPath.mostCaptures)
  /// An interrupt has pushed the stack over its end.
  @exclusivity(unchecked) var hasPassedFloor = false
  /// Instructions that have run since the core was created.
  @exclusivity(unchecked) package internal(set) var instructions: UInt64 = 0

  /// Cycles that have passed asleep since the core was created.
  @exclusivity(unchecked) package internal(set) var sleptCycles: UInt64 = 0

  /// Creates a core with an erased flash; it stands at address 0.
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

  /// Resets the core: it begins at a word of the flash, registers and memory keep what they hold.
  package func reset(to address: UInt16 = 0) {
    state.pointee.status = 0
    state.pointee.stack = model.ramStart &+ model.ramCount &- 1
    state.pointee.stackFloor = state.pointee.mainFloor
    state.pointee.pc = address & state.pointee.wordMask
    state.pointee.request = .none
    requests = 0
    isAsleep = false
    holdsBack = false
    (haltedAt, watchHit, hasPassedFloor) = (nil, nil, false)
    (state.pointee.isPastTop, state.pointee.lastReturn) = (false, nil)
  }

  /// Runs until the cycles have come to a number, or something stops it.
  ///
  /// A core that is asleep lets the time pass. An instruction that has begun is finished.
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

  /// Ends the run that is under way at a cycle, unless it ends earlier: a peripheral has something to do then.
  package func shorten(to cycle: UInt64) {
    guard cycle < target else { return }
    target = cycle
    state.pointee.limit = min(state.pointee.limit, cycle)
  }

  /// The highest address of the variables below the stack: a push onto it stops the core; 0 for none.
  package var stackFloor: UInt16 {
    get { state.pointee.mainFloor }
    set { (state.pointee.stackFloor, state.pointee.mainFloor) = (newValue, newValue) }
  }

  /// The address behind the stack: a return or pop that reads it there stops the core; the highest address for none.
  package var stackTop: UInt16 {
    get { state.pointee.stackTop }
    set { state.pointee.stackTop = newValue }
  }

  /// Runs one instruction, and before it any interrupt that is due.
  package func step() -> AvrStop { run(until: cycles + 1) }

  /// Runs instructions until the limit.
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
