import BME280
package import I2C
package import Parts
package import Schema
import Text

/// The parts that a bench can carry: the only list of chips.
package enum Catalogue {
  /// All models, in the order of the documentation.
  package static let models: [any PartModel] = [
    BME280Part(.bme280), BME280Part(.bmp280),
    SHT21Part(), HDC1000Part(), BMP180Part(), BMP180Part.bmp085,
  ]

  /// Returns the model with a name in rigs.
  package static func model(named name: String) -> (any PartModel)? {
    models.first { $0.name == name }
  }

  /// Returns the models that can respond at an address.
  package static func models(at address: I2CAddress) -> [any PartModel] {
    models.filter { $0.addresses.contains(address) }
  }

  /// Returns one model of each family that can respond at an address.
  package static func families(at address: I2CAddress) -> [any PartModel] {
    oneOfEachFamily(models(at: address))
  }

  /// One model of each family.
  package static var families: [any PartModel] { oneOfEachFamily(models) }

  private static func oneOfEachFamily(_ models: [any PartModel]) -> [any PartModel] {
    var families: Set<String> = []
    return models.filter { families.insert($0.family).inserted }
  }

  /// Returns the model that responds at an address.
  ///
  /// The bus is only read if several families share the address; members of a family are distinguished by their
  /// driver. If no device acknowledges, the first candidate is returned, whose driver reports the error.
  package static func model(
    at address: I2CAddress, on adapter: any I2CAdapter
  ) -> (any PartModel)? {
    let candidates = models(at: address)
    guard let first = candidates.first, candidates.contains(where: { $0.family != first.family })
    else { return candidates.first }
    var hasAnswer = false
    for candidate in candidates {
      do throws(I2CError) {
        if try candidate.identify(adapter, at: address) == .itself { return candidate }
        hasAnswer = true
      } catch {
        continue
      }
    }
    return hasAnswer ? nil : first
  }

  /// Returns an empty record for a part at an address: that of the first model that can be reconstructed from a trace.
  package static func record(at address: I2CAddress) -> (any PartRecord)? {
    models(at: address).lazy.compactMap(\.record).first
  }

  /// The addresses of the parts that can be reconstructed from a trace, in ascending order.
  package static var recordedAddresses: [I2CAddress] {
    addresses.filter { record(at: $0) != nil }
  }

  /// All addresses at which some model can respond, in ascending order.
  package static var addresses: [I2CAddress] {
    Set(models.flatMap(\.addresses)).inOrder { $0.rawValue < $1.rawValue }
  }

  /// The default sensor address: the first address of the first model.
  package static var defaultAddress: I2CAddress? { models.first?.addresses.first }

  /// The pipeline keys that any driver accepts, without duplicates.
  package static var driverKeys: [Section.Field] {
    var keys: [Section.Field] = []
    for key in models.flatMap(\.driverKeys) where !keys.contains(where: { $0.name == key.name }) {
      keys.append(key)
    }
    return keys
  }
}
