import ATmega328P
package import Images
package import Machines
import NRF52832
import STM32F411
package import Support

/// A microcontroller model, with its memories and a function that creates a microcontroller of this model (a part).
package struct MicrocontrollerModel: Sendable {
  /// The name of the model on the command line.
  package let name: String
  /// `true` if the microcontroller has an FPU.
  let hasFloat: Bool
  /// The AVR family number, as in the ELF flags; `nil` for an ARM core.
  let avrFamily: Int?
  /// The name of the peripheral that writes the flash; `nil` if the core has no such peripheral.
  let flashController: String?
  /// The names of the fuse bytes.
  package let fuses: [String]
  private let create: @Sendable (_ seed: UInt64, _ fuses: [String: UInt8]) -> any Microcontroller

  init(
    _ name: String, hasFloat: Bool = true, avrFamily: Int? = nil, flashController: String? = nil,
    fuses: [String] = [],
    create: @escaping @Sendable (_ seed: UInt64, _ fuses: [String: UInt8]) -> any Microcontroller
  ) {
    self.name = name
    self.fuses = fuses
    self.hasFloat = hasFloat
    self.avrFamily = avrFamily
    self.flashController = flashController
    self.create = create
  }

  /// Creates a part of this model with erased flash and power off.
  ///
  /// - Parameters:
  ///   - seed: the seed of the part's random numbers.
  ///   - fuses: the fuse bytes by name. Default: those of a new board.
  /// - Throws: `Failure` of kind usage for a fuse that the model does not have.
  /// - Returns: the part.
  package func make(
    seed: UInt64, fuses: [String: UInt8] = [:]
  ) throws(Failure) -> any Microcontroller {
    if let unknown = fuses.keys.filter({ !self.fuses.contains($0) }).min() {
      let accepted = self.fuses.isEmpty ? "" : " (accepted: \(self.fuses.joined(separator: ", ")))"
      throw Failure(.usage, "\(name) has no fuse byte '\(unknown.visible)'\(accepted)")
    }
    return create(seed, fuses)
  }

  /// The memories of a part of this model.
  package var profile: MemoryProfile { profile(of: create(0, [:])) }

  /// Returns the memories of a part of this model.
  func profile(of machine: any Microcontroller) -> MemoryProfile {
    let isAVR = machine.core.architecture == .avr
    var flash: Range<UInt64>?
    var ram: Range<UInt64>?
    var others: [Range<UInt64>] = []
    var eeprom = 0
    for memory in machine.memories {
      // Debuggers map AVR data to 0x800000 and programs to 0.
      let base = UInt64(memory.base) - (isAVR && memory.kind == .ram ? 0x80_0000 : 0)
      let range = base..<base + UInt64(memory.count)
      switch memory.kind {
      case .flash where flash == nil: flash = range
      case .ram where ram == nil: ram = range
      case .eeprom: eeprom = Int(memory.count)
      default: others.append(range)
      }
    }
    return MemoryProfile(
      name: name, architecture: isAVR ? .avr : .arm, flash: flash ?? 0..<0, ram: ram ?? 0..<0,
      others: others, eeprom: eeprom, hasFloat: hasFloat, avrFamily: avrFamily,
      flashController: flashController)
  }
}

extension MicrocontrollerModel {
  /// All supported microcontrollers; of a family, the one that an image is taken for if it fits several comes first.
  package static let all: [MicrocontrollerModel] = [
    MicrocontrollerModel("nrf52832", flashController: "NVMC") { seed, _ in NRF52832(seed: seed) },
    MicrocontrollerModel("nrf52840", flashController: "NVMC") { seed, _ in
      NRF52832(.nRF52840, seed: seed)
    },
    MicrocontrollerModel("stm32f411", flashController: "FLASH") { seed, _ in STM32F411(seed: seed)
    },
    MicrocontrollerModel("stm32f401", flashController: "FLASH") { seed, _ in
      STM32F411(.stm32F401, seed: seed)
    },
    MicrocontrollerModel(
      "atmega328p", hasFloat: false, avrFamily: 5, fuses: ["low", "high", "extended"]
    ) {
      let usual = ATmega328PFuses()
      let fuses = ATmega328PFuses(
        low: $1["low"] ?? usual.low, high: $1["high"] ?? usual.high,
        extended: $1["extended"] ?? usual.extended)
      return ATmega328P(frequency: fuses.frequency, fuses: fuses)
    },
  ]

  /// The names of all models, separated by commas.
  package static var names: String { all.map(\.name).joined(separator: ", ") }

  /// Returns the memories of the model with a name, or of all models if the name is `nil` or unknown.
  package static func profiles(_ name: String?) -> [MemoryProfile] {
    let named = name.flatMap(named)
    return (named.map { [$0] } ?? all).map(\.profile)
  }

  /// Returns the error message for an unknown model name.
  package static func unknown(_ name: String) -> String {
    "unknown microcontroller '\(name)' (accepted: \(names))"
  }

  /// Returns the model with a name, in upper or lower case; `nil` if the name is unknown.
  package static func named(_ name: String) -> MicrocontrollerModel? {
    all.first { $0.name == name.lowercased() }
  }
}

extension MicrocontrollerModel {
  /// Returns the model with a name or, without a name, the only model that an image fits.
  ///
  /// - Parameters:
  ///   - name: the name that the user has given, if any.
  ///   - image: the image.
  ///   - notify: a callback that receives a notice about the choice if no name was given.
  /// - Throws: `Failure` if the name is unknown, or if the image fits no model or several.
  /// - Returns: the model.
  package static func chosen(
    _ name: String?, for image: FirmwareImage, notify: (String) -> Void = { _ in }
  ) throws(Failure) -> MicrocontrollerModel {
    if let name {
      guard let model = named(name) else { throw Failure(.usage, unknown(name)) }
      return model
    }
    let profile = try image.guessed(among: all.map(\.profile))
    notify(
      "\(image.path) is assumed to be firmware for \(profile.name); use --mcu to choose another")
    return try chosen(profile.name, for: image)
  }
}
