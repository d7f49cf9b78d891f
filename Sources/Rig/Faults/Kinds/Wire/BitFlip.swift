import Schema
import VirtualI2C

extension FaultModel {
  static let bitFlip = FaultModel(
    "bit-flip", .wire, "Some bits of a byte that is read are inverted.",
    [FaultKeys.byte(0...8191, "the index of the byte in its read; 0 unless given"), FaultKeys.mask]
  ) {
    .bitFlip(byte: $0["byte"]?.integer ?? 0, mask: UInt8($0["mask"]?.integer ?? 1))
  }
}
