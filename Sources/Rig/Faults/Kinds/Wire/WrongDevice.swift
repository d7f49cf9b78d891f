import Schema
import VirtualI2C

extension FaultModel {
  static let wrongDevice = FaultModel(
    "wrong-device", .wire,
    "Another chip answers in place of the device: it takes everything, and its registers read alike.",
    [.optional("reads", .integer(0...255), "what all its registers read; 0xFF unless given")]
  ) {
    .otherTarget(reads: UInt8($0["reads"]?.integer ?? 0xFF))
  }
}
