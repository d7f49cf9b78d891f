import Schema
import VirtualI2C

extension FaultModel {
  static let frozen = FaultModel(
    "frozen", .target, "New results never reach the data registers.", count: PlannedFault.unlimited
  ) { _ in
    .condition(.frozen)
  }
}
