import Schema
import VirtualI2C

extension FaultModel {
  static let powerLoss = FaultModel(
    "power-loss", .target,
    "The device has no supply and starts anew: a brown-out, or a plug that is pulled and comes back.",
    [.optional("for", .quantity(.duration), "how long; 10ms unless given")]
  ) {
    .powerLoss(FaultKeys.length($0))
  }
}
