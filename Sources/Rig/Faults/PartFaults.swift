import Parts
import Quantities
import Schema
import VirtualI2C
import VirtualParts

extension FaultModel {
  static let powerLoss = FaultModel(
    "power-loss", .target,
    "The device loses its supply and restarts: a brown-out, or a connector that is pulled and plugged in again.",
    [.optional("for", .quantity(.duration), "the time without supply; default: 10ms")]
  ) {
    .powerLoss(FaultKeys.length($0))
  }
}

extension FaultModel {
  static let brownOut = FaultModel(
    "brown-out", .target,
    "The supply dips: the device restarts and copies only a part of its calibration.",
    [.optional("kept", .integer(0...33), "the number of bytes that are copied; default: 12")]
  ) {
    .condition(.partialMemory(kept: $0["kept"]?.integer ?? 12))
  }
}

extension FaultModel {
  static let wrongCalibration = FaultModel(
    "wrong-calibration", .target,
    "At its next start (reset or power-on) the device copies one byte of its calibration wrong.",
    [
      FaultKeys.byte(0...32, "the index of the byte, 0 for 0x88, 26 for 0xE1; default: 0"),
      FaultKeys.mask,
    ]
  ) {
    .condition(
      .wrongMemory(byte: $0["byte"]?.integer ?? 0, mask: UInt8($0["mask"]?.integer ?? 1)))
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
    "offset", .target, "The results have a constant error.", Section.deviation.fields,
    needing: Section.deviation.fields.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.offset(PartDeviation($0)))
  }
}

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift by the given error per hour.", Section.deviation.fields,
    needing: Section.deviation.fields.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.drift(PartDeviation($0)))
  }
}
