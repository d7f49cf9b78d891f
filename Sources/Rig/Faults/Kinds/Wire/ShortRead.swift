import Schema
import VirtualI2C

extension FaultModel {
  static let shortRead = FaultModel(
    "short-read", .wire, "The device lets go of SDA within a read: what follows reads as 0xFF.",
    [.optional("bytes", .integer(0...8191), "how many bytes arrive; 1 unless given")]
  ) {
    .shortRead(bytes: $0["bytes"]?.integer ?? 1)
  }
}
