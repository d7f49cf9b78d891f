import ATmega328P
package import Files
package import Images
import NRF52832
import STM32F411

extension MicrocontrollerModel {
  /// All that there are: the only list of microcontrollers.
  package static let all: [MicrocontrollerModel] = [
    MicrocontrollerModel("nrf52832", flashController: "NVMC") { NRF52832(seed: $0) },
    MicrocontrollerModel("stm32f411", flashController: "FLASH") { STM32F411(seed: $0) },
    MicrocontrollerModel("atmega328p", hasFloat: false, avrFamily: 5) { _ in ATmega328P() },
  ]

  /// All names, one behind the other.
  package static var names: String { all.map(\.name).joined(separator: ", ") }

  /// Where the model of a name has its memories; those of all, where nobody says which it is.
  package static func profiles(_ name: String?) -> [MemoryProfile] {
    let named = name.flatMap(named)
    return (named.map { [$0] } ?? all).map(\.profile)
  }

  /// What is said of a name that no model has.
  package static func unknown(_ name: String) -> String {
    "there is no microcontroller '\(name)': there are \(names)"
  }

  /// The model of a name.
  package static func named(_ name: String) -> MicrocontrollerModel? {
    all.first { $0.name == name.lowercased() }
  }
}

extension MicrocontrollerModel {
  /// The model of a name, or the only one to which an image fits.
  ///
  /// - Parameters:
  ///   - name: what the user says.
  ///   - image: what is to run.
  ///   - tell: is told which one was chosen where nobody said it.
  /// - Throws: `Failure` when there is no such model, or none or several that fit.
  /// - Returns: the model.
  package static func chosen(
    _ name: String?, for image: FirmwareImage, tell: (String) -> Void = { _ in }
  ) throws(Failure) -> MicrocontrollerModel {
    if let name {
      guard let model = named(name) else { throw Failure(.usage, unknown(name)) }
      return model
    }
    let profile = try image.guessed(among: all.map(\.profile))
    tell("\(image.path) is taken for firmware of the \(profile.name); --mcu chooses another")
    return try chosen(profile.name, for: image)
  }
}
