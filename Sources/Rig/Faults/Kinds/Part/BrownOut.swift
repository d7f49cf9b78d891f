import Schema
import VirtualI2C

extension FaultModel {
  static let brownOut = FaultModel(
    "brown-out", .target,
    "The supply dips: the device starts anew, and only a part of its calibration is copied.",
    [.optional("kept", .integer(0...33), "how many bytes are copied; 12 unless given")]
  ) {
    .condition(.partialMemory(kept: $0["kept"]?.integer ?? 12))
  }
}
