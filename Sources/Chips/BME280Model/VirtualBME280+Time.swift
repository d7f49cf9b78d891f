import BME280
import VirtualI2C

extension VirtualBME280 {
  /// Processes all events that are due at `time`.
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

  /// Ends the current phase, records its charge and heat, and enters the next phase.
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

  /// Moves the part's temperature rise towards the steady state of its activity.
  ///
  /// The rise follows a first-order lag, computed with basic arithmetic so that all machines produce the same bits.
  private func warm(for length: UInt64) {
    guard let heating = options.selfHeating else { return }
    let share = Double(length) / Double(max(heating.timeConstant, 1))
    let goal = phase.isConverting ? heating.rise : 0
    heat = (heat + goal * share) / (1 + share)
  }

  /// Starts a conversion with the current settings.
  func startConversion(at time: UInt64) {
    latchSettings()
    let length =
      impairments.isEmpty
      ? settings.time : impairments.conversionTime(settings.time, longest: settings.longestTime)
    enter(.converting(since: time, until: time + length), at: time)
  }

  /// The registers that determine the settings of a conversion that starts now.
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

  /// Applies a write to ctrl_meas, together with the pending humidity setting.
  ///
  /// - Parameters:
  ///   - control: the value written.
  ///   - time: the time.
  ///   - isPausing: `true` to start with the standby time if the new mode is normal mode.
  func apply(control: UInt8, at time: UInt64, pausing isPausing: Bool = false) {
    controlMeasurement = control
    latchedHumidity = controlHumidity
    if isPausing, mode == .normal {
      enter(.standby(until: time + standbyTime()), at: time)
    } else {
      followMode(at: time)
    }
  }

  /// Enters the phase that the current power mode requires: sleep or a conversion.
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

  /// Returns the duration in nanoseconds of a standby phase with the current settings.
  private func standbyTime() -> UInt64 {
    oscillator.standbyTime(
      nominal: Configuration(byte: configuration).standby.nanoseconds(on: chip))
  }

  /// Skips cycles of normal mode whose results can no longer be observed.
  ///
  /// Without a filter a result does not depend on earlier results, so only the last one matters.
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

/// The settings of a conversion, decoded at its start and valid until its end.
///
/// Writes during the conversion apply to the next one.
struct ConversionSettings {
  /// The registers that determine the settings: ctrl_meas without its mode, the effective ctrl_hum, and config.
  let registers: SIMD3<UInt8>
  let temperature, pressure, humidity: Oversampling
  let filter: Filter
  /// The difference between two adjacent codes that the conversion can yield.
  let temperatureStep, pressureStep: Int32
  /// The duration of the conversion in nanoseconds.
  let time: UInt64
  /// The datasheet's maximum duration in nanoseconds.
  let longestTime: UInt64
  /// The charge of the conversion in uA s.
  let charge: Double
  /// The standard deviation of the noise before the filter, in C, Pa and %RH.
  let temperatureNoise, pressureNoise, humidityNoise: Double

  init(
    _ registers: SIMD3<UInt8>, on chip: Chip, oscillator: Oscillator, noise factor: Double
  ) {
    let control = ControlMeasurement(byte: registers[0])
    self.registers = registers
    (temperature, pressure) = (control.temperature, control.pressure)
    humidity = chip.measuresHumidity ? Oversampling(bits: registers[1]) : .skipped
    filter = Configuration(byte: registers[2]).filter
    temperatureStep = Self.step(of: temperature, filter, on: chip)
    pressureStep = Self.step(of: pressure, filter, on: chip)
    longestTime = MeasurementTime.maximum(
      temperature: temperature, pressure: pressure, humidity: humidity)
    let typical = MeasurementTime.typical(
      temperature: temperature, pressure: pressure, humidity: humidity)
    time = oscillator.conversionTime(typical: typical, longest: longestTime)
    charge = Current.charge(temperature: temperature, pressure: pressure, humidity: humidity)
    temperatureNoise = factor * Noise.temperature(temperature)
    pressureNoise = factor * Noise.pressureBeforeFilter(pressure, filter: filter)
    humidityNoise = factor * Noise.humidity(humidity)
  }

  /// Returns the difference between two adjacent codes that a conversion can yield.
  ///
  /// It depends on the oversampling, but is always 1 on a BME280 with the filter on (DS 3.4.1).
  private static func step(of oversampling: Oversampling, _ filter: Filter, on chip: Chip) -> Int32
  {
    if oversampling == .skipped || (filter != .off && chip == .bme280) { return 1 }
    return 1 << Int32(20 - oversampling.resolutionBits)
  }
}

/// The oscillator of a part, from which all its times are derived.
struct Oscillator {
  /// The kind of timing: typical, maximum, or drawn at random once per part.
  let timing: PartTiming
  /// The relative error of all times, from -0.25 to 0.25.
  let error: Double

  /// The typical error of the standby time, used as the standard deviation of drawn errors; `largestError` is the
  /// maximum error (DS 1.1).
  private static var typicalError: Double { 0.05 }
  private static var largestError: Double { 0.25 }

  /// Creates the oscillator of a part; with drawn timing, the seed determines its error.
  init(_ timing: PartTiming, seed: UInt64) {
    self.timing = timing
    switch timing {
    case .typical: error = 0
    case .maximum: error = Self.largestError
    case .drawn:
      var generator = SeededGenerator(seed: seed, stream: .max)
      let drawn = generator.gaussian() * Self.typicalError
      error = min(max(drawn, -Self.largestError), Self.largestError)
    }
  }

  /// Returns the duration of a conversion in nanoseconds, which never exceeds `longest` (DS 9.1).
  func conversionTime(typical: UInt64, longest: UInt64) -> UInt64 {
    timing == .typical ? typical : min(scaled(typical), longest)
  }

  /// Returns the standby time in nanoseconds.
  func standbyTime(nominal: UInt64) -> UInt64 {
    timing == .typical ? nominal : scaled(nominal)
  }

  private func scaled(_ time: UInt64) -> UInt64 { UInt64(Double(time) * (1 + error)) }
}
