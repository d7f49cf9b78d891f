import Environment
public import VirtualI2C
import VirtualParts

extension VirtualHDC1000 {
  /// Begins a measurement, with the heater if it is enabled.
  func begin(_ channels: HDC1000Channels, at time: UInt64) {
    isUpdated = false
    updateBatteryStatus()
    heater.set(configuration.isHeaterOn, at: time)
    phase = .measuring(channels, until: time + measurementTime(of: channels))
  }

  /// How long a measurement takes at the resolutions in force, in nanoseconds.
  private func measurementTime(of channels: HDC1000Channels) -> UInt64 {
    var typical: UInt64 = 0
    for quantity in HDC1000Quantity.allCases where channels.measures(quantity) {
      typical += configuration.resolution(of: quantity).time(of: quantity)
    }
    let longest = UInt64((Double(typical) * options.unknown.longestTimeFactor).rounded())
    let time = options.timing.conversionTime(typical: typical, longest: longest, seed: seed)
    return impairments.conversionTime(time, longest: longest)
  }

  /// Takes the results of the measurement that ends at a time, all at once.
  func finish(_ channels: HDC1000Channels, at time: UInt64) {
    let air = sensedAir(at: time)
    heater.set(false, at: time)
    if !impairments.freezeResult() {
      for quantity in HDC1000Quantity.allCases where channels.measures(quantity) {
        let value = quantity == .temperature ? air.temperature : air.humidity
        let resolution = configuration.resolution(of: quantity)
        let bits = options.unknown.lowBits == .measured ? 14 : resolution.bits
        codes[Int(quantity.rawValue)] = quantity.scale.code(nearestTo: value, bits: bits)
      }
    }
    measurements += 1
    isUpdated = true
    phase = .asleep
  }

  /// The air as the part senses it at a time: its error, its own rise of temperature, this result's noise.
  private func sensedAir(at time: UInt64) -> Air {
    var air = air.air(at: time)
    let rise = heater.rise(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: rise)
    air.temperature += rise
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    guard options.noise.factor > 0 else { return air }
    var chance = SeededGenerator(seed: seed, stream: measurements)
    let factor = options.noise.factor / 3
    air.temperature += chance.gaussian() * HDC1000Figures.temperatureRepeatability * factor
    air.humidity += chance.gaussian() * HDC1000Figures.humidityRepeatability * factor
    return air
  }

  // MARK: Faults

  /// Falls into a condition at a time.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
  }

  /// How many effects the condition of a fault has had so far.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }
}
