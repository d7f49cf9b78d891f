/// An ARM core of the M profile: ARMv7E-M with an FPU of single precision, or ARMv6-M.
///
/// It runs what lies in its address space until a cycle, on the thread that calls it. Between two runs everything can be
/// read and changed.
package final class ArmCore {
  /// What the core is.
  package struct Model: Sendable {
    /// ARMv6-M: the narrow instructions and few others.
    package var isBaseline: Bool
    /// Whether it has an FPU.
    package var hasFloat: Bool
    /// The bits that an interrupt's priority has.
    package var priorityBits: Int

    /// Whether SysTick and DWT.CYCCNT, which count the free-running clock, go on while the core sleeps.
    package var isClockedAsleep = true

    /// A Cortex-M4F.
    package static let cortexM4F = Model(isBaseline: false, hasFloat: true, priorityBits: 3)
    /// A Cortex-M0.
    package static let cortexM0 = Model(isBaseline: true, hasFloat: false, priorityBits: 2)
  }

  /// What it reaches.
  package let memory: AddressSpace
  let model: Model
  let state: UnsafeMutablePointer<ArmState>
  let interrupts: ArmInterrupts
  @exclusivity(unchecked) var tick = ArmSysTick()
  @exclusivity(unchecked) var control = ArmControl()
  /// Whether it waits for an interrupt or an event.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// Is told when the core falls asleep (`true`) with SCR.SLEEPDEEP set, and when it wakes from that.
  @exclusivity(unchecked) package var deepSleep: (Bool) -> Void = { _ in }
  @exclusivity(unchecked) var isDeeplyAsleep = false
  /// Whether it sleeps by WFE.
  @exclusivity(unchecked) var waitsForEvent = false
  /// Whether it sleeps on unless something is told to it: what could wake it has been looked at.
  @exclusivity(unchecked) var isSettled = false
  /// A frame could not be written or read.
  @exclusivity(unchecked) var stackFault: ArmFault?
  /// A frame was written below the end of the main stack.
  @exclusivity(unchecked) var hasPassedFloor = false
  /// The exception whose handler has not begun yet.
  @exclusivity(unchecked) var entered: Int?
  /// The last fault that became a HardFault.
  @exclusivity(unchecked) package internal(set) var lastFault: ArmFault?
  /// Whether it does nothing any more.
  @exclusivity(unchecked) var lockedBy: ArmFault?
  @exclusivity(unchecked) var wantsReset = false
  /// Whether a run ends when the handler of a fault begins, and whether one has begun.
  @exclusivity(unchecked) package var stopsAtFaults = false
  @exclusivity(unchecked) var hasFaulted = false
  /// The cycle at which the run that is under way ends; a device may bring it nearer.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// Cycles that have passed in sleep since the core was created.
  @exclusivity(unchecked) package private(set) var sleptCycles: UInt64 = 0
  /// Instructions that have run since the core was created.
  @exclusivity(unchecked) package internal(set) var instructions: UInt64 = 0
  /// The protection unit, as whom it sees the program, and whether it was written since.
  @exclusivity(unchecked) var protection = ArmProtection()
  @exclusivity(unchecked) var rights = ArmProtection.Rights.unchecked
  @exclusivity(unchecked) var hasNewRegions = false
  /// How often that has changed, and when the pages were decoded of which a program may use parts only.
  @exclusivity(unchecked) var rightsAge: UInt64 = 0
  @exclusivity(unchecked) var partial: [Int: UInt64] = [:]
  /// The pages that loads and stores reach without a call.
  @exclusivity(unchecked) var shown: [Int] = []
  /// What a debugger waits for, and what came of it.
  @exclusivity(unchecked) var breakpoints: Set<UInt32> = []
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The breakpoint at which the core stopped, from which the next run goes on.
  @exclusivity(unchecked) var haltedAt: UInt32?
  /// What a turn of a loop does, while one is looked at.
  @exclusivity(unchecked) var trace: ArmTrace?
  /// Operations that stand behind one that trims the stack pointer.
  @exclusivity(unchecked) var behind: [UnsafeMutablePointer<ArmOp>] = []
  /// Whether instructions that have run are remembered over resets.
  @exclusivity(unchecked) package var notesRun = false
  /// Those whose slots are gone.
  @exclusivity(unchecked) var forgotten: Set<UInt32> = []
  /// Pages that hold decoded instructions, and their numbers; jumps reach those without a call that the state shows.
  let code = PageTable.make(of: UnsafeMutablePointer<ArmOp>.self)
  @exclusivity(unchecked) var decodedPages: [Int] = []

  /// Creates a core at an address space; it stands at address 0 until it is reset.
  package init(_ model: Model = .cortexM4F, memory: AddressSpace) {
    self.model = model
    self.memory = memory
    interrupts = ArmInterrupts(priorityBits: model.priorityBits)
    let stray = UnsafeMutablePointer<ArmOp>.allocate(capacity: 1)
    stray.initialize(to: ArmOp(System.fetchFault, at: 0))
    state = .allocate(capacity: 1)
    state.initialize(
      to: ArmState(
        isBaseline: model.isBaseline,
        readable: PageTable.make(of: UnsafeMutableRawPointer.self),
        writable: PageTable.make(of: UnsafeMutableRawPointer.self),
        decoded: PageTable.make(of: UnsafeMutablePointer<ArmOp>.self), stray: stray,
        owner: UnsafeRawPointer(stray),
        slowLoad: { owner, address, bytes in
          ArmCore.at(owner) { $0.slowLoad(address, bytes) }
        },
        slowStore: { owner, address, value, bytes in
          ArmCore.at(owner) { $0.slowStore(address, value, bytes) }
        },
        slowFloat: { owner in ArmCore.at(owner) { $0.beginFloat() } },
        slowJump: { owner, target in
          UnsafeRawPointer(ArmCore.at(owner) { $0.slot(at: target) })
        }))
    state.pointee.trapsUnaligned = false
    state.pointee.owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    forgetDecoded()
    PageTable.free(code)
    PageTable.free(state.pointee.decoded)
    PageTable.free(state.pointee.readable)
    PageTable.free(state.pointee.writable)
    state.pointee.stray.deallocate()
    state.deallocate()
  }

  @inline(__always)
  private static func at<Result>(
    _ owner: UnsafeRawPointer, _ body: (ArmCore) -> Result
  ) -> Result {
    Unmanaged<ArmCore>.fromOpaque(owner)._withUnsafeGuaranteedRef(body)
  }

  /// Cycles since the core was created.
  package var cycles: UInt64 {
    get { state.pointee.cycles }
    set { state.pointee.cycles = newValue }
  }

  /// The cycles that code waits for a flash memory each time the pipeline is filled anew; code that runs on is
  /// fetched in time.
  package var waitStates: UInt64 {
    get { state.pointee.refill - 2 }
    set { state.pointee.refill = newValue + 2 }
  }

  /// Runs until the cycles have come to a number, or something stops it.
  ///
  /// A core that is asleep lets the time pass. An instruction that has begun is finished.
  package func run(until end: UInt64) -> ArmStop {
    target = end
    if isResting, cycles < end {
      rest(until: end)
      return .reached
    }
    isSettled = false
    while true {
      if let stop = serve() { return stop }
      if tick.pass(cycles) { pend(ArmInterrupts.sysTick) }
      if lockedBy == nil { takePending() }
      if hasFaulted {
        hasFaulted = false
        return .faulted
      }
      if cycles >= target { return .reached }
      let end = min(target, tick.deadline ?? .max)
      if isAsleep || lockedBy != nil {
        rest(until: end)
        isSettled = isAsleep && lockedBy == nil && tick.deadline == nil
        if isSettled, cycles >= target { return .reached }
        continue
      }
      if protection.isOn || hasNewRegions { refreshRights() }
      if let halted = haltedAt {
        haltedAt = nil
        if halted == state.pointee.pc, breakpoints.contains(halted) {
          passBreakpoint()
          continue
        }
      }
      state.pointee.limit = end
      loop()
    }
  }

  /// Whether it sleeps, and sleeps on unless something is told to it.
  package var isResting: Bool { isSettled && state.pointee.request == .none }

  /// Lets the time pass until a cycle, asleep.
  package func rest(until cycle: UInt64) {
    sleptCycles &+= cycle &- cycles
    cycles = cycle
  }

  /// Ends the run that is under way at a cycle, unless it ends earlier: a device has something to do then.
  package func shorten(to cycle: UInt64) {
    guard cycle < target else { return }
    target = cycle
    state.pointee.limit = min(state.pointee.limit, cycle)
  }

  /// Runs one instruction.
  package func step() -> ArmStop { run(until: cycles + 1) }

  /// Runs instructions until the limit.
  func loop() {
    let cpu = state
    entered = nil
    let raw = UnsafeMutableRawPointer(cpu)
    let overhead = cpu.pointee.overhead
    var count: UInt64 = 0
    var op = UnsafePointer(slot(at: cpu.pointee.pc, it: cpu.pointee.it))
    repeat {
      count &+= 1
      let it = op.pointee.it
      if it != 0, !cpu.pointee.holds(it >> 4) {
        cpu.pointee.cycles &+= 1
        op += Int(op.pointee.slots)
        continue
      }
      cpu.pointee.cycles &+= UInt64(op.pointee.cycles)
      op = op.pointee.run(raw, UnsafeRawPointer(op)).assumingMemoryBound(to: ArmOp.self)
    } while cpu.pointee.cycles < cpu.pointee.limit
    cpu.pointee.pc = op.pointee.address
    cpu.pointee.it = itState(at: op)
    instructions &+= count &- (cpu.pointee.overhead &- overhead)
  }
}
