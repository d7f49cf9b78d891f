import BME280
import VirtualI2C
import VirtualParts

extension VirtualBME280 {
  /// Lets everything happen that is due at a time.
  @inline(__always)
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    passPhases(until: time)
  }

  private func passPhases(until time: UInt64) {
    skipUnseenCycles(until: time)
    while let end = phase.end, end <= time {
      switch phase {
      case .starting: followMode(at: end)
      case .converting: finishConversion(at: end)
      case .standby: startConversion(at: end)
      case .asleep, .off: return
      }
    }
  }

  /// Ends the phase in force, with its charge and heat, and begins another.
  func enter(_ next: Phase, at time: UInt64) {
    let length = time - phaseStart
    switch phase {
    case .starting, .asleep: ledger.add(length, inStandby: false)
    case .standby: ledger.add(length, inStandby: true)
    case .converting, .off: break
    }
    warm(for: length)
    phase = next
    phaseStart = time
  }

  /// Moves the part's own rise of temperature towards where its activity drives it.
  ///
  /// A first-order lag, in plain arithmetic so that every machine gives the same bits.
  private func warm(for length: UInt64) {
    guard let heating = options.selfHeating else { return }
    let share = Double(length) / Double(max(heating.timeConstant, 1))
    let goal = phase.isConverting ? heating.rise : 0
    heat = (heat + goal * share) / (1 + share)
  }

  /// Starts a conversion, which takes the settings that are in force now.
  func startConversion(at time: UInt64) {
    latchSettings()
    let length =
      impairments.isEmpty
      ? settings.time : impairments.conversionTime(settings.time, longest: settings.longestTime)
    enter(.converting(since: time, until: time + length), at: time)
  }

  /// The registers from which a conversion that starts now takes its settings.
  private var settingRegisters: SIMD3<UInt8> {
    SIMD3(controlMeasurement & ~0b11, latchedHumidity, configuration)
  }

  private func latchSettings() {
    let registers = settingRegisters
    guard registers != settings.registers else { return }
    settings = ConversionSettings(
      registers, on: chip, oscillator: oscillator, noise: options.noise.factor)
  }

  private func finishConversion(at time: UInt64) {
    measure(at: time)
    conversions += 1
    conversionsSinceReset += 1
    ledger.measurements += settings.charge
    if let pending = pendingControl {
      pendingControl = nil
      let wasNormal = mode == .normal
      apply(
        control: pending, at: time,
        pausing: wasNormal && options.unknown.pendingMode == .standby)
    } else if mode == .normal {
      enter(.standby(until: time + standbyTime()), at: time)
    } else {
      controlMeasurement &= ~0b11
      enter(.asleep, at: time)
    }
  }

  /// Puts a write to ctrl_meas into force, and with it the humidity setting that waits for one.
  ///
  /// - Parameters:
  ///   - control: what was written.
  ///   - time: when.
  ///   - isPausing: whether normal mode goes on with a pause.
  func apply(control: UInt8, at time: UInt64, pausing isPausing: Bool = false) {
    controlMeasurement = control
    latchedHumidity = controlHumidity
    if isPausing, mode == .normal {
      enter(.standby(until: time + standbyTime()), at: time)
    } else {
      followMode(at: time)
    }
  }

  /// Does what the mode in force asks for.
  func followMode(at time: UInt64) {
    switch mode {
    case _ where isHung: enter(.asleep, at: time)
    case .sleep: enter(.asleep, at: time)
    case .forced: startConversion(at: time)
    case .normal:
      if case .standby = phase { return }
      startConversion(at: time)
    }
  }

  /// The time of the pause that starts now.
  private func standbyTime() -> UInt64 {
    oscillator.standbyTime(
      nominal: Configuration(byte: configuration).standby.nanoseconds(on: chip))
  }

  /// Jumps over cycles of normal mode whose results nobody can see any more.
  ///
  /// Without a filter a result depends on no earlier one, so that only the last matters.
  private func skipUnseenCycles(until time: UInt64) {
    guard case .converting(let since, let until) = phase, mode == .normal, pendingControl == nil,
      options.selfHeating == nil, impairments.isEmpty, settings.filter == .off,
      settings.registers == settingRegisters, time > until
    else { return }
    let pause = standbyTime()
    let cycle = until - since + pause
    let skipped = (time - until) / cycle
    conversions += skipped
    conversionsSinceReset += skipped
    ledger.measurements += Double(skipped) * settings.charge
    ledger.add(skipped * pause, inStandby: true)
    phase = .converting(since: since + skipped * cycle, until: until + skipped * cycle)
    phaseStart = since + skipped * cycle
  }
}
