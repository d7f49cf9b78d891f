import Schema
import VirtualI2C

extension FaultModel {
  static let nackAddress = FaultModel(
    "nack-address", .wire, "The device does not acknowledge its address.", canLast: true
  ) { _ in
    .addressNack
  }
}
