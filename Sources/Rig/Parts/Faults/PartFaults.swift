import Schema
import VirtualI2C

extension FaultModel {
  static let powerLoss = FaultModel(
    "power-loss", .target,
    "The device loses its supply and restarts: a brown-out, or a connector that is pulled and plugged in again.",
    [Key("for", \.length, .duration, "the time without supply")]
  ) {
    .powerLoss($0.length)
  }
}

extension FaultModel {
  static let brownOut = FaultModel(
    "brown-out", .target,
    "The supply dips: the device restarts and copies only a part of its calibration.",
    [Key("kept", \.copied, .integer(0...33), "the number of bytes that are copied")]
  ) {
    .condition(.partialMemory(kept: $0.copied))
  }
}

extension FaultModel {
  static let wrongCalibration = FaultModel(
    "wrong-calibration", .target,
    "At its next start (reset or power-on) the device copies one byte of its calibration wrong.",
    [
      FaultKeys.byte(0...32, "the index of the byte, 0 for 0x88, 26 for 0xE1"),
      FaultKeys.mask,
    ]
  ) {
    .condition(
      .wrongMemory(byte: $0.byte, mask: $0.mask))
  }
}

extension FaultModel {
  static let frozen = FaultModel(
    "frozen", .target, "New results do not reach the data registers.", count: PlannedFault.unlimited
  ) { _ in
    .condition(.frozen)
  }
}

extension FaultModel {
  static let slowConversion = FaultModel(
    "slow-conversion", .target, "Conversions take the longest time of the datasheet.",
    count: PlannedFault.unlimited
  ) { _ in
    .condition(.slow)
  }
}

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results have a constant error.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.offset($0.error))
  }
}

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift by the given error per hour.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.drift($0.error))
  }
}
