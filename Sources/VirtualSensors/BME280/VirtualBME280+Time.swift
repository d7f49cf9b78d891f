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
      case .starting: phase = .asleep
      case .converting: finishConversion(at: end)
      case .standby: startConversion(at: end)
      case .asleep: return
      }
    }
  }

  /// Starts a conversion with the settings in force.
  func startConversion(at time: UInt64) {
    phase = .converting(since: time, until: time + conversionTime())
  }

  private func finishConversion(at time: UInt64) {
    measure(at: time)
    conversions += 1
    if let pending = pendingControl {
      pendingControl = nil
      apply(control: pending, at: time)
    } else if mode == .normal {
      phase = .standby(until: time + standbyTime)
    } else {
      controlMeasurement &= ~0b11
      phase = .asleep
    }
  }

  /// Puts a write to ctrl_meas into force, and with it the humidity setting that waits for one.
  func apply(control: UInt8, at time: UInt64) {
    let wasInStandby = if case .standby = phase { true } else { false }
    controlMeasurement = control
    latchedHumidity = controlHumidity
    switch mode {
    case .sleep: phase = .asleep
    case .forced: startConversion(at: time)
    case .normal: if !wasInStandby { startConversion(at: time) }
    }
  }

  private var standbyTime: UInt64 {
    Configuration(byte: configuration).standby.nanoseconds(on: chip)
  }

  /// The time of the conversion that starts now.
  private func conversionTime() -> UInt64 {
    let control = ControlMeasurement(byte: controlMeasurement)
    let humidity = Oversampling(bits: latchedHumidity)
    let typical = MeasurementTime.typical(
      temperature: control.temperature, pressure: control.pressure, humidity: humidity)
    guard options.timing != .typical else { return typical }
    let maximum = MeasurementTime.maximum(
      temperature: control.temperature, pressure: control.pressure, humidity: humidity)
    guard options.timing == .drawn else { return maximum }
    var chance = SeededGenerator(seed: seed, stream: conversions &* 2 &+ 1)
    return typical + UInt64(chance.unit() * Double(maximum - typical))
  }

  /// Jumps over cycles of normal mode whose results nobody can see any more.
  ///
  /// Without a filter a result depends on no earlier one, so that only the last matters.
  private func skipUnseenCycles(until time: UInt64) {
    guard case .converting(let since, let until) = phase, mode == .normal, pendingControl == nil,
      options.timing != .drawn, Configuration(byte: configuration).filter == .off,
      time > until
    else { return }
    let cycle = until - since + standbyTime
    let skipped = (time - until) / cycle
    conversions += skipped
    phase = .converting(since: since + skipped * cycle, until: until + skipped * cycle)
  }
}
