/// An ARM M-profile core: ARMv7E-M with a single-precision FPU, or ARMv6-M.
///
/// The core executes code from its address space until a given cycle, on the caller's thread. Between two runs, the
/// caller can read and change all of its state.
package final class ArmCore {
  /// The features of the core.
  package struct Model: Sendable {
    /// `true` for ARMv6-M, which has the 16-bit instructions and a few 32-bit ones.
    package var isBaseline: Bool
    /// `true` if the core has an FPU.
    package var hasFloat: Bool
    /// The number of implemented interrupt priority bits.
    package var priorityBits: Int

    /// `true` if SysTick and DWT.CYCCNT continue to count while the core sleeps.
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
  /// `true` if the core sleeps in WFI or WFE.
  @exclusivity(unchecked) package internal(set) var isAsleep = false
  /// A callback for deep sleep, called with `true` when the core falls asleep with SCR.SLEEPDEEP set, and with `false`
  /// when the core wakes.
  @exclusivity(unchecked) package var deepSleep: (Bool) -> Void = { _ in }
  @exclusivity(unchecked) var isDeeplyAsleep = false
  /// `true` if the core sleeps in WFE.
  @exclusivity(unchecked) var waitsForEvent = false
  /// `true` if the core is asleep and no wake-up source has changed since the core last checked them.
  @exclusivity(unchecked) var isSettled = false
  /// The fault that occurred while an exception frame was written or read.
  @exclusivity(unchecked) var stackFault: ArmFault?
  /// `true` if an instruction or exception frame has grown the main stack below its limit.
  @exclusivity(unchecked) var hasPassedStackLimit = false
  /// The exception whose handler has been entered but has not executed an instruction yet.
  @exclusivity(unchecked) var entered: Int?
  /// The last fault that escalated to HardFault.
  @exclusivity(unchecked) package internal(set) var lastFault: ArmFault?
  /// The fault that locked up the core.
  @exclusivity(unchecked) var lockedBy: ArmFault?
  @exclusivity(unchecked) var wantsReset = false
  /// `true` to end the run when the core enters a fault handler.
  @exclusivity(unchecked) package var stopsAtFaults = false
  /// `true` if the core has entered a fault handler, at which the run must end.
  @exclusivity(unchecked) var hasFaulted = false
  /// The cycle at which the current run ends; a device may move it to an earlier cycle.
  @exclusivity(unchecked) private var target: UInt64 = 0
  /// Cycles spent asleep since the core was created.
  @exclusivity(unchecked) package private(set) var sleptCycles: UInt64 = 0
  /// Instructions executed since the core was created.
  @exclusivity(unchecked) package internal(set) var instructions: UInt64 = 0
  /// The MPU.
  @exclusivity(unchecked) var protection = ArmMPU()
  /// The access rights for which the fast path was built.
  @exclusivity(unchecked) var rights = ArmMPU.Rights.unchecked
  /// `true` if the MPU regions have changed since the fast path was built.
  @exclusivity(unchecked) var hasNewRegions = false
  /// The number of changes to the access rights so far.
  @exclusivity(unchecked) var rightsAge: UInt64 = 0
  /// The pages of which the program may execute only a part, with the value of `rightsAge` when each was decoded.
  @exclusivity(unchecked) var partial: [Int: UInt64] = [:]
  /// The pages that loads and stores access on the fast path.
  @exclusivity(unchecked) var fastPages: [Int] = []
  /// The addresses of the breakpoints.
  @exclusivity(unchecked) var breakpoints: Set<UInt32> = []
  /// The watchpoints.
  @exclusivity(unchecked) var watches: [MemoryWatch] = []
  /// The access that hit a watchpoint during the current instruction.
  @exclusivity(unchecked) var watchHit: MemoryWatchHit?
  /// The address of the breakpoint at which the core has stopped; the next run continues from there.
  @exclusivity(unchecked) var haltedAt: UInt32?
  /// The effects of the loop iteration under analysis.
  @exclusivity(unchecked) var trace: ArmTrace?
  /// The operations that are wrapped in a handler that checks the stack pointer.
  @exclusivity(unchecked) var wrappedOps: [UnsafeMutablePointer<ArmOp>] = []
  /// `true` to record executed instructions across resets, for coverage.
  ///
  /// Default: false.
  @exclusivity(unchecked) package var recordsCoverage = false
  /// The addresses of executed instructions whose decoded form has been discarded.
  @exclusivity(unchecked) var discardedAddresses: Set<UInt32> = []
  /// All pages with decoded instructions, by page index.
  ///
  /// The similar table in `state` contains only those pages to which a handler can branch without a call to the core.
  let code = PageTable.make(of: UnsafeMutablePointer<ArmOp>.self)
  /// The indices of all pages with decoded instructions.
  @exclusivity(unchecked) var decodedPages: [Int] = []

  /// Creates a core on an address space.
  ///
  /// PC is 0 until `reset(vectors:)`.
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

  /// Flash wait states, in cycles per pipeline refill; sequential code has none because it is prefetched.
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

  /// `true` if the core is asleep with no pending wake-up source.
  package var isResting: Bool { isSettled && state.pointee.request == .none }

  /// Advances the cycle counter of a sleeping core.
  package func rest(until cycle: UInt64) {
    sleptCycles &+= cycle &- cycles
    cycles = cycle
  }

  /// Ends the current run at `cycle` at the latest, because a device has an event at that cycle.
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
  /// The run reached its end cycle; the core may be asleep.
  case reached
  /// The core executed BKPT; the value is its immediate, and PC is at the BKPT. 0xAB is semihosting.
  case breakpoint(UInt32)
  /// The core reached a breakpoint; PC is at the instruction, which has not executed.
  case halted
  /// An access hit a watchpoint; PC is after the instruction.
  case watched(MemoryWatchHit)
  /// The main stack has grown below `ArmCore/stackLimit`; PC is after the instruction that moved it.
  case stackLimit
  /// The core entered a fault handler while `ArmCore/stopsAtFaults` was set; PC is at the handler's first instruction.
  case faulted
  /// A fault at HardFault priority or above locked up the core, which executes nothing until a reset.
  case lockUp(ArmFault)
  /// The program requested a reset (AIRCR.SYSRESETREQ).
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

  /// Sets PC and the T bit from an entry of the vector table.
  func begin(_ vector: UInt32) {
    state.pointee.pc = vector & ~1
    state.pointee.thumb = vector & 1 != 0
    state.pointee.it = 0
  }
}
