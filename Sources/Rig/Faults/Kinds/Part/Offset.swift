import Parts
import Quantities
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results are off.", Section.deviation.fields,
    needing: Section.deviation.fields.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.offset(PartDeviation($0)))
  }
}
