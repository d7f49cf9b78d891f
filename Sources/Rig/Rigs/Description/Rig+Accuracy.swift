package import Findings
import Parts
import Text

extension Rig {
  /// A warning of each error of a sensor that is larger than the data sheet allows.
  package var accuracyWarnings: [Finding] {
    let ofDevices = describedBuses.flatMap { bus in
      bus.devices.flatMap { warnings(of: $0.part, "bus \(bus.number)") }
    }
    return ofDevices + (fleet.map { warnings(of: $0.part, "fleet") } ?? [])
  }

  private func warnings(of part: any ConfiguredPart, _ place: String) -> [Finding] {
    part.excesses.map { excess in
      Finding(
        .warning, "accuracy", at: Finding.Place(file: file),
        "\(place): \(excess.key) of \(excess.quantity) is "
          + "\(Decimal.shortest(excess.asked)), the data sheet allows "
          + "\(Decimal.shortest(excess.allowed)) either way: that is a defective part")
    }
  }
}
