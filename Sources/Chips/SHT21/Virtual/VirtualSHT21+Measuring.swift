import Environment
public import VirtualI2C
import VirtualParts

extension VirtualSHT21 {
  /// Begins a measurement of one quantity.
  func begin(_ quantity: SHT21Quantity, holdingClock: Bool, at time: UInt64) {
    if !userRegister.isReloadDisabled {
      loadDefaults()
      if options.unknown.reloadBit == .kept { userRegister.isReloadDisabled = false }
    }
    let until = time + measurementTime(of: quantity)
    phase = .measuring(quantity, until: until, holdsClock: holdingClock)
  }

  /// How long a measurement takes at the resolution in force, in nanoseconds.
  private func measurementTime(of quantity: SHT21Quantity) -> UInt64 {
    let resolution = userRegister.resolution
    let longest = resolution.longestTime(of: quantity)
    let time = options.timing.conversionTime(
      typical: resolution.typicalTime(of: quantity), longest: longest, seed: seed)
    return impairments.conversionTime(time, longest: longest)
  }

  /// Takes the result of the measurement that ends at a time.
  func finish(_ quantity: SHT21Quantity, at time: UInt64) {
    let value = sensed(quantity, at: time)
    var bits = userRegister.resolution.bits(of: quantity)
    if options.unknown.unusedBits == .measured { bits = 14 }
    if !impairments.freezeResult() {
      lastCodes[Int(quantity.rawValue)] = quantity.scale.code(nearestTo: value, bits: bits)
    }
    measurements += 1
    userRegister.isBatteryLow = options.supply < SHT21Figures.lowSupply
    answer = SHT21Answer()
    answer.addChecked(lastCodes[Int(quantity.rawValue)] | quantity.statusBits)
    isAnswerDue = true
    phase = .ready
  }

  /// The quantity as the part senses it at a time: its error, its own rise of temperature, this result's noise.
  private func sensed(_ quantity: SHT21Quantity, at time: UInt64) -> Double {
    var air = air.air(at: time)
    let rise = heater.rise(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: rise)
    air.temperature += rise
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    var chance = SeededGenerator(seed: seed, stream: measurements)
    let factor = options.noise.factor
    switch quantity {
    case .temperature:
      let deviation = SHT21Figures.temperatureRepeatability / 3 * factor
      return air.temperature + (factor > 0 ? chance.gaussian() * deviation : 0)
    case .humidity:
      let deviation = SHT21Figures.humidityRepeatability / 3 * factor
      return air.humidity + (factor > 0 ? chance.gaussian() * deviation : 0)
    }
  }

  /// Switches the heater, which begins to warm the part or lets it cool.
  func switchHeater(to isOn: Bool, at time: UInt64) {
    heater.set(isOn, at: time)
    userRegister.isHeaterOn = isOn
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
