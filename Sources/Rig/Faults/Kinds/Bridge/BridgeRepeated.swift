import Schema
import VirtualI2C

extension FaultModel {
  static let bridgeRepeated = FaultModel(
    "bridge-repeated", .bridge, "A frame arrives twice at the bridge, and is done twice."
  ) { _ in
    .frameRepeated
  }
}
