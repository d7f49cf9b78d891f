import Schema
import VirtualI2C

extension FaultModel {
  static let stuckData = FaultModel(
    "stuck-sda", .wire, "SDA is held low: a transfer times out, and nine clocks free the bus."
  ) { _ in
    .dataStuck
  }
}
