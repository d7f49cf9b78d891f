import Schema
import VirtualI2C

extension FaultModel {
  static let stuckClock = FaultModel(
    "stuck-scl", .wire, "SCL is held low, which no clock can end: every transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStuck(FaultKeys.length($0))
  }
}
