import BME280
package import I2C
package import Parts
package import Schema
import Text

/// The parts that can stand on a bench: the only list of chips.
package enum Catalogue {
  /// All models, in the order in which documentation names them.
  package static let models: [any PartModel] = [
    BME280Part(.bme280), BME280Part(.bmp280),
    SHT21Part(), HDC1000Part(), BMP180Part(), BMP180Part.bmp085,
  ]

  /// The model with a name in rigs.
  package static func model(named name: String) -> (any PartModel)? {
    models.first { $0.name == name }
  }

  /// The models that can answer at an address.
  package static func models(at address: I2CAddress) -> [any PartModel] {
    models.filter { $0.addresses.contains(address) }
  }

  /// The models that can answer at an address, one of each family.
  package static func families(at address: I2CAddress) -> [any PartModel] {
    oneOfEachFamily(models(at: address))
  }

  /// One model of each family.
  package static var families: [any PartModel] { oneOfEachFamily(models) }

  private static func oneOfEachFamily(_ models: [any PartModel]) -> [any PartModel] {
    var families: Set<String> = []
    return models.filter { families.insert($0.family).inserted }
  }

  /// The model that answers at an address.
  ///
  /// Relatives are told apart by their driver; only where several families share the address the bus is asked.
  /// Where nobody answers at all it is the first, whose driver says so in its own words.
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

  /// A record of whichever part can answer at an address: of the first in the list that can be made of a trace.
  package static func record(at address: I2CAddress) -> (any PartRecord)? {
    models(at: address).lazy.compactMap(\.record).first
  }

  /// The addresses of the parts that can be made of a trace, in order.
  package static var recordedAddresses: [I2CAddress] {
    addresses.filter { record(at: $0) != nil }
  }

  /// All addresses at which some part can answer, in order.
  package static var addresses: [I2CAddress] {
    Set(models.flatMap(\.addresses)).inOrder { $0.rawValue < $1.rawValue }
  }

  /// Where a sensor is looked for when nobody says: the usual address of the first model.
  package static var usualAddress: I2CAddress? { models.first?.addresses.first }

  /// The keys of a pipeline that some driver takes, each once.
  package static var driverKeys: [Section.Field] {
    var keys: [Section.Field] = []
    for key in models.flatMap(\.driverKeys) where !keys.contains(where: { $0.name == key.name }) {
      keys.append(key)
    }
    return keys
  }
}
