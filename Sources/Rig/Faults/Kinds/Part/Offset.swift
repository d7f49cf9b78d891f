import Parts
import Quantities
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results are off.", Section.deviation.fields,
    count: PlannedFault.unlimited
  ) {
    .condition(.offset(PartDeviation($0)))
  }
}
