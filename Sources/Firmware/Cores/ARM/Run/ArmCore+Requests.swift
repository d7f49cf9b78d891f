/// Handling of faults, and of the requests that instruction handlers make to the core.
extension ArmCore {
  /// Serves the request of the last instruction; returns the stop reason if the run must end.
  func serve() -> ArmStop? {
    let request = state.pointee.request
    let value = state.pointee.requestValue
    state.pointee.request = .none
    if control.mustDiscardDecoded {
      control.mustDiscardDecoded = false
      discardDecoded()
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
    case .stackLimit: hasPassedStackLimit = true
    case .breakpoint: return .breakpoint(value)
    case .supervisorCall: takeSupervisorCall()
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
    if hasPassedStackLimit {
      hasPassedStackLimit = false
      return .stackLimit
    }
    if let hit = watchHit {
      watchHit = nil
      return .watched(hit)
    }
    return lockedBy.map { .lockUp($0) }
  }

  /// The execution priority, including PRIMASK, BASEPRI and FAULTMASK.
  var executionPriority: Int {
    var priority = interrupts.activePriority
    let base = Int(state.pointee.basepri & UInt32(interrupts.priorityMask))
    if base != 0 { priority = min(priority, interrupts.group(base)) }
    if state.pointee.primask != 0 { priority = min(priority, 0) }
    if state.pointee.faultmask != 0 { priority = min(priority, -1) }
    return priority
  }

  /// `true` if a pending interrupt can end WFI; PRIMASK is ignored.
  private var canWake: Bool {
    guard let next = interrupts.next else { return false }
    let mask = state.pointee.primask
    state.pointee.primask = 0
    defer { state.pointee.primask = mask }
    return interrupts.group(interrupts.priority(next)) < executionPriority
  }

  /// Takes the most urgent pending exception if it preempts the running code.
  func takePending() {
    if isAsleep {
      let wakes = waitsForEvent && state.pointee.event || canWake && !waitsForEvent
      if wakes { wake() }
    }
    guard let next = nextToTake else { return }
    wake()
    if let entered { arriveLate(next, insteadOf: entered) } else { enter(next) }
  }

  /// The most urgent pending exception that preempts the running code.
  var nextToTake: Int? {
    guard let next = interrupts.next,
      interrupts.group(interrupts.priority(next)) < executionPriority
    else { return nil }
    return next
  }

  /// Puts the core to sleep, in deep sleep if SCR.SLEEPDEEP is set.
  func fallAsleep() {
    isAsleep = true
    if !model.isClockedAsleep { setClockRunning(false) }
    guard control.sleepsDeep else { return }
    isDeeplyAsleep = true
    deepSleep(true)
  }

  /// Starts or stops SysTick and DWT.CYCCNT, because the core clock starts or stops.
  package func setClockRunning(_ isRunning: Bool) {
    if isRunning { tick.resume(at: cycles) } else { tick.pause(at: cycles) }
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

  /// Sets an exception pending.
  ///
  /// - Parameter number: the exception number; 16 is the first interrupt of the microcontroller.
  package func pend(_ number: Int) {
    if control.wakesOnPending, !interrupts.isPending(number) { state.pointee.event = true }
    interrupts.setPending(number, true)
    state.pointee.limit = 0
    isSettled = false
  }

  /// Sets the event register, which wakes the core from WFE.
  package func sendEvent() {
    state.pointee.event = true
    state.pointee.limit = 0
    isSettled = false
  }

  /// Sets the level of an interrupt line.
  ///
  /// The interrupt becomes pending on the rising edge, and again when its handler returns while the line is still high.
  package func setLine(_ number: Int, _ isHigh: Bool) {
    if isHigh, !interrupts.isHigh(number) { pend(number) }
    interrupts.setLine(number, isHigh)
  }

  private func takeSupervisorCall() {
    let number = ArmNVIC.supervisorCall
    guard interrupts.group(interrupts.priority(number)) < executionPriority else {
      control.hardFaults |= 1 << 30
      return escalate(.call)
    }
    enter(number)
  }

  /// Raises a fault that the instruction at PC caused.
  func fault(_ fault: ArmFault, address: UInt32? = nil) {
    isSettled = false
    control.faults |= 1 << fault.rawValue
    let number = fault.exception
    if let address, number == ArmNVIC.bus {
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

  /// Escalates a fault to HardFault, or locks up the core if it already runs at HardFault priority or above.
  func escalate(_ fault: ArmFault) {
    lastFault = fault
    guard executionPriority > -1 else {
      lockedBy = fault
      return
    }
    enter(ArmNVIC.hardFault)
  }
}
