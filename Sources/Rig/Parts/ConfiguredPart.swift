package import Environment
package import I2C
package import Quantities
package import Schema
package import Support
package import VirtualI2C

/// A part as configured by a rig, before power-on.
package protocol ConfiguredPart: Sendable {
  var model: any PartModel { get }
  /// The name of the part's calibration; `nil` if the part has no individual calibration.
  var calibration: String? { get }
  /// Properties of the part for reports, such as noise and conversion times, in a few words each.
  var details: [String] { get }
  /// The configured measurement errors that are larger than the datasheet allows.
  var excesses: [PartExcess] { get }
  /// `true` if an earlier program has written to the registers of the part.
  var wasUsed: Bool { get }
  /// The program, with its arguments, that is the part; `nil` if the part is none. Default: `nil`.
  var program: [String]? { get }

  /// Creates the virtual part at power-on.
  ///
  /// - Parameters:
  ///   - address: the bus address of the part.
  ///   - air: the ambient air.
  ///   - seed: the seed of the part's noise and random conversion times.
  /// - Returns: the part.
  func poweredOn(at address: I2CAddress, in air: any AirSource, seed: UInt64) -> any VirtualPart
}

/// Defaults for a part as delivered, without an individual calibration.
extension ConfiguredPart {
  package var calibration: String? { nil }

  package var wasUsed: Bool { false }

  package var program: [String]? { nil }
}

/// The interface, independent of the chip, through which reports read a virtual part.
package protocol VirtualPart: VirtualI2CDevice {
  /// The ambient air.
  var air: any AirSource { get }
  /// The air values so far that were outside the output range of the part. Default: none.
  var saturations: Saturations { get }

  /// Returns the charge in µC that the part has used up to a time in nanoseconds; `nil` if its
  /// current is unknown. Default: `nil`.
  func chargeUsed(at time: UInt64) -> Double?

  /// The failure of the program that is the part; `nil` if there is none. Default: `nil`.
  var failure: Failure? { get }
}

extension VirtualPart {
  package var saturations: Saturations { Saturations() }

  package func chargeUsed(at time: UInt64) -> Double? { nil }

  package var failure: Failure? { nil }
}

/// A configured measurement error that is larger than the datasheet allows.
package struct PartExcess: Hashable, Sendable {
  /// The key in the rig, and the quantity.
  package let key, quantity: String
  /// The configured error and the largest error in the datasheet, in Pa, °C or %.
  package let asked, allowed: Double

  package init(key: String, quantity: String, asked: Double, allowed: Double) {
    self.key = key
    self.quantity = quantity
    self.asked = asked
    self.allowed = allowed
  }
}

extension KeyGroup<PartDeviation> {
  /// The keys that set the error of a sensor in each quantity.
  package static let deviation = KeyGroup("The error in each quantity.", PartDeviation()) {
    [
      Key("pressure", \.pressure, .quantity(.pressureChange), "the error of pressure"),
      Key("temperature", \.temperature, .quantity(.temperatureChange), "the error of temperature"),
      Key("humidity", \.humidity, .quantity(.humidityChange), "the error of humidity"),
    ]
  }
}

/// The context for reading the keys of a part: it collects errors and resolves the files that a rig
/// references.
package struct PartReader {
  /// The path of the rig.
  package let file: String
  /// Collects the errors in the rig.
  package var checker: Checker
  /// The files that the rig references, in the order of the references.
  package private(set) var namedFiles: [String] = []
  /// The failures to read files that the rig references.
  package private(set) var fileFailures: [Failure] = []

  /// Whether parts are harsh unless their keys say otherwise.
  ///
  /// Default: `false`.
  package var isHarsh = false

  /// `true` for a built-in rig, whose references are resolved to built-in files first.
  private let isBuiltIn: Bool

  /// Creates a reader of a rig.
  package init(file: String, checker: Checker, isBuiltIn: Bool = false) {
    self.file = file
    self.checker = checker
    self.isBuiltIn = isBuiltIn
  }

  /// Resolves the path of a file that the rig references, relative to the rig; the file need not exist.
  package mutating func named(_ path: String) -> String {
    let resolved = TextFile.resolve(path, relativeTo: file)
    namedFiles.append(resolved)
    return resolved
  }

  /// Resolves a reference in the rig: a file relative to the rig, else a built-in file of that name.
  ///
  /// - Parameters:
  ///   - word: the path or name.
  ///   - kind: the kind of file.
  ///   - position: the position of the reference in the rig.
  /// - Returns: the path for `NamedInput.open`, or `nil` if nothing was found; the failure has been noted.
  package mutating func named(
    _ word: String?, _ kind: BuiltInFile.Kind, at position: Position? = nil
  ) -> String? {
    let word = word ?? ""
    if isBuiltIn, let input = NamedInput(word, inBuiltIn: kind) { return input.path }
    let resolved = TextFile.resolve(word, relativeTo: file)
    do throws(Failure) {
      let input = try NamedInput(word, kind, at: resolved)
      if !input.isBuiltIn { namedFiles.append(input.path) }
      return input.path
    } catch {
      namedFiles.append(resolved)
      fail(error, at: position)
      return nil
    }
  }

  /// Notes the failure to read a referenced file, with the position of the reference.
  ///
  /// - Parameters:
  ///   - failure: the failure.
  ///   - position: the position of the reference in the rig.
  package mutating func fail(_ failure: Failure, at position: Position? = nil) {
    fileFailures.append(naming(failure, at: position))
  }

  /// Returns a failure with an additional finding, which has the position of the reference in the rig.
  private func naming(_ failure: Failure, at position: Position?) -> Failure {
    let location = Finding.Location(file: file, line: position?.line, column: position?.column)
    return Failure(
      failure.kind,
      failure.findings + [Finding(.error, "file", at: location, "the rig references this file")])
  }
}

extension KeyFormat<I2CAddress> {
  /// Any sensor address.
  package static let address = KeyFormat(.anyAddress, text: { "\($0)" }) {
    $0.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
  }
}
