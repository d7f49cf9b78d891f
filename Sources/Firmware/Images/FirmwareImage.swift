package import Support

/// A program for a microcontroller, read from a file of any supported format.
package struct FirmwareImage: Sendable {
  /// The instruction set architecture of a program.
  package enum Architecture: String, Sendable, CaseIterable {
    /// Thumb instructions of an ARM M-profile core.
    case arm
    /// AVR instructions.
    case avr
  }

  /// The file format.
  package enum Form: String, Sendable {
    /// ELF with program headers.
    case elf
    /// Intel HEX.
    case hex
    /// UF2, the format of USB boot loaders.
    case uf2
    /// Raw bytes.
    case raw
  }

  /// The path of the file, as given by the user.
  package let path: String
  /// The file format.
  package let form: Form
  /// The architecture; `nil` if the file does not specify it.
  package internal(set) var architecture: Architecture?
  /// Segments to load into flash, RAM and other memories before the core starts, sorted by address, without overlaps.
  package internal(set) var segments: [ImageSegment]
  /// Segments for the EEPROM of an AVR, relative to its first byte.
  package internal(set) var eeprom: [ImageSegment] = []
  /// The run-time addresses of variables, sorted.
  package internal(set) var reserved: [Range<UInt64>] = []
  package internal(set) var variables: [VariableSection] = []
  /// The first address of each further file that was added, such as a boot loader's.
  package private(set) var addedStarts: [UInt32] = []
  /// The entry point that the file specifies; `nil` if it specifies none.
  package internal(set) var entry: UInt32?
  /// The processor features that the file requires.
  package internal(set) var requirements = ProcessorRequirements()
  /// The functions and objects of the program.
  package internal(set) var symbols = SymbolTable([])
  /// `true` if the file has DWARF line information.
  package internal(set) var hasLines = false
  /// `true` if the file has stabs line information, which addr2line does not support for AVR.
  package internal(set) var hasStabs = false

  /// Creates an image from segments.
  ///
  /// - Throws: `ImageError` if two segments overlap, or if there are no segments.
  init(
    path: String, form: Form, _ segments: [ImageSegment], architecture: Architecture? = nil
  ) throws(ImageError) {
    self.path = path
    self.form = form
    self.architecture = architecture
    self.segments = try segments.inOrder()
    guard !self.segments.isEmpty else { throw ImageError("the file has nothing to load") }
  }

  /// The number of loadable bytes.
  package var size: Int { segments.reduce(0) { $0 + $1.bytes.count } }

  /// Returns the little-endian word at an address; `nil` if the image does not contain it.
  package func word(at address: UInt32) -> UInt32? {
    guard let segment = segments.first(where: { $0.range.contains(UInt64(address)) }) else {
      return nil
    }
    let offset = Int(address - segment.address)
    guard offset + 4 <= segment.bytes.count else { return nil }
    return segment.bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns a failure that names the file.
  package func failure(_ message: String) -> Failure {
    Failure(.badContent, "\(path): \(message)")
  }
}

extension FirmwareImage {
  /// Returns the image with the contents and the symbols of another file, such as a boot loader or a SoftDevice.
  ///
  /// The variables and the line information remain those of this image.
  ///
  /// - Parameter other: the other file.
  /// - Returns: the image with the contents of both. Equal contents are accepted: many applications are distributed with
  ///   their SoftDevice in the same file.
  /// - Throws: `Failure` (65) if both have different contents for one address, or are for different processors.
  package func adding(_ other: FirmwareImage) throws(Failure) -> FirmwareImage {
    var sum = self
    if let own = architecture, let its = other.architecture, own != its {
      throw other.failure("the file is for \(its.shown), but \(path) is for \(own.shown)")
    }
    sum.segments = try added(other.segments, to: segments, of: other)
    sum.eeprom = try added(other.eeprom, to: eeprom, of: other)
    sum.architecture = architecture ?? other.architecture
    sum.symbols = SymbolTable(
      symbols.functions + symbols.objects + other.symbols.functions + other.symbols.objects)
    sum.requirements.isBeyondBaseline =
      requirements.isBeyondBaseline || other.requirements.isBeyondBaseline
    sum.requirements.hasHardFloat = requirements.hasHardFloat || other.requirements.hasHardFloat
    sum.addedStarts.append(other.segments[0].address)
    return sum
  }

  /// Returns segments of this image and those of another one that this one does not contain.
  private func added(
    _ others: [ImageSegment], to own: [ImageSegment], of other: FirmwareImage
  ) throws(Failure) -> [ImageSegment] {
    var all = own
    for segment in others {
      guard let same = own.first(where: { $0.range.overlaps(segment.range) }) else {
        all.append(segment)
        continue
      }
      guard same.contains(segment) else {
        throw other.failure(
          "segment \(segment.range.shown) overlaps segment \(same.range.shown) of \(path), with other contents"
        )
      }
    }
    return all.inOrder { $0.address < $1.address }
  }
}

extension FirmwareImage {
  /// The maximum file size in bytes.
  package static let largestFile = 64 << 20

  /// Reads an ELF file, an Intel HEX file, a UF2 file, or raw bytes.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - address: the load address of raw bytes; required if the file is neither ELF, Intel HEX nor UF2.
  ///   - profiles: the available microcontrollers, for suggesting a load address.
  /// - Throws: `Failure` if the file cannot be read (66, 74) or is not a valid image (65).
  package init(
    path: String, rawAddress address: UInt32? = nil,
    for profiles: @autoclosure () -> [MemoryProfile] = []
  ) throws(Failure) {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      guard bytes.count <= Self.largestFile else {
        throw Failure(.badContent, "\(path): the file is larger than 64 MiB")
      }
    }
    try self.init(bytes, path: path, rawAddress: address, for: profiles())
  }

  /// Reads an image from bytes.
  ///
  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - path: the file name for messages.
  ///   - address: the load address of raw bytes.
  ///   - profiles: the available microcontrollers, for suggesting a load address.
  /// - Throws: `Failure` if the bytes are not a valid image.
  package init(
    _ bytes: [UInt8], path: String, rawAddress address: UInt32? = nil,
    for profiles: @autoclosure () -> [MemoryProfile] = []
  ) throws(Failure) {
    do throws(ImageError) {
      guard !bytes.isEmpty else { throw ImageError("the file is empty") }
      if bytes.starts(with: ElfFile.magic) {
        self = try ElfFile(bytes).image(path: path)
      } else if UF2File.isLikely(bytes) {
        self = try UF2File.image(bytes, path: path)
      } else if let address {
        self = try FirmwareImage(
          path: path, form: .raw, [ImageSegment(address: address, bytes: bytes)])
      } else if IntelHex.isLikely(bytes) {
        self = try IntelHex.image(bytes, path: path)
      } else {
        throw ImageError(
          "the file is neither ELF, Intel HEX nor UF2; specify the load address of raw bytes: "
            + Self.loadAddresses(of: bytes, in: profiles()))
      }
    } catch {
      throw Failure(.badContent, "\(path): \(error.message)")
    }
  }

  /// Returns suggested load addresses for raw bytes, namely the start of the flash of each matching microcontroller.
  ///
  /// A microcontroller with an ARM core matches if the first two words can be its initial stack pointer and first
  /// instruction. If none matches, all are suggested.
  private static func loadAddresses(of bytes: [UInt8], in profiles: [MemoryProfile]) -> String {
    let words = [bytes.prefix(4), bytes.dropFirst(4).prefix(4)].map { word in
      word.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let fitting = profiles.filter {
      $0.architecture == .arm && $0.hasRAM(below: words[0])
        && $0.flash.contains(words[1])
    }
    let known = fitting.isEmpty ? profiles : fitting
    let bases = Set(known.map(\.flash.lowerBound)).sorted()
    guard !bases.isEmpty else { return "--at 0x0" }
    return bases.map { base in
      let names = known.filter { $0.flash.lowerBound == base }.map(\.name).joined(separator: ", ")
      return "--at 0x\(String(base, radix: 16)) (\(names))"
    }.joined(separator: " or ")
  }
}

/// Bytes and their load address.
package struct ImageSegment: Hashable, Sendable {
  /// The address of the first byte, as used by a programmer.
  package let address: UInt32
  /// The bytes, at least one.
  package let bytes: [UInt8]

  package init(address: UInt32, bytes: [UInt8]) {
    self.address = address
    self.bytes = bytes
  }

  package var range: Range<UInt64> { UInt64(address)..<UInt64(address) + UInt64(bytes.count) }

  /// Returns whether another segment is a part of this one, with the same bytes.
  func contains(_ other: ImageSegment) -> Bool {
    guard range.contains(other.range.lowerBound), other.range.upperBound <= range.upperBound else {
      return false
    }
    return bytes.dropFirst(Int(other.address - address)).starts(with: other.bytes)
  }
}

extension [ImageSegment] {
  /// Returns the segments sorted by address, without empty ones.
  ///
  /// - Throws: `ImageError` if two segments overlap, or if one exceeds the address space.
  func inOrder() throws(ImageError) -> [ImageSegment] {
    let sorted = filter { !$0.bytes.isEmpty }.inOrder { $0.address < $1.address }
    for (one, next) in zip(sorted, sorted.dropFirst())
    where one.range.upperBound > next.range.lowerBound {
      throw ImageError(
        "two segments overlap: \(one.range.shown) and \(next.range.shown)")
    }
    if let last = sorted.last, last.range.upperBound > 1 << 32 {
      throw ImageError("segment \(last.range.shown) exceeds the 32-bit address space")
    }
    return sorted
  }
}

extension Range<UInt64> {
  /// The range in hexadecimal, including its last address.
  package var shown: String {
    "0x\(String(lowerBound, radix: 16))..0x\(String(Swift.max(upperBound, 1) - 1, radix: 16))"
  }
}

/// A section of variables, which the program writes at run time.
package struct VariableSection: Hashable, Sendable {
  /// The name of the section.
  package let name: String
  /// The address range, in data addresses.
  package let range: Range<UInt64>

  /// `true` if the section reserves space for a stack or heap, judged by its name in common linker scripts.
  var isStackOrHeap: Bool {
    name.lowercased().contains("stack") || name.lowercased().contains("heap")
  }
}

extension FirmwareImage {
  /// Returns the limit of the main stack, which is the end of the variables below the initial stack pointer.
  ///
  /// The heap is between the variables and the stack. Its current end is a variable of the program (in newlib's `sbrk`),
  /// and the stack may use heap memory that has not been allocated. The limit is therefore the start of the heap. If the
  /// stack is an array among the variables, as in an RTOS, the limit is the start of the array.
  ///
  /// - Parameter top: the initial stack pointer.
  /// - Returns: the address after the last variable; `nil` if the file does not specify it, or if no variable is
  ///   below the stack.
  package func stackEnd(from top: UInt64) -> UInt64? {
    let around = variables.first { $0.range.lowerBound < top && top <= $0.range.upperBound }
    if let around {
      let array = symbols.objects.first {
        UInt64($0.address) < top && top <= UInt64($0.address) + UInt64($0.size)
      }
      if let array { return UInt64(array.address) }
      return around.isStackOrHeap ? around.range.lowerBound : nil
    }
    return variables.filter { !$0.isStackOrHeap && $0.range.upperBound < top }.map(
      \.range.upperBound
    )
    .max()
  }
}

/// Processor requirements of a program.
package struct ProcessorRequirements: Hashable, Sendable {
  /// The name of the processor, such as `cortex-m4`, or of the AVR microcontroller, in lower case.
  package internal(set) var name: String?
  /// `true` if the program requires instructions beyond ARMv6-M.
  package internal(set) var isBeyondBaseline = false
  /// `true` if the program uses the hard-float calling convention.
  package internal(set) var hasHardFloat = false
  /// The AVR family, such as 5 for parts with 16 to 64 KiB of flash.
  package internal(set) var avrFamily: Int?
}

/// An error in an image; its message does not name the file.
struct ImageError: Error, Hashable {
  let message: String

  init(_ message: String) { self.message = message }
}

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
      (try? fitted(to: profile))?.stack.map { stack in
        profile.allRAM.contains { UInt64(stack) == $0.upperBound }
      } ?? false
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
    if profile.architecture == .arm { regions += profile.allRAM }
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
  /// The table is at the start of the flash, behind boot code that the microcontroller needs there, or, if the image follows
  /// a boot loader, at the start of the image.
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
    let isWhole = UInt64(first.address) == profile.flash.lowerBound
    address = first.address + (isWhole ? profile.bootCode : 0)
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
    guard stack % 4 == 0, profile.hasRAM(below: UInt64(stack)) else {
      throw none(
        address,
        "the first word, 0x\(String(stack, radix: 16)), is not a stack pointer in the RAM "
          + profile.allRAM.map(\.shown).joined(separator: " or "))
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
  /// The RAM with the variables and the stack, in data addresses.
  package private(set) var ram: Range<UInt64>
  /// Further RAM, such as core-coupled memory.
  package private(set) var furtherRAM: [Range<UInt64>]
  /// Other loadable memories, such as configuration words.
  package let others: [Range<UInt64>]
  /// The size of the EEPROM in bytes.
  package let eeprom: Int
  /// `true` if the microcontroller has an FPU.
  package let hasFloat: Bool
  /// `true` if the core is an ARMv6-M.
  package let isBaseline: Bool
  /// The size in bytes of the boot code at the start of the flash, behind which the vector table is.
  package let bootCode: UInt32
  /// The AVR family number, as in the ELF flags; `nil` for an ARM core.
  package let avrFamily: Int?
  /// The name of the peripheral that writes the flash; `nil` if there is no such peripheral.
  package let flashController: String?

  /// Creates a profile.
  ///
  /// Default: an ARMv7E-M with an FPU.
  package init(
    name: String, architecture: FirmwareImage.Architecture, flash: Range<UInt64>,
    ram: Range<UInt64>, furtherRAM: [Range<UInt64>] = [], others: [Range<UInt64>] = [],
    eeprom: Int = 0, hasFloat: Bool = true,
    isBaseline: Bool = false, bootCode: UInt32 = 0, avrFamily: Int? = nil,
    flashController: String? = nil
  ) {
    self.name = name
    self.architecture = architecture
    self.flash = flash
    (self.ram, self.furtherRAM) = (ram, furtherRAM)
    self.others = others
    self.eeprom = eeprom
    self.hasFloat = hasFloat
    self.isBaseline = isBaseline
    self.bootCode = bootCode
    self.avrFamily = avrFamily
    self.flashController = flashController
  }
}

extension MemoryProfile {
  /// All RAM, that with the variables and the stack first.
  package var allRAM: [Range<UInt64>] { [ram] + furtherRAM }

  /// Returns whether an address is that of a stack pointer at or below the end of any RAM.
  fileprivate func hasRAM(below stack: UInt64) -> Bool {
    allRAM.contains { $0.lowerBound < stack && stack <= $0.upperBound }
  }

  /// Returns the profile with the RAM first in which a stack begins.
  package func ordered(forStack stack: UInt32?) -> MemoryProfile {
    guard let stack = stack.map(UInt64.init),
      let index = furtherRAM.firstIndex(where: { $0.lowerBound < stack && stack <= $0.upperBound })
    else { return self }
    var profile = self
    (profile.ram, profile.furtherRAM[index]) = (furtherRAM[index], ram)
    return profile
  }

  /// Returns whether flash and RAM contain those of another microcontroller.
  fileprivate func contains(_ other: MemoryProfile) -> Bool {
    [(flash, other.flash), (ram, other.ram)].allSatisfy { own, its in
      own.lowerBound <= its.lowerBound && its.upperBound <= own.upperBound
    }
  }
}
