import Schema
import VirtualI2C

extension FaultModel {
  static let bridgeLost = FaultModel(
    "bridge-lost", .bridge, "An answer of the bridge is lost."
  ) { _ in
    .frameLost
  }
}
