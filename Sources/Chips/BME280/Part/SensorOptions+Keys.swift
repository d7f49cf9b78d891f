import BME280Model
import Parts
import Schema
import VirtualParts

extension SensorOptions {
  /// Creates the options that the keys of a device say.
  init(_ value: CheckedValue) {
    self.init(noise: PartNoise(value["noise"]), timing: PartTiming(value["timing"]))
    offset = PartDeviation(value["offset"])
    driftPerYear = PartDeviation(value["drift_per_year"])
    if let heating = value["self_heating"], let rise = heating["rise"]?.number {
      selfHeating = SensorOptions.SelfHeating(rise: rise)
      if let time = heating["time_constant"]?.nanoseconds {
        selfHeating?.timeConstant = UInt64(time)
      }
    }
    unknown = AssumptionKey.behaviour(BME280Keys.unknown, value["unknown"])
  }
}
