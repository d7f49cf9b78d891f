import Schema
import VirtualI2C

extension FaultModel {
  static let clockStretch = FaultModel(
    "clock-stretch", .wire,
    "SCL is held low; beyond the adapter's stretch_limit the transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStretch(FaultKeys.length($0))
  }
}
