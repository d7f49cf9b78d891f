import Schema
import VirtualI2C

extension FaultModel {
  static let nackData = FaultModel(
    "nack-data", .wire, "The device does not acknowledge a byte written to it.",
    [FaultKeys.byte(0...8191, "the index of the byte; 0 unless given")]
  ) {
    .dataNack(byte: $0["byte"]?.integer ?? 0)
  }
}
