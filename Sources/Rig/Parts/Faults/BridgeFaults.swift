import Schema
import VirtualI2C

extension FaultModel {
  static let bridgeLate = FaultModel(
    "bridge-late", .bridge,
    "The bridge acknowledges a frame late; beyond its time_out the operation fails.",
    [FaultKeys.length]
  ) {
    .frameLate($0.length)
  }
}

extension FaultModel {
  static let bridgeLost = FaultModel(
    "bridge-lost", .bridge, "A response of the bridge is lost."
  ) { _ in
    .frameLost
  }
}

extension FaultModel {
  static let bridgeRepeated = FaultModel(
    "bridge-repeated", .bridge, "A frame arrives at the bridge twice and is executed twice."
  ) { _ in
    .frameRepeated
  }
}
