extension VirtualBME280 {
  /// Switches the supply VDD on or off at a time.
  ///
  /// Without it the part is gone with all its state; when it returns, the part starts anew (DS 3.2).
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if isOn {
      if case .off = phase { reset(at: time, copyTime: options.unknown.powerOnCopyTime) }
    } else {
      enter(.off, at: time)
      isInBurst = false
      pointer = 0
    }
  }

  /// Switches the interface's supply VDDIO on or off at a time.
  ///
  /// Without it nobody answers, but the part keeps its state and goes on (DS 3.2).
  public func setInterfaceSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    hasInterfaceSupply = isOn
    if !isOn { isInBurst = false }
  }

  /// The charge drawn until a time, a conversion that is running not counted; a time before its last change counts as that.
  public func charge(at time: UInt64) -> ChargeLedger {
    advance(to: time)
    var ledger = ledger
    let length = max(time, phaseStart) - phaseStart
    switch phase {
    case .starting, .asleep: ledger.add(length, inStandby: false)
    case .standby: ledger.add(length, inStandby: true)
    case .converting, .off: break
    }
    return ledger
  }
}
