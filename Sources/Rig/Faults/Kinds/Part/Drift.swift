import Parts
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift: the error of an hour is given.", Section.deviation.fields,
    count: PlannedFault.unlimited
  ) {
    let error = PartDeviation($0)
    return .condition(
      .drift(pressure: error.pressure, temperature: error.temperature, humidity: error.humidity))
  }
}
