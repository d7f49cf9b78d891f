package import Schema
package import BME280Model
package import VirtualParts

extension RigReader {
  /// Makes the options of a sensor.
  package func options(_ value: CheckedValue) -> SensorOptions {
    var options = SensorOptions()
    if let factor = value["noise"]?.number {
      options.noise = .scaled(factor)
    } else if value["noise"]?.text == "datasheet" {
      options.noise = .datasheet
    }
    switch value["timing"]?.text {
    case "maximum": options.timing = .maximum
    case "drawn": options.timing = .drawn
    default: break
    }
    options.offset = deviation(value["offset"])
    options.driftPerYear = deviation(value["drift_per_year"])
    if let heating = value["self_heating"], let rise = heating["rise"]?.number {
      options.selfHeating = SensorOptions.SelfHeating(rise: rise)
      if let time = heating["time_constant"]?.nanoseconds {
        options.selfHeating?.timeConstant = UInt64(time)
      }
    }
    if let unknown = value["unknown"] { options.unknown = self.unknown(unknown) }
    return options
  }

  package func deviation(_ value: CheckedValue?) -> PartDeviation {
    PartDeviation(
      pressure: value?["pressure"]?.number ?? 0,
      temperature: value?["temperature"]?.number ?? 0,
      humidity: value?["humidity"]?.number ?? 0)
  }

  private func unknown(_ value: CheckedValue) -> UnknownBehaviour {
    var unknown = UnknownBehaviour()
    func set(_ key: String, _ time: WritableKeyPath<UnknownBehaviour, UInt64>) {
      if let nanoseconds = value[key]?.nanoseconds { unknown[keyPath: time] = UInt64(nanoseconds) }
    }
    func choose<Switch: RawRepresentable<String>>(
      _ key: String, _ choice: WritableKeyPath<UnknownBehaviour, Switch>
    ) {
      if let word = value[key]?.text, let chosen = Switch(rawValue: word) {
        unknown[keyPath: choice] = chosen
      }
    }
    set("copy_time_power_on", \.powerOnCopyTime)
    set("copy_time_reset", \.resetCopyTime)
    set("measuring_delay", \.measuringDelay)
    choose("calibration_during_copy", \.unreadable)
    choose("calibration_before_conversion", \.calibrationBeforeConversion)
    choose("writes_during_start", \.writesDuringStart)
    choose("id_during_start", \.identityDuringStart)
    choose("normal_mode_written_again", \.pendingMode)
    choose("pointer_after_reset", \.pointerAfterReset)
    choose("pointer_after_pair", \.pointerAfterPair)
    choose("oversampling_while_measuring", \.oversamplingWrite)
    choose("config_in_normal_mode", \.configInNormalMode)
    choose("config_while_measuring", \.configWhileMeasuring)
    choose("filter_rounding", \.filterRounding)
    choose("filter_start", \.filterStart)
    choose("past_end", \.pastEnd)
    choose("read_only_write", \.readOnlyWrite)
    if let word = value["status_bit_2"]?.text {
      unknown.hiddenBit = UnknownBehaviour.HiddenBit(rawValue: word)
    }
    choose("burst_end", \.burstEnd)
    choose("config_bit_1", \.configBit)
    return unknown
  }
}
