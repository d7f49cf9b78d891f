import ArgumentParser
import Rigs

/// A bus frequency as a rig writes it, such as `400kHz`.
struct BusFrequency: Equatable {
  let hertz: UInt64

  init?(argument: String) {
    guard let hertz = RigText.hertz(argument) else { return nil }
    self.hertz = hertz
  }

  /// Reads the value of an option.
  ///
  /// - Throws: `ValidationError` that names what is wrong with it.
  static func read(_ argument: String) throws -> BusFrequency {
    guard let frequency = BusFrequency(argument: argument) else {
      let mistake = RigText.mistake(inFrequency: argument) ?? "'\(argument)' is no frequency"
      throw ValidationError("--frequency: \(mistake)")
    }
    return frequency
  }
}
