import BME280
import VirtualI2C

extension VirtualBME280 {
  /// Takes the results of the conversion that ends at a time.
  ///
  /// Each channel's code is the one whose compensated value is nearest to the air. Pressure and
  /// humidity depend on the temperature that the same result reports, so that what a driver
  /// computes from the three is the air within a step of the resolution.
  func measure(at time: UInt64) {
    let control = ControlMeasurement(byte: controlMeasurement)
    let humidity = Oversampling(bits: latchedHumidity)
    if let codes { return take(codes.codes(at: time), control, humidity) }
    let filter = Configuration(byte: configuration).filter
    let (air, raw, unknown) = (sensedAir(at: time, control, humidity), rawAir, options.unknown)

    let found = raw.temperature(
      air.temperature, step: step(of: control.temperature, filter))
    let fine = raw.fineTemperature(of: found.code)
    var result = RawMeasurement()
    if control.temperature != .skipped {
      if !found.isReached {
        Shortfall.add(to: &unreached.temperature, found, wanted: air.temperature, at: time)
      }
      let code = temperatureFilter.filtered(found.code, filter, unknown)
      result.temperature = truncated(code, control.temperature, filter)
    }
    if control.pressure != .skipped {
      let found = raw.pressure(air.pressure, fine: fine, step: step(of: control.pressure, filter))
      if !found.isReached {
        Shortfall.add(to: &unreached.pressure, found, wanted: air.pressure, at: time)
      }
      let code = pressureFilter.filtered(found.code, filter, unknown)
      result.pressure = truncated(code, control.pressure, filter)
    }
    if chip.measuresHumidity, humidity != .skipped {
      let found = raw.humidity(air.humidity, fine: fine)
      if !found.isReached {
        Shortfall.add(to: &unreached.humidity, found, wanted: air.humidity, at: time)
      }
      result.humidity = found.code
    }
    show(result)
  }

  /// Takes codes that are known, of those channels that are measured.
  private func take(
    _ codes: RawMeasurement, _ control: ControlMeasurement, _ humidity: Oversampling
  ) {
    var result = RawMeasurement()
    if control.temperature != .skipped { result.temperature = codes.temperature }
    if control.pressure != .skipped { result.pressure = codes.pressure }
    if chip.measuresHumidity, humidity != .skipped { result.humidity = codes.humidity }
    show(result)
  }

  private func show(_ result: RawMeasurement) {
    guard showsNewResults() else { return }
    latest = result
    if !isInBurst { visible = result }
  }

  /// The air at a time as the part senses it: its error, its own warmth, this conversion's noise.
  private func sensedAir(
    at time: UInt64, _ control: ControlMeasurement, _ humidity: Oversampling
  ) -> Air {
    var air = air.air(at: time)
    let (offset, drift) = (options.offset, options.driftPerYear)
    let years = Double(time - firstPowerOn) / (365 * 86_400e9)
    air.pressure += offset.pressure + drift.pressure * years
    air.temperature += offset.temperature + drift.temperature * years + heat
    air.humidity += offset.humidity + drift.humidity * years
    shift(&air, at: time)
    air.humidity = min(max(air.humidity, 0), 100)
    let factor = options.noise.factor
    guard factor > 0 else { return air }
    var chance = SeededGenerator(seed: seed, stream: conversions &* 4)
    air.temperature += chance.gaussian() * factor * Noise.temperature(control.temperature)
    air.pressure +=
      chance.gaussian() * factor * Noise.pressure(control.pressure, filter: .off)
      * Noise.pressureFactor(celsius: air.temperature)
    air.humidity += chance.gaussian() * factor * Noise.humidity(humidity)
    air.humidity = min(max(air.humidity, 0), 100)
    return air
  }

  /// The resolution of temperature or pressure in bits: by oversampling, and on the BME280 always
  /// 20 while the filter is on (DS 3.4.1).
  private func resolution(of oversampling: Oversampling, _ filter: Filter) -> Int {
    if oversampling == .skipped || (filter != .off && chip == .bme280) { return 20 }
    return oversampling.resolutionBits
  }

  /// The distance between two codes before the filter.
  private func step(of oversampling: Oversampling, _ filter: Filter) -> Int32 {
    1 << Int32(20 - resolution(of: oversampling, filter))
  }

  /// A code with the bits below the resolution cleared.
  private func truncated(_ code: Int32, _ oversampling: Oversampling, _ filter: Filter) -> Int32 {
    code & ~(step(of: oversampling, filter) - 1)
  }
}
