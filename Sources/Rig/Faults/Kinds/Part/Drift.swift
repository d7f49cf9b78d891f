import Parts
import Quantities
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift: the error of an hour is given.", Section.deviation.fields,
    needing: Section.deviation.fields.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.drift(PartDeviation($0)))
  }
}
