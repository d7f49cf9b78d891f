package import Support

extension FirmwareImage {
  /// Checks an image against a microcontroller.
  ///
  /// - Parameters:
  ///   - profile: the memories of the microcontroller.
  ///   - isGuess: `true` if the user has not chosen the microcontroller.
  /// - Returns: the entry point of the program.
  /// - Throws: `Failure` (65) if the image is for a different processor, does not fit into the memories, or has no vector
  ///   table.
  package func fitted(
    to profile: MemoryProfile, isGuess: Bool = false
  ) throws(Failure) -> VectorTable {
    do throws(ImageError) {
      try checkProcessor(profile)
      try checkMemories(profile)
      return try VectorTable(of: self, in: profile, isGuess: isGuess)
    } catch {
      throw failure(error.message)
    }
  }

  /// Returns the microcontroller that an image is for.
  ///
  /// - Parameter profiles: the available microcontrollers.
  /// - Returns: the only one that the image fits.
  /// - Throws: `Failure` if the image fits no microcontroller, with the reasons, or fits several.
  package func guessed(among profiles: [MemoryProfile]) throws(Failure) -> MemoryProfile {
    if let name = requirements.name, let named = profiles.first(where: { $0.name == name }) {
      return named
    }
    var fitting: [MemoryProfile] = []
    var reasons: [String] = []
    for profile in profiles {
      do throws(Failure) {
        _ = try fitted(to: profile, isGuess: true)
        fitting.append(profile)
      } catch {
        reasons.append("\(profile.name): " + error.messages[0].dropFirst(path.count + 2))
      }
    }
    if fitting.count == 1 { return fitting[0] }
    // If several fit, an initial stack pointer at the very end of the RAM identifies the right one.
    let exact = fitting.filter { profile in
      (try? fitted(to: profile))?.stack.map { UInt64($0) == profile.ram.upperBound } ?? false
    }
    if exact.count == 1 { return exact[0] }
    // Of a family, whose memories contain those of its smaller members, the one that is listed first.
    if let first = fitting.first,
      fitting.allSatisfy({ $0.contains(first) || first.contains($0) })
    {
      return first
    }
    guard !fitting.isEmpty else {
      throw Failure(
        .badContent, ["\(path): the image fits no supported microcontroller"] + reasons)
    }
    throw failure(
      "the image fits several microcontrollers (\(fitting.map(\.name).joined(separator: ", "))): specify --mcu"
    )
  }

  private func checkProcessor(_ profile: MemoryProfile) throws(ImageError) {
    if let architecture, architecture != profile.architecture {
      throw ImageError(
        "the image is for \(architecture.shown), but \(profile.name) is \(profile.architecture.shown)"
      )
    }
    if requirements.hasHardFloat, !profile.hasFloat {
      throw ImageError("the image needs an FPU, but \(profile.name) has none")
    }
    if requirements.isBeyondBaseline, profile.isBaseline {
      throw ImageError("the image needs ARMv7-M, but \(profile.name) is an ARMv6-M")
    }
    if let family = requirements.avrFamily, let own = profile.avrFamily, family != own {
      throw ImageError(
        "the image is for AVR family \(family), but \(profile.name) is family \(own)")
    }
  }

  private func checkMemories(_ profile: MemoryProfile) throws(ImageError) {
    var regions = [profile.flash] + profile.others
    if profile.architecture == .arm { regions.append(profile.ram) }
    for segment in segments {
      let range = segment.range
      guard let region = regions.first(where: { $0.contains(range.lowerBound) }) else {
        throw ImageError("\(profile.name) has no memory at segment \(range.shown)")
      }
      guard range.upperBound <= region.upperBound else {
        let name = region == profile.flash ? "flash" : region == profile.ram ? "RAM" : "memory"
        throw ImageError(
          "the image is larger than the \(name) of \(profile.name): segment \(range.shown), "
            + "\(name) \(region.shown) (\(region.count) bytes)")
      }
    }
    if let last = eeprom.last, last.range.upperBound > UInt64(profile.eeprom) {
      throw ImageError(
        "the image is larger than the EEPROM of \(profile.name): \(last.range.upperBound) bytes of "
          + "\(profile.eeprom)")
    }
    for range in reserved where profile.ram.contains(range.lowerBound) {
      guard range.upperBound <= profile.ram.upperBound else {
        throw ImageError(
          "the variables at \(range.shown) exceed the RAM of \(profile.name), "
            + profile.ram.shown)
      }
    }
  }
}

extension FirmwareImage.Architecture {
  /// The name of the architecture with its article, for messages.
  package var shown: String { self == .arm ? "an ARM" : "an AVR" }
}

