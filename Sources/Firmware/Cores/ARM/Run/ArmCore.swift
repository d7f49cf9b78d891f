/// An ARM M-profile core: ARMv7E-M with a single-precision FPU, or ARMv6-M.
///
/// It executes code from its address space until a given cycle, on the caller's thread. All state can be read and
/// changed between two runs.
package final class ArmCore {
  /// The features of the core.
  package struct Model: Sendable {
    /// Whether the core is an ARMv6-M, which has the 16-bit instructions and a few 32-bit ones.
    package var isBaseline: Bool
    /// Whether the core has an FPU.
    package var hasFloat: Bool
    /// The number of implemented interrupt priority bits.
    package var priorityBits: Int

    /// Whether SysTick and DWT.CYCCNT, which count the free-running clock, keep counting while the core sleeps.
    ///
    /// Default: true.
    package var isClockedAsleep = true

    /// A Cortex-M4F.
    package static let cortexM4F = Model(isBaseline: false, hasFloat: true, priorityBits: 3)
    /// A Cortex-M0.
    package static let cortexM0 = Model(isBaseline: true, hasFloat: false, priorityBits: 2)
  }

  /// The address space of the core.
  package let memory: AddressSpace
  let model: Model
  let state: UnsafeMutablePointer<ArmState>
  let interrupts: ArmNVIC
  @exclusivity(unchecked) var tick = ArmSysTick()
  @exclusivity(unchecked) var control = ArmSCB()
  /// Whether the core sleeps in WFI or WFE.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// A callback for deep sleep: `true` when the core enters sleep with SCR.SLEEPDEEP set, `false` when it wakes.
  @exclusivity(unchecked) package var deepSleep: (Bool) -> Void = { _ in }
  @exclusivity(unchecked) var isDeeplyAsleep = false
  /// Whether the core sleeps in WFE.
  @exclusivity(unchecked) var waitsForEvent = false
  /// Whether the core is asleep and the wake-up sources have been checked since the last change.
  @exclusivity(unchecked) var isSettled = false
  /// The fault of a frame that could not be written or read.
  @exclusivity(unchecked) var stackFault: ArmFault?
  /// Whether an exception frame was written below the end of the main stack.
  @exclusivity(unchecked) var hasPassedStackLimit = false
  /// The exception that was entered but whose handler has not executed an instruction yet.
  @exclusivity(unchecked) var entered: Int?
  /// The last fault that escalated to HardFault.
  @exclusivity(unchecked) package internal(set) var lastFault: ArmFault?
  /// The fault that locked up the core.
  @exclusivity(unchecked) var lockedBy: ArmFault?
  @exclusivity(unchecked) var wantsReset = false
  /// Whether a run stops when a fault handler is entered, and whether one has been entered.
  @exclusivity(unchecked) package var stopsAtFaults = false
  @exclusivity(unchecked) var hasFaulted = false
  /// The cycle at which the current run ends; a device may bring it forward.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// Cycles spent asleep since the core was created.
  @exclusivity(unchecked) package private(set) var sleptCycles: UInt64 = 0
  /// Instructions executed since the core was created.
  @exclusivity(unchecked) package internal(set) var instructions: UInt64 = 0
  /// The MPU, the access rights it applies to the program, and whether its regions changed since the last check.
  @exclusivity(unchecked) var protection = ArmMPU()
  @exclusivity(unchecked) var rights = ArmMPU.Rights.unchecked
  @exclusivity(unchecked) var hasNewRegions = false
  /// A count of changes to the access rights, and the count at which each partly accessible page was decoded.
  @exclusivity(unchecked) var rightsAge: UInt64 = 0
  @exclusivity(unchecked) var partial: [Int: UInt64] = [:]
  /// The pages that loads and stores access on the fast path.
  @exclusivity(unchecked) var fastPages: [Int] = []
  /// Breakpoints and watchpoints, and the watchpoint that was hit.
  @exclusivity(unchecked) var breakpoints: Set<UInt32> = []
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The breakpoint that stopped the core; the next run continues from it.
  @exclusivity(unchecked) var haltedAt: UInt32?
  /// The effects of the loop iteration under analysis.
  @exclusivity(unchecked) var trace: ArmTrace?
  /// The operations that are wrapped by a check of the stack pointer.
  @exclusivity(unchecked) var wrappedOps: [UnsafeMutablePointer<ArmOp>] = []
  /// Whether executed instructions are recorded across resets, for coverage.
  ///
  /// Default: false.
  @exclusivity(unchecked) package var recordsCoverage = false
  /// Executed instructions whose slots were discarded.
  @exclusivity(unchecked) var discardedAddresses: Set<UInt32> = []
  /// The pages with decoded instructions, and their indices; branches reach the pages in the state's table without a
  /// call.
  let code = PageTable.make(of: UnsafeMutablePointer<ArmOp>.self)
  @exclusivity(unchecked) var decodedPages: [Int] = []

  /// Creates a core on an address space.
  ///
  /// PC is 0 until ``reset(vectors:)``.
  package init(_ model: Model = .cortexM4F, memory: AddressSpace) {
    self.model = model
    self.memory = memory
    interrupts = ArmNVIC(priorityBits: model.priorityBits)
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
    discardDecoded()
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

  /// Flash wait states, in cycles per pipeline refill; sequential code is prefetched.
  package var waitStates: UInt64 {
    get { state.pointee.refill - 2 }
    set { state.pointee.refill = newValue + 2 }
  }

  /// Runs until a cycle, or until the core stops for another reason.
  ///
  /// While the core sleeps, only time passes. An instruction that has started is completed.
  package func run(until end: UInt64) -> ArmStop {
    target = end
    if isResting, cycles < end {
      rest(until: end)
      return .reached
    }
    isSettled = false
    while true {
      if let stop = serve() { return stop }
      if tick.pass(cycles) { pend(ArmNVIC.sysTick) }
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

  /// Whether the core is asleep with no pending wake-up source.
  package var isResting: Bool { isSettled && state.pointee.request == .none }

  /// Advances the cycle counter of a sleeping core.
  package func rest(until cycle: UInt64) {
    sleptCycles &+= cycle &- cycles
    cycles = cycle
  }

  /// Ends the current run at `cycle` at the latest, because a device has an event then.
  package func shorten(to cycle: UInt64) {
    guard cycle < target else { return }
    target = cycle
    state.pointee.limit = min(state.pointee.limit, cycle)
  }

  /// Runs one instruction.
  package func step() -> ArmStop { run(until: cycles + 1) }

  /// Executes instructions until the cycle limit.
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

/// The reason why a run ended.
package enum ArmStop: Equatable, Sendable {
  /// The end cycle; the core may be asleep.
  case reached
  /// BKPT with its immediate; PC is at the BKPT. 0xAB is semihosting.
  case breakpoint(UInt32)
  /// A breakpoint; PC is at its instruction.
  case halted
  /// A watchpoint; PC is after the instruction that hit it.
  case watched(MemoryWatchHit)
  /// The main stack has grown below ``ArmCore/stackLimit``; PC is after the instruction that moved it.
  case stackLimit
  /// The entry of a fault handler, if ``ArmCore/stopsAtFaults`` is set; PC is at its first instruction.
  case faulted
  /// Lockup: a fault at HardFault priority or above. The core executes nothing until a reset.
  case lockUp(ArmFault)
  /// A reset request (AIRCR.SYSRESETREQ).
  case reset
}

/// Reset.
extension ArmCore {
  /// Resets the core and loads SP and PC from the vector table.
  package func reset(vectors: UInt32 = 0) {
    interrupts.reset()
    tick = ArmSysTick()
    control = ArmSCB()
    control.vectors = vectors
    protection = ArmMPU()
    hasNewRegions = true
    discardDecoded()
    isAsleep = false
    (waitsForEvent, isDeeplyAsleep, isSettled) = (false, false, false)
    lockedBy = nil
    (stackFault, entered, haltedAt, watchHit) = (nil, nil, nil, nil)
    hasPassedStackLimit = false
    resetState()
    state.pointee.r[13] = (memory.read(vectors, bytes: 4) ?? 0) & ~3
    state.pointee.r[14] = 0xFFFF_FFFF
    begin(memory.read(vectors &+ 4, bytes: 4) ?? 0)
  }

  private func resetState() {
    for index in 0..<17 { state.pointee.r[index] = 0 }
    state.pointee.usesProcessStack = false
    state.pointee.otherStack = 0
    state.pointee.xpsr = 1 << 24
    (state.pointee.primask, state.pointee.faultmask, state.pointee.basepri) = (0, 0, 0)
    (state.pointee.unprivileged, state.pointee.fpActive) = (false, false)
    (state.pointee.fpscr, state.pointee.fpDefault) = (0, 0)
    (state.pointee.trapsDivision, state.pointee.trapsUnaligned) = (false, false)
    state.pointee.exclusive = false
    state.pointee.request = .none
  }

  /// Continues at the address of a vector.
  func begin(_ vector: UInt32) {
    state.pointee.pc = vector & ~1
    state.pointee.thumb = vector & 1 != 0
    state.pointee.it = 0
  }
}
