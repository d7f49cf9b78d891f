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

    /// A Cortex-M4F.
    package static let cortexM4F = Model(isBaseline: false, hasFloat: true, priorityBits: 3)
    /// A Cortex-M0.
    package static let cortexM0 = Model(isBaseline: true, hasFloat: false, priorityBits: 2)
  }

  /// What it reaches.
  package let memory: AddressSpace
  let model: Model
  let state: UnsafeMutablePointer<ArmState>
  var interrupts: ArmInterrupts
  var tick = ArmSysTick()
  var control = ArmControl()
  /// Whether it waits for an interrupt or an event.
  package internal(set) var isAsleep = false
  /// Is told when the core falls asleep (`true`) with SCR.SLEEPDEEP set, and when it wakes from that.
  package var deepSleep: (Bool) -> Void = { _ in }
  var isDeeplyAsleep = false
  /// Whether it sleeps by WFE.
  var waitsForEvent = false
  /// Whether it sleeps on unless something is told to it: what could wake it has been looked at.
  var isSettled = false
  /// A frame could not be written or read.
  var stackFault: ArmFault?
  /// A frame was written below the end of the main stack.
  var hasPassedFloor = false
  /// The exception whose handler has not begun yet.
  var entered: Int?
  /// The last fault that became a HardFault.
  package internal(set) var lastFault: ArmFault?
  /// Whether it does nothing any more.
  var lockedBy: ArmFault?
  var wantsReset = false
  /// The cycle at which the run that is under way ends; a device may bring it nearer.
  private var target: UInt64 = 0
  /// Cycles that have passed in sleep since the core was created.
  package private(set) var sleptCycles: UInt64 = 0
  /// Instructions that have run since the core was created.
  package internal(set) var instructions: UInt64 = 0
  /// The protection unit, as whom it sees the program, and whether it was written since.
  var protection = ArmProtection()
  var rights = ArmProtection.Rights.unchecked
  var hasNewRegions = false
  /// The pages that loads and stores reach without a call.
  var shown: [Int] = []
  /// What a debugger waits for, and what came of it.
  var breakpoints: Set<UInt32> = []
  var watches: [MemoryWatch] = []
  var watchHit: MemoryWatchHit?
  /// The breakpoint at which the core stopped, from which the next run goes on.
  var haltedAt: UInt32?
  /// What a turn of a loop does, while one is looked at.
  var trace: ArmTrace?
  /// Operations that stand behind one that trims the stack pointer.
  var behind: [UnsafeMutablePointer<ArmOp>] = []
  /// Whether instructions that have run are remembered over resets.
  package var notesRun = false
  /// Those whose slots are gone.
  var forgotten: Set<UInt32> = []
  /// Pages that hold decoded instructions, by number, and those that jumps reach without a call.
  var code: [Int: UnsafeMutablePointer<ArmOp>] = [:]
  var decodedPages: [Int] = []

  /// Creates a core at an address space; it stands at address 0 until it is reset.
  package init(_ model: Model = .cortexM4F, memory: AddressSpace) {
    self.model = model
    self.memory = memory
    interrupts = ArmInterrupts(priorityBits: model.priorityBits)
    let decoded = UnsafeMutablePointer<UnsafeMutablePointer<ArmOp>?>.allocate(
      capacity: Self.pages)
    decoded.initialize(repeating: nil, count: Self.pages)
    let readable = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Self.pages)
    readable.initialize(repeating: nil, count: Self.pages)
    let writable = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Self.pages)
    writable.initialize(repeating: nil, count: Self.pages)
    let stray = UnsafeMutablePointer<ArmOp>.allocate(capacity: 1)
    stray.initialize(to: ArmOp(System.fetchFault, at: 0))
    state = .allocate(capacity: 1)
    state.initialize(
      to: ArmState(
        isBaseline: model.isBaseline, readable: readable, writable: writable, decoded: decoded,
        stray: stray, owner: UnsafeRawPointer(stray),
        slowLoad: { ArmCore.at($0).slowLoad($1, $2) },
        slowStore: { ArmCore.at($0).slowStore($1, $2, $3) },
        slowFloat: { ArmCore.at($0).beginFloat() },
        slowJump: { UnsafeRawPointer(ArmCore.at($0).slot(at: $1)) }))
    state.pointee.owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    forgetDecoded()
    state.pointee.decoded.deallocate()
    state.pointee.readable.deallocate()
    state.pointee.writable.deallocate()
    state.pointee.stray.deallocate()
    state.deallocate()
  }

  static let pages = Int(AddressSpace.plainLimit >> AddressSpace.pageBits)

  private static func at(_ owner: UnsafeRawPointer) -> ArmCore {
    Unmanaged<ArmCore>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0 }
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
    if isSettled, state.pointee.request == .none, cycles < end {
      sleptCycles &+= end &- cycles
      cycles = end
      return .reached
    }
    isSettled = false
    while true {
      if let stop = serve() { return stop }
      if tick.pass(cycles) { pend(ArmInterrupts.sysTick) }
      if lockedBy == nil { takePending() }
      if cycles >= target { return .reached }
      let end = min(target, tick.deadline ?? .max)
      if isAsleep || lockedBy != nil {
        sleptCycles &+= end &- cycles
        cycles = end
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
