import ArgumentParser

/// Which bus is at an I2C controller, or at two pins: `TWIM0=1`, `PB8/PB9=1`.
struct PortTie: ExpressibleByArgument {
  /// The controller's name, or SCL/SDA.
  let port: String
  /// The number of the bus.
  let bus: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let bus = Int(parts[1]), bus >= 0 else {
      return nil
    }
    (port, self.bus) = (String(parts[0]), bus)
  }
}
