import Schema
import VirtualI2C

extension FaultModel {
  static let slowConversion = FaultModel(
    "slow-conversion", .target, "Conversions take the data sheet's longest time.",
    count: PlannedFault.unlimited
  ) { _ in
    .condition(.slow)
  }
}
