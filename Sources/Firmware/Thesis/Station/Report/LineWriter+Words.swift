import BME280Driver

extension LineWriter {
  /// Adds what a driver was doing when it failed.
  func step(_ step: BME280DriverError.Step) {
    switch step {
    case .identify: text("identity")
    case .reset: text("reset")
    case .calibrate: text("calibration")
    case .configure: text("settings")
    case .trigger: text("trigger")
    case .wait: text("wait")
    case .read: text("data")
    }
  }
}
