import Schema
import VirtualI2C

extension FaultModel {
  static let arbitrationLost = FaultModel(
    "arbitration-lost", .wire, "Another controller wins the bus."
  ) { _ in
    .arbitrationLost
  }
}
