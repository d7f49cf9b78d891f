import Text
import Parts

extension Rig {
  /// A sentence for each error of a sensor that is larger than the data sheet allows.
  public var accuracyWarnings: [String] {
    buses.flatMap { bus in
      bus.devices.flatMap { device in
        device.part.excesses.map { excess in
          "\(file): warning: bus \(bus.number): \(excess.key) of \(excess.quantity) is "
            + "\(Decimal.shortest(excess.asked)), the data sheet allows "
            + "\(Decimal.shortest(excess.allowed)) either way: that is a defective part"
        }
      }
    }
  }
}
