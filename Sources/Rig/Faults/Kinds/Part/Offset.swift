import Parts
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results are off.", Section.deviation.fields,
    count: PlannedFault.unlimited
  ) {
    let error = PartDeviation($0)
    return .condition(
      .offset(pressure: error.pressure, temperature: error.temperature, humidity: error.humidity))
  }
}
