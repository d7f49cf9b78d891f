/// What instructions leave to the core, and faults.
extension ArmCore {
  /// Does what the last instruction asked for.
  func serve() -> ArmStop? {
    let request = state.pointee.request
    let value = state.pointee.requestValue
    state.pointee.request = .none
    if control.mustForget {
      control.mustForget = false
      forgetDecoded()
    }
    if wantsReset {
      wantsReset = false
      return .reset
    }
    switch request {
    case .none, .priorities: break
    case .undefined: fault(.undefined)
    case .noCoprocessor: fault(.coprocessor)
    case .invalidState: fault(.state)
    case .divideByZero: fault(.division)
    case .unaligned: fault(.unaligned)
    case .dataBus: fault(.access, address: value)
    case .dataProtection: fault(.protectedAccess, address: value)
    case .fetchBus: fault(.fetch)
    case .fetchProtection: fault(.protectedFetch)
    case .halt:
      haltedAt = state.pointee.pc
      return .halted
    case .stackFloor: hasPassedFloor = true
    case .breakpoint: return .breakpoint(value)
    case .supervisorCall: superviseCall()
    case .exceptionReturn: returnFromException(value)
    case .waitForInterrupt: if !canWake { fallAsleep() }
    case .waitForEvent:
      if state.pointee.event {
        state.pointee.event = false
      } else {
        waitsForEvent = true
        fallAsleep()
      }
    }
    if hasPassedFloor {
      hasPassedFloor = false
      return .stackFloor
    }
    if let hit = watchHit {
      watchHit = nil
      return .watched(hit)
    }
    return lockedBy.map { .lockUp($0) }
  }

  /// The priority at which the core runs, boosted by its mask registers.
  var executionPriority: Int {
    var priority = interrupts.activePriority
    let base = Int(state.pointee.basepri & UInt32(interrupts.priorityMask))
    if base != 0 { priority = min(priority, interrupts.group(base)) }
    if state.pointee.primask != 0 { priority = min(priority, 0) }
    if state.pointee.faultmask != 0 { priority = min(priority, -1) }
    return priority
  }

  /// Whether WFI has something to wake for: an interrupt that PRIMASK alone may hold back.
  private var canWake: Bool {
    guard let next = interrupts.next else { return false }
    let mask = state.pointee.primask
    state.pointee.primask = 0
    defer { state.pointee.primask = mask }
    return interrupts.group(interrupts.priority(next)) < executionPriority
  }

  /// Takes the most urgent pending exception, when it is more urgent than what runs.
  func takePending() {
    if isAsleep {
      let wakes = waitsForEvent && state.pointee.event || canWake && !waitsForEvent
      if wakes { wake() }
    }
    guard let next = nextToTake else { return }
    wake()
    if let entered { arriveLate(next, insteadOf: entered) } else { enter(next) }
  }

  /// The most urgent exception that is more urgent than what runs.
  var nextToTake: Int? {
    guard let next = interrupts.next,
      interrupts.group(interrupts.priority(next)) < executionPriority
    else { return nil }
    return next
  }

  /// Sleeps, deeply where SCR says so.
  func fallAsleep() {
    isAsleep = true
    if !model.isClockedAsleep { setClockRunning(false) }
    guard control.sleepsDeep else { return }
    isDeeplyAsleep = true
    deepSleep(true)
  }

  /// Lets SysTick and DWT.CYCCNT stand while the clock of the core does.
  package func setClockRunning(_ isRunning: Bool) {
    if isRunning { tick.goOn(at: cycles) } else { tick.pause(at: cycles) }
    control.setClockRunning(isRunning, at: cycles)
    isSettled = false
  }

  private func wake() {
    if isDeeplyAsleep {
      isDeeplyAsleep = false
      deepSleep(false)
    }
    if isAsleep, !model.isClockedAsleep { setClockRunning(true) }
    if waitsForEvent { state.pointee.event = false }
    isAsleep = false
    waitsForEvent = false
  }

  /// Makes an exception pending, as a device or a register does.
  ///
  /// - Parameter number: 16 and up are the interrupts of the microcontroller, 16 being its first.
  package func pend(_ number: Int) {
    if control.wakesOnPending, !interrupts.isPending(number) { state.pointee.event = true }
    interrupts.setPending(number, true)
    state.pointee.limit = 0
    isSettled = false
  }

  /// Sets the event for which WFE waits, as a device does.
  package func sendEvent() {
    state.pointee.event = true
    state.pointee.limit = 0
    isSettled = false
  }

  /// Sets the line on which a device asks for an exception: it is pending when the line rises, and again when its
  /// handling ends while the line is still high.
  package func setLine(_ number: Int, _ isHigh: Bool) {
    if isHigh, !interrupts.isHigh(number) { pend(number) }
    interrupts.setLine(number, isHigh)
  }

  private func superviseCall() {
    let number = ArmInterrupts.supervisorCall
    guard interrupts.group(interrupts.priority(number)) < executionPriority else {
      control.hardFaults |= 1 << 30
      return escalate(.call)
    }
    enter(number)
  }

  /// A fault of the instruction at which the core stands.
  func fault(_ fault: ArmFault, address: UInt32? = nil) {
    isSettled = false
    control.faults |= 1 << fault.rawValue
    let number = fault.exception
    if let address, number == ArmInterrupts.bus {
      control.faults |= 1 << 15
      control.faultAddress = address
    } else if let address {
      control.faults |= 1 << 7
      control.protectionAddress = address
    }
    let isTaken =
      interrupts.isEnabled(number)
      && interrupts.group(interrupts.priority(number)) < executionPriority
    if isTaken { return enter(number) }
    control.hardFaults |= 1 << 30
    escalate(fault)
  }

  /// HardFault, or the end when there is one already.
  func escalate(_ fault: ArmFault) {
    lastFault = fault
    guard executionPriority > -1 else {
      lockedBy = fault
      return
    }
    enter(ArmInterrupts.hardFault)
  }
}
