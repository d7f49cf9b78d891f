package import Quantities
package import Schema
import VirtualParts

extension Section {
  /// The keys of an error of each quantity.
  package static let deviation = Section(
    "An error of each quantity, none unless given.",
    [
      .optional("pressure", .quantity(.pressureChange), "of pressure"),
      .optional("temperature", .quantity(.temperatureChange), "of temperature"),
      .optional("humidity", .quantity(.humidityChange), "of humidity"),
    ])
}

extension PartDeviation {
  /// Creates the error that the keys of `Section.deviation` say; none where they are not there.
  package init(_ value: CheckedValue?) {
    self.init(
      temperature: value?["temperature"]?.number ?? 0, pressure: value?["pressure"]?.number ?? 0,
      humidity: value?["humidity"]?.number ?? 0)
  }
}
