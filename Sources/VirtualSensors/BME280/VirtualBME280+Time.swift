import BME280
import VirtualI2C

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
      case .starting: enter(.asleep, at: end)
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

  /// Moves the part's own warmth towards where its activity drives it.
  ///
  /// A first-order lag, in plain arithmetic so that every machine gives the same bits.
  private func warm(for length: UInt64) {
    guard let heating = options.selfHeating else { return }
    let share = Double(length) / Double(max(heating.timeConstant, 1))
    let goal = phase.isConverting ? heating.rise : 0
    heat = (heat + goal * share) / (1 + share)
  }

  /// Starts a conversion with the settings in force.
  func startConversion(at time: UInt64) {
    let length = sufferings.isEmpty ? conversionTime() : stretchedConversionTime()
    enter(.converting(since: time, until: time + length), at: time)
  }

  private func finishConversion(at time: UInt64) {
    measure(at: time)
    conversions += 1
    conversionsSinceReset += 1
    ledger.measurements += chargeOfMeasurement
    if let pending = pendingControl {
      pendingControl = nil
      apply(control: pending, at: time)
    } else if mode == .normal {
      enter(.standby(until: time + standbyTime()), at: time)
    } else {
      controlMeasurement &= ~0b11
      enter(.asleep, at: time)
    }
  }

  /// Puts a write to ctrl_meas into force, and with it the humidity setting that waits for one.
  func apply(control: UInt8, at time: UInt64) {
    let wasInStandby = if case .standby = phase { true } else { false }
    controlMeasurement = control
    latchedHumidity = controlHumidity
    switch mode {
    case .sleep: enter(.asleep, at: time)
    case .forced: startConversion(at: time)
    case .normal: if !wasInStandby { startConversion(at: time) }
    }
  }

  /// The time of the pause that starts now.
  private func standbyTime() -> UInt64 {
    let nominal = Configuration(byte: configuration).standby.nanoseconds(on: chip)
    switch options.timing {
    case .typical: return nominal
    case .maximum: return nominal + nominal / 4
    case .drawn:
      var chance = SeededGenerator(seed: seed, stream: conversions &* 4 &+ 2)
      return UInt64(Double(nominal) * (0.95 + 0.1 * chance.unit()))
    }
  }

  /// The charge of a measurement with the settings in force, in uA s.
  private var chargeOfMeasurement: Double {
    let control = ControlMeasurement(byte: controlMeasurement)
    return Current.charge(
      temperature: control.temperature, pressure: control.pressure,
      humidity: Oversampling(bits: latchedHumidity))
  }

  /// The longest time of a conversion with the settings in force.
  private var longestConversion: UInt64 {
    let control = ControlMeasurement(byte: controlMeasurement)
    return MeasurementTime.maximum(
      temperature: control.temperature, pressure: control.pressure,
      humidity: Oversampling(bits: latchedHumidity))
  }

  /// The time of the conversion that starts now, in a part with which something is wrong.
  private func stretchedConversionTime() -> UInt64 {
    sufferedConversionTime(conversionTime(), maximum: longestConversion)
  }

  /// The time of the conversion that starts now.
  private func conversionTime() -> UInt64 {
    let control = ControlMeasurement(byte: controlMeasurement)
    let humidity = Oversampling(bits: latchedHumidity)
    let typical = MeasurementTime.typical(
      temperature: control.temperature, pressure: control.pressure, humidity: humidity)
    guard options.timing != .typical else { return typical }
    let maximum = longestConversion
    guard options.timing == .drawn else { return maximum }
    var chance = SeededGenerator(seed: seed, stream: conversions &* 4 &+ 1)
    return typical + UInt64(chance.unit() * Double(maximum - typical))
  }

  /// Jumps over cycles of normal mode whose results nobody can see any more.
  ///
  /// Without a filter a result depends on no earlier one, so that only the last matters.
  private func skipUnseenCycles(until time: UInt64) {
    guard case .converting(let since, let until) = phase, mode == .normal, pendingControl == nil,
      options.timing != .drawn, options.selfHeating == nil, sufferings.isEmpty,
      Configuration(byte: configuration).filter == .off, time > until
    else { return }
    let pause = standbyTime()
    let cycle = until - since + pause
    let skipped = (time - until) / cycle
    conversions += skipped
    conversionsSinceReset += skipped
    ledger.measurements += Double(skipped) * chargeOfMeasurement
    ledger.add(skipped * pause, inStandby: true)
    phase = .converting(since: since + skipped * cycle, until: until + skipped * cycle)
    phaseStart = since + skipped * cycle
  }
}
