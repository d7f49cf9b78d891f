import Schema
import VirtualI2C

extension FaultModel {
  static let busError = FaultModel(
    "bus-error", .wire, "A misplaced start or stop."
  ) { _ in
    .busError
  }
}
