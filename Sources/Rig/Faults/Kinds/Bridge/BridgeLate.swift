import Schema
import VirtualI2C

extension FaultModel {
  static let bridgeLate = FaultModel(
    "bridge-late", .bridge,
    "The bridge acknowledges a frame late; beyond its time_out that is too late.",
    [FaultKeys.length]
  ) {
    .frameLate(FaultKeys.length($0))
  }
}
