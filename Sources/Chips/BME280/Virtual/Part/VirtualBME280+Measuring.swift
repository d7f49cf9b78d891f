import BME280
import Environment
import Quantities
import VirtualI2C
import VirtualParts

extension VirtualBME280 {
  /// Takes the results of the conversion that ends at a time.
  ///
  /// Each channel's code is the one whose compensated value is nearest to the air. Pressure and
  /// humidity depend on the temperature that the same result reports, so that what a driver
  /// computes from the three is the air within a step of the resolution.
  func measure(at time: UInt64) {
    if let codes { return take(codes.codes(at: time)) }
    let (air, unknown, settings) = (sensedAir(at: time), options.unknown, settings)
    let fine = rawAir.temperature(air.temperature, step: settings.temperatureStep, &sensed)
    var result = RawMeasurement()
    if settings.temperature != .skipped {
      let found = sensed.temperature.result
      if !found.isReached {
        Saturation.add(to: &unreached.temperature, found, wanted: air.temperature, at: time)
      }
      result.temperature = resolved(
        temperatureFilter.filtered(found.code, settings.filter, unknown), settings.temperatureStep)
    }
    if settings.pressure != .skipped {
      rawAir.pressure(air.pressure, fine: fine, step: settings.pressureStep, &sensed)
      let found = sensed.pressure.result
      if !found.isReached {
        Saturation.add(to: &unreached.pressure, found, wanted: air.pressure, at: time)
      }
      result.pressure = resolved(
        pressureFilter.filtered(found.code, settings.filter, unknown), settings.pressureStep)
    }
    if settings.humidity != .skipped {
      rawAir.humidity(air.humidity, fine: fine, &sensed)
      let found = sensed.humidity.result
      if !found.isReached {
        Saturation.add(to: &unreached.humidity, found, wanted: air.humidity, at: time)
      }
      result.humidity = found.code
    }
    show(result)
  }

  /// Takes codes that are known, of those channels that are measured.
  private func take(_ codes: RawMeasurement) {
    var result = RawMeasurement()
    if settings.temperature != .skipped { result.temperature = codes.temperature }
    if settings.pressure != .skipped { result.pressure = codes.pressure }
    if settings.humidity != .skipped { result.humidity = codes.humidity }
    show(result)
  }

  private func show(_ result: RawMeasurement) {
    if !impairments.isEmpty, impairments.freezeResult() { return }
    latest = result
    if !isInBurst { visible = result }
  }

  /// The air at a time as the part senses it: its error, its own rise of temperature, this conversion's noise.
  ///
  /// Humidity may lie beyond 0 and 100 %: a part says so in its code, and the formula cuts it.
  private func sensedAir(at time: UInt64) -> Air {
    var air = air.air(at: time)
    let (offset, drift) = (options.offset, options.driftPerYear)
    let years = Double(time - firstPowerOn) / (365 * 86_400e9)
    air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: heat)
    air.pressure += offset.pressure + drift.pressure * years
    air.temperature += offset.temperature + drift.temperature * years + heat
    air.humidity += offset.humidity + drift.humidity * years
    if !impairments.isEmpty { impairments.shift(&air, at: time) }
    guard options.noise.factor > 0 else { return air }
    var chance = SeededGenerator(seed: seed, stream: conversions &* 4)
    air.temperature += chance.gaussian() * settings.temperatureNoise
    air.pressure +=
      chance.gaussian() * settings.pressureNoise * Noise.pressureFactor(celsius: air.temperature)
    air.humidity += chance.gaussian() * settings.humidityNoise
    return air
  }

  /// A filtered code at a resolution: the nearest that is a multiple of the step.
  private func resolved(_ code: Int32, _ step: Int32) -> Int32 {
    min((code + step / 2) & ~(step - 1), 0x100000 - step)
  }
}
