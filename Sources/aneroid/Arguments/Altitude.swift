import ArgumentParser
import Schema

/// An altitude as a rig writes it, such as `1609m` or `5280ft`.
struct Altitude: Equatable {
  let metres: Double

  /// Reads the value of an option.
  ///
  /// - Throws: `ValidationError` that names what is wrong with it.
  static func read(_ argument: String) throws -> Altitude {
    do throws(QuantityKind.FormatError) {
      return Altitude(metres: try QuantityKind.altitude.parse(argument))
    } catch {
      throw ValidationError(error.message)
    }
  }
}
