import Schema
import VirtualI2C

extension FaultModel {
  static let wrongCalibration = FaultModel(
    "wrong-calibration", .target,
    "When the device next starts (a reset, its supply), one byte of its calibration is copied wrong.",
    [FaultKeys.byte(0...32, "its index, 0 for 0x88, 26 for 0xE1; 0 unless given"), FaultKeys.mask]
  ) {
    .condition(
      .wrongMemory(byte: $0["byte"]?.integer ?? 0, mask: UInt8($0["mask"]?.integer ?? 1)))
  }
}
