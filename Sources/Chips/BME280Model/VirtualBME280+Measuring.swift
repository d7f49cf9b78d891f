import BME280
import Environment
import Quantities
public import VirtualI2C

extension VirtualBME280 {
  /// Stores the results of the conversion that ends at `time`.
  ///
  /// For each channel, the part selects the code whose compensated value is nearest to the sensed air. It selects the
  /// codes of pressure and humidity for the temperature of the same result, so the values that a driver computes
  /// differ from the sensed air by at most one resolution step.
  func measure(at time: UInt64) {
    if let codes { return take(codes.codes(at: time)) }
    let (air, unknown, settings) = (sensedAir(at: time), options.unknown, settings)
    let fine = inverse.temperature(air.temperature, step: settings.temperatureStep, &sensed)
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
      inverse.pressure(air.pressure, fine: fine, step: settings.pressureStep, &sensed)
      let found = sensed.pressure.result
      if !found.isReached {
        Saturation.add(to: &unreached.pressure, found, wanted: air.pressure, at: time)
      }
      result.pressure = resolved(
        pressureFilter.filtered(found.code, settings.filter, unknown), settings.pressureStep)
    }
    if settings.humidity != .skipped {
      inverse.humidity(air.humidity, fine: fine, &sensed)
      let found = sensed.humidity.result
      if !found.isReached {
        Saturation.add(to: &unreached.humidity, found, wanted: air.humidity, at: time)
      }
      result.humidity = found.code
    }
    show(result)
  }

  /// Stores the given codes, but only for the channels that are measured.
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

  /// Returns the air as sensed by the part at `time`, including the part's error, its self-heating and the noise of
  /// this conversion.
  ///
  /// Humidity may be below 0 or above 100 %: the code represents it, and the formula clamps it.
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
    var generator = SeededGenerator(seed: seed, stream: conversions &* 4)
    air.temperature += generator.gaussian() * settings.temperatureNoise
    air.pressure +=
      generator.gaussian() * settings.pressureNoise * Noise.pressureFactor(celsius: air.temperature)
    air.humidity += generator.gaussian() * settings.humidityNoise
    return air
  }

  /// Rounds a filtered code to the nearest multiple of `step`, the difference between two codes at the current
  /// resolution.
  private func resolved(_ code: Int32, _ step: Int32) -> Int32 {
    min((code + step / 2) & ~(step - 1), 0x100000 - step)
  }
}

/// The IIR filter of one channel (DS 3.4.4).
///
/// The first value after a reset of the filter is returned unchanged and initializes the memory, unless `filterStart`
/// selects a different initial value. The internal word length is not documented; the model uses eight fraction bits
/// below the converter's lowest bit.
struct FilterMemory: Hashable {
  private var memory: Int32?

  private static var fractionBits: Int32 { 8 }

  /// Filters a converter code.
  mutating func filtered(_ code: Int32, _ filter: Filter, _ unknown: UndocumentedBehavior) -> Int32
  {
    guard filter != .off else { return code }
    let new = code << Self.fractionBits
    let start = RawMeasurement.skipped20 << Self.fractionBits
    let coefficient = Int64(filter.coefficient)
    var next = new
    if let old = memory ?? (unknown.filterStart == .reset ? start : nil) {
      let half = unknown.filterRounding == .nearest ? coefficient / 2 : 0
      next = Int32((Int64(old) * (coefficient - 1) + Int64(new) + half) / coefficient)
    }
    memory = next
    guard unknown.filterRounding == .nearest else { return next >> Self.fractionBits }
    return min((next + (1 << (Self.fractionBits - 1))) >> Self.fractionBits, 0xFFFFF)
  }

  /// Clears the memory, so the next value is returned unchanged.
  mutating func reset() { memory = nil }
}

extension VirtualBME280 {
  /// Applies `condition`, a defect that an injected fault causes inside the part, from `time` until it has had `count`
  /// effects.
  ///
  /// The condition in which the part copies only a portion of its NVM comes from a dip in the supply voltage, so it
  /// restarts the part immediately.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
    switch condition {
    case .partialMemory: reset(at: time, copyTime: options.unknown.powerOnCopyTime)
    case .otherMemory: exchange(at: time)
    default: break
    }
  }

  /// Makes this part another one, with the memory of the active fault condition.
  private func exchange(at time: UInt64) {
    let size = Calibration.length(on: chip)
    impairments.act { impairment in
      guard case .otherMemory(let bytes) = impairment.condition, bytes.count == size else {
        return false
      }
      for index in bytes.indices { nvm[index] = bytes[index] }
      return true
    }
    guard let other = Calibration(bytes: nvm.span.extracting(first: size)) else { return }
    calibration = other
    inverse = InverseCompensation(calibration: other)
    sensed = InverseCompensation.Memory()
    if case .off = phase { return }
    reset(at: time, copyTime: options.unknown.powerOnCopyTime)
  }

  /// Returns the number of times that the condition of a fault has taken effect.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }

  /// Copies the NVM to the registers, subject to the active fault conditions.
  func copyMemory() {
    image = nvm
    guard !impairments.isEmpty else { return }
    var copy = nvm
    impairments.act { impairment in
      switch impairment.condition {
      case .partialMemory(let kept):
        for index in copy.indices where index >= kept { copy[index] = 0 }
        return true
      case .wrongMemory(let byte, let mask) where copy.indices.contains(byte):
        copy[byte] ^= mask
        return true
      default: return false
      }
    }
    image = copy
  }
}
