/// Where a microcontroller has its memories, as far as an image can be checked against it.
package struct MemoryProfile: Hashable, Sendable {
  /// The name of the microcontroller, as users write it.
  package let name: String
  /// Whose instructions it runs.
  package let architecture: FirmwareImage.Architecture
  /// Its flash, from which it starts.
  package let flash: Range<UInt64>
  /// Its RAM, in the addresses of data.
  package let ram: Range<UInt64>
  /// What else may be loaded: configuration words and the like.
  package let others: [Range<UInt64>]
  /// How many bytes its EEPROM has.
  package let eeprom: Int
  /// Whether it has an FPU.
  package let hasFloat: Bool
  /// Whether it runs no more than ARMv6-M.
  package let isBaseline: Bool
  /// The family of an AVR, as in the flags of an ELF.
  package let avrFamily: Int?
  /// The peripheral through which alone its flash is written.
  package let flashController: String?

  /// Creates a profile: an ARMv7E-M with an FPU unless given.
  package init(
    name: String, architecture: FirmwareImage.Architecture, flash: Range<UInt64>,
    ram: Range<UInt64>, others: [Range<UInt64>] = [], eeprom: Int = 0, hasFloat: Bool = true,
    isBaseline: Bool = false, avrFamily: Int? = nil, flashController: String? = nil
  ) {
    self.name = name
    self.architecture = architecture
    self.flash = flash
    self.ram = ram
    self.others = others
    self.eeprom = eeprom
    self.hasFloat = hasFloat
    self.isBaseline = isBaseline
    self.avrFamily = avrFamily
    self.flashController = flashController
  }
}
