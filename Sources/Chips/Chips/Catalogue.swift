import BME280
package import I2C
import PartFiles
package import Parts
package import Schema
package import Support

/// The parts that a bench can contain; no other list of chips exists.
package enum Catalogue {
  /// All models, in the order of the documentation.
  package static let models: [any PartModel] = [
    BME280Part(.bme280), BME280Part(.bmp280),
    SHT21Part(), HDC1000Part(), BMP180Part(), BMP180Part.bmp085,
  ]

  /// Returns the model that rigs refer to by a name, or `nil` if no model has that name.
  ///
  /// A part that is described in a built-in file is read on demand.
  package static func model(named name: String) -> (any PartModel)? {
    models.first { $0.name == name } ?? PartFile.builtIn(name)
  }

  /// The names of all models, those that are described in built-in files last.
  package static var names: [String] { models.map(\.name) + BuiltInFile.names(.part) }

  /// Returns the models that can respond at an address.
  package static func models(at address: I2CAddress) -> [any PartModel] {
    models.filter { $0.addresses.contains(address) }
  }

  /// Returns one model of each family that can respond at an address; a family shares one driver.
  package static func families(at address: I2CAddress) -> [any PartModel] {
    oneOfEachFamily(models(at: address))
  }

  /// One model of each family, which is a group of chips that share one driver.
  package static var families: [any PartModel] { oneOfEachFamily(models) }

  private static func oneOfEachFamily(_ models: [any PartModel]) -> [any PartModel] {
    var families: Set<String> = []
    return models.filter { families.insert($0.family).inserted }
  }

  /// Returns the model of the part at an address, or `nil` if the part is not one of the models.
  ///
  /// The bus is read only if models of several families share the address, because a driver
  /// distinguishes the members of its own family. If no device acknowledges, the result is the
  /// first candidate, whose driver then reports the error.
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

  /// Returns an empty record, which reconstructs the part at an address from the transfers in a
  /// trace, or `nil` if no model at that address supports this.
  package static func record(at address: I2CAddress) -> (any PartRecord)? {
    models(at: address).lazy.compactMap(\.record).first
  }

  /// The addresses at which a part can be reconstructed from a trace, in ascending order.
  package static var recordedAddresses: [I2CAddress] {
    addresses.filter { record(at: $0) != nil }
  }

  /// All addresses at which some model can respond, in ascending order.
  package static var addresses: [I2CAddress] {
    Set(models.flatMap(\.addresses)).inOrder { $0.rawValue < $1.rawValue }
  }

  /// The default sensor address: the first address of the first model.
  package static var defaultAddress: I2CAddress? { models.first?.addresses.first }

  /// The keys that configure the drivers of all models in a rig's pipeline, without duplicates.
  package static var driverKeys: [Section.Field] {
    var keys: [Section.Field] = []
    for key in models.flatMap(\.driverKeys) where !keys.contains(where: { $0.name == key.name }) {
      keys.append(key)
    }
    return keys
  }
}

/// Converts calibration files of any chip to the form that a rig accepts.
package enum CalibrationForm {
  /// The accepted forms, as text for the help of `aneroid compensate`.
  package static let forms =
    Calibrations.forms
    + "\nFor a dump whose id register 0xD0 is that of a BMP180, the lines of its device are printed.\n"

  /// Converts a calibration file to text for a rig.
  ///
  /// A register dump of a BMP180, recognized by its id register, is converted to the YAML lines for
  /// a device of the rig. Any other file is converted to the YAML of a BME280 or BMP280
  /// calibration.
  ///
  /// - Parameter word: a file in any accepted form, or the name of a built-in calibration.
  /// - Returns: the text, terminated by a newline.
  /// - Throws: `Failure` if the file does not exist or is in none of the accepted forms.
  package static func text(of word: String) throws(Failure) -> String {
    let path = try NamedInput(word, .calibration).path
    let text = try TextFile.read(NamedInput.open(path), longest: Document.longest)
    let title = NamedInput.title(path)
    do throws(CalibrationFormatError) {
      if let table = try RegisterTable(text), let id = table.bytes[Int(BMP180Register.id)],
        id == BMP180Register.idValue
      {
        return try BMP180Part.calibration(in: table)
      }
    } catch {
      throw Failure(.badContent, "\(title): \(error.message)")
    }
    return try CalibrationFile(text: text, file: title).yaml
  }
}