/// The entry point of a program, which consists of the initial stack pointer and the first instruction.
package struct VectorTable: Hashable, Sendable {
  /// The address of the table.
  package let address: UInt32
  /// The initial stack pointer; `nil` for an AVR, whose program sets it.
  package let stack: UInt32?
  /// The address of the first instruction.
  package let reset: UInt32

  /// Finds the vector table of an image.
  ///
  /// The table is at the start of the flash or, if the image follows a boot loader, at the start of the image.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - profile: the memories.
  ///   - isGuess: `true` if the user has not chosen the microcontroller. An AVR image must then begin with a jump, as
  ///     nearly all do, although a program without vectors may begin with any instruction.
  /// - Throws: `ImageError` if the image has no vector table.
  init(
    of image: FirmwareImage, in profile: MemoryProfile, isGuess: Bool = false
  ) throws(ImageError) {
    let first = image.segments.first {
      profile.flash.contains($0.range.lowerBound) && $0.bytes.count >= 4
    }
    guard let first else {
      throw ImageError(
        "no part of the image is in the flash of \(profile.name) (\(profile.flash.shown))")
    }
    address = first.address
    switch profile.architecture {
    case .arm:
      (stack, reset) = try Self.arm(image, address, profile)
    case .avr:
      stack = nil
      let mustJump = isGuess && image.architecture == nil
      if let target = Self.avr(first.bytes) {
        reset = target
      } else {
        if mustJump { throw Self.none(address, "the first instruction is not a jump") }
        reset = address
      }
    }
  }

  private static func arm(
    _ image: FirmwareImage, _ address: UInt32, _ profile: MemoryProfile
  ) throws(ImageError) -> (UInt32, UInt32) {
    guard let stack = image.word(at: address), let reset = image.word(at: address &+ 4) else {
      throw none(address, "the image is shorter than two words")
    }
    guard stack % 4 == 0, UInt64(stack) > profile.ram.lowerBound,
      UInt64(stack) <= profile.ram.upperBound
    else {
      throw none(
        address,
        "the first word, 0x\(String(stack, radix: 16)), is not a stack pointer in the RAM "
          + profile.ram.shown)
    }
    guard reset & 1 == 1, image.segments.contains(where: { $0.range.contains(UInt64(reset & ~1)) })
    else {
      throw none(
        address,
        "the second word, 0x\(String(reset, radix: 16)), is not the address of Thumb code in the image"
      )
    }
    return (stack, reset & ~1)
  }

  /// Returns the target of an AVR's first instruction, usually the start-up code; `nil` if it is not RJMP or JMP.
  private static func avr(_ bytes: [UInt8]) -> UInt32? {
    let first = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
    if first & 0xF000 == 0xC000 {
      return ((first & 0xFFF) &+ 1) &* 2 & 0x1FFF
    }
    if first & 0xFE0E == 0x940C {
      let low = UInt32(bytes[2]) | UInt32(bytes[3]) << 8
      return ((first >> 3 & 0x3E | first & 1) << 16 | low) &* 2
    }
    return nil
  }

  private static func none(_ address: UInt32, _ reason: String) -> ImageError {
    ImageError("no vector table at 0x\(String(address, radix: 16)): \(reason)")
  }
}

/// The memories of a microcontroller, for checking an image.
package struct MemoryProfile: Hashable, Sendable {
  /// The name of the microcontroller as used on the command line.
  package let name: String
  /// The instruction set architecture.
  package let architecture: FirmwareImage.Architecture
  /// The flash from which the microcontroller boots.
  package let flash: Range<UInt64>
  /// The RAM, in data addresses.
  package let ram: Range<UInt64>
  /// Other loadable memories, such as configuration words.
  package let others: [Range<UInt64>]
  /// The size of the EEPROM in bytes.
  package let eeprom: Int
  /// `true` if the microcontroller has an FPU.
  package let hasFloat: Bool
  /// `true` if the core is an ARMv6-M.
  package let isBaseline: Bool
  /// The AVR family number, as in the ELF flags; `nil` for an ARM core.
  package let avrFamily: Int?
  /// The name of the peripheral that writes the flash; `nil` if there is no such peripheral.
  package let flashController: String?

  /// Creates a profile.
  ///
  /// Default: an ARMv7E-M with an FPU.
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

extension MemoryProfile {
  /// Returns whether flash and RAM contain those of another microcontroller.
  fileprivate func contains(_ other: MemoryProfile) -> Bool {
    [(flash, other.flash), (ram, other.ram)].allSatisfy { own, its in
      own.lowerBound <= its.lowerBound && its.upperBound <= own.upperBound
    }
  }
}
