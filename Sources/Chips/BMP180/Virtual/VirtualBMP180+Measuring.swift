import Environment
public import VirtualI2C
import VirtualParts

extension VirtualBMP180 {
  /// Begins a conversion.
  func begin(_ conversion: BMP180Conversion, at time: UInt64) {
    let typical = options.timing.conversionTime(
      typical: conversion.typicalTime, longest: conversion.longestTime, seed: seed)
    let length = impairments.conversionTime(typical, longest: conversion.longestTime)
    phase = .converting(conversion, until: time + length)
  }

  /// Takes the result of the conversion that ends at a time, all at once.
  func finish(_ conversion: BMP180Conversion, at time: UInt64) {
    let air = sensedAir(at: time, conversion)
    conversions += 1
    guard !impairments.freezeResult() else { return }
    let temperature = inverse.temperature(air.temperature)
    switch conversion {
    case .temperature:
      let kept = options.unknown.lowByte == .last ? result & 0xFF : 0
      result = conversion.word(of: temperature) | kept
    case .pressure(let oversampling):
      let fine = options.calibration.fineTemperature(temperature) ?? 0
      result = conversion.word(of: inverse.pressure(air.pressure, oversampling, fine: fine))
    }
  }

  /// The air as the part senses it at a time: its error, and the noise of a pressure.
  private func sensedAir(at time: UInt64, _ conversion: BMP180Conversion) -> Air {
    var air = air.air(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    guard options.noise.factor > 0, case .pressure(let oversampling) = conversion else {
      return air
    }
    var chance = SeededGenerator(seed: seed, stream: conversions)
    air.pressure += chance.gaussian() * BMP180Figures.noise(oversampling) * options.noise.factor
    return air
  }

  // MARK: Faults

  /// The memory as a start takes it: with a fault, only in part or with a wrong byte.
  func copiedMemory() -> InlineArray<22, UInt8> {
    var copy = InlineArray<22, UInt8> { options.calibration.byte($0) }
    impairments.act { impairment in
      switch impairment.condition {
      case .partialMemory(let kept):
        for index in copy.indices where index >= kept { copy[index] = 0 }
      case .wrongMemory(let byte, let mask) where copy.indices.contains(byte):
        copy[byte] ^= mask
      default: return false
      }
      return true
    }
    return copy
  }

  /// Falls into a condition at a time.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
    // The supply dips, and the part starts anew.
    if case .partialMemory = condition { restart(at: time, for: BMP180Figures.startTime) }
  }

  /// How many effects the condition of a fault has had so far.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }
}
