import Support

/// A 32-bit little-endian ELF file for ARM or AVR (System V ABI, "Object Files").
package struct ElfFile {
  package static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

  /// A section header.
  struct Section {
    let name: String
    let kind, flags, address, offset, size, link: Int
  }

  /// The address at which the 64 KiB of the data space start in AVR ELF files; lower addresses are flash.
  static let avrData = 0x80_0000
  /// The addresses of the EEPROM in AVR ELF files.
  static let avrEEPROM = 0x81_0000..<0x82_0000

  let view: ByteView
  let architecture: FirmwareImage.Architecture
  let flags: Int
  let entry: Int
  private let programs: (offset: Int, size: Int, count: Int)
  let sections: [Section]

  /// Reads the headers of a file.
  ///
  /// - Throws: `ImageError` if the headers are truncated, or if the file is for an unsupported processor.
  init(_ bytes: [UInt8]) throws(ImageError) {
    view = ByteView(bytes: bytes)
    guard bytes.count >= 52 else { throw ImageError("the ELF header is truncated") }
    guard bytes[5] == 1 else { throw ImageError("the ELF is big endian") }
    architecture = try Self.architecture(view)
    guard bytes[4] == 1 else { throw ImageError("the ELF is 64-bit, not 32-bit") }
    let header = Self.header(view)
    guard header.kind == 2 else {
      throw ImageError(
        header.kind == 1
          ? "the ELF is an object file (.o): link it first" : "the ELF is not an executable")
    }
    (entry, flags, programs) = (header.entry, header.flags, header.programs)
    guard view.slice(programs.offset, programs.size * programs.count) != nil else {
      throw ImageError("the ELF file is truncated: its program headers are missing")
    }
    sections = Self.sections(view, header.sections, names: header.names)
  }

  private typealias Table = (offset: Int, size: Int, count: Int)

  private static func header(
    _ view: ByteView
  ) -> (kind: Int, entry: Int, flags: Int, programs: Table, sections: Table, names: Int) {
    let word = { (at: Int) in view.number(at: at, bytes: 4) ?? 0 }
    let half = { (at: Int) in view.number(at: at, bytes: 2) ?? 0 }
    return (
      half(16), word(24), word(36), (word(28), half(42), half(44)),
      (word(32), half(46), half(48)), half(50)
    )
  }

  /// The names of unsupported processors, by their number in the e_machine field of the ELF header.
  private static let unsupported = [
    3: "x86", 8: "MIPS", 20: "PowerPC", 62: "x86-64", 94: "Xtensa", 105: "MSP430",
    183: "64-bit ARM", 243: "RISC-V",
  ]

  private static func architecture(
    _ view: ByteView
  ) throws(ImageError) -> FirmwareImage.Architecture {
    switch view.number(at: 18, bytes: 2) ?? 0 {
    case 40: return .arm
    case 83: return .avr
    case let machine:
      let name = unsupported[machine] ?? "processor \(machine)"
      throw ImageError("the ELF is for \(name); supported: ARM (M profile), AVR")
    }
  }

  /// Returns the sections; empty if their headers are truncated, because a program needs no sections to run.
  private static func sections(_ view: ByteView, _ table: Table, names: Int) -> [Section] {
    guard table.size >= 40, view.slice(table.offset, table.size * table.count) != nil else {
      return []
    }
    let word = { (index: Int, at: Int) in
      view.number(at: table.offset + index * table.size + at, bytes: 4) ?? 0
    }
    let strings = names < table.count ? word(names, 16) : view.bytes.count
    return (0..<table.count).map {
      Section(
        name: view.text(at: strings + word($0, 0), longest: 64) ?? "", kind: word($0, 4),
        flags: word($0, 8), address: word($0, 12), offset: word($0, 16), size: word($0, 20),
        link: word($0, 24))
    }
  }

  /// Returns the contents of a section; `nil` if the section has no contents in the file.
  func content(_ section: Section) -> ArraySlice<UInt8>? {
    section.kind == 8 ? nil : view.slice(section.offset, section.size)
  }

  /// Returns the section with a name.
  func section(_ name: String) -> Section? { sections.first { $0.name == name } }

  /// A loadable segment.
  struct Program {
    let virtual, physical, size: Int
    let content: ArraySlice<UInt8>
  }

  /// Returns the loadable segments.
  func loaded() throws(ImageError) -> [Program] {
    guard programs.count == 0 || programs.size >= 32 else {
      throw ImageError("the ELF's program headers are too short")
    }
    var loaded: [Program] = []
    var total = 0
    for index in 0..<programs.count {
      let start = programs.offset + index * programs.size
      let word = { (at: Int) in view.number(at: start + at, bytes: 4) ?? 0 }
      guard word(0) == 1 else { continue }
      let (offset, fileSize) = (word(4), word(16))
      guard let content = view.slice(offset, fileSize) else {
        throw ImageError(
          "the ELF file is truncated: segment \(index + 1) ends at byte \(offset + fileSize) of "
            + "\(view.bytes.count)")
      }
      guard fileSize <= word(20) else {
        throw ImageError("the ELF's segment \(index + 1) is larger in the file than in memory")
      }
      total += fileSize
      guard total <= view.bytes.count else {
        throw ImageError("the ELF's segments are larger than the file")
      }
      loaded.append(
        Program(virtual: word(8), physical: word(12), size: word(20), content: content))
    }
    return loaded
  }
}

extension ElfFile {
  /// Returns the image that the file describes.
  ///
  /// - Throws: `ImageError` if a segment is truncated, if two segments overlap, or if nothing is loadable.
  func image(path: String) throws(ImageError) -> FirmwareImage {
    var loaded: [ImageSegment] = []
    var eeprom: [ImageSegment] = []
    var reserved: [Range<UInt64>] = []
    for program in try self.loaded() {
      let bytes = Array(program.content)
      if architecture == .avr, program.physical >= Self.avrData {
        // Fuses, lock bits and the signature follow the EEPROM; programs do not read them as memory.
        if Self.avrEEPROM.contains(program.physical) {
          let address = UInt32(program.physical - Self.avrEEPROM.lowerBound)
          eeprom.append(ImageSegment(address: address, bytes: bytes))
        }
      } else {
        loaded.append(ImageSegment(address: UInt32(program.physical), bytes: bytes))
      }
      reserved += variables(of: program)
    }
    var image = try FirmwareImage(path: path, form: .elf, loaded, architecture: architecture)
    image.eeprom = try eeprom.inOrder()
    image.reserved = reserved.inOrder { $0.lowerBound < $1.lowerBound }
    image.entry = UInt32(entry)
    image.requirements = try requirements()
    image.symbols = SymbolTable(symbols())
    image.variables = variableSections()
    image.hasLines = section(".debug_line") != nil
    image.hasStabs = section(".stab") != nil
    return image
  }

  /// Returns the sections of variables, which have both SHF_WRITE and SHF_ALLOC set.
  private func variableSections() -> [VariableSection] {
    sections.compactMap { section in
      guard section.flags & 3 == 3, section.size > 0 else { return nil }
      var first = UInt64(section.address)
      if architecture == .avr {
        guard (Self.avrData..<Self.avrEEPROM.lowerBound).contains(section.address) else {
          return nil
        }
        first -= UInt64(Self.avrData)
      }
      return VariableSection(name: section.name, range: first..<first + UInt64(section.size))
    }
  }

  /// Returns the addresses of the variables in a segment.
  ///
  /// A segment contains variables if its run-time address differs from its load address, or if it is longer than its
  /// bytes in the file.
  private func variables(of program: Program) -> [Range<UInt64>] {
    var (first, last) = (UInt64(program.virtual), UInt64(program.virtual + program.size))
    if architecture == .avr {
      let data = UInt64(Self.avrData)
      guard first >= data, first < UInt64(Self.avrEEPROM.lowerBound) else { return [] }
      (first, last) = (first - data, last - data)
    }
    let isMoved = program.virtual != program.physical || program.size > program.content.count
    return isMoved && first < last ? [first..<last] : []
  }

  private func requirements() throws(ImageError) -> ProcessorRequirements {
    switch architecture {
    case .arm:
      guard let section = section(".ARM.attributes"), let content = content(section) else {
        return ProcessorRequirements(hasHardFloat: flags & 0x400 != 0)
      }
      return try ArmAttributes(Array(content)).requirements
    case .avr:
      var requirements = ProcessorRequirements(avrFamily: flags & 0x7F)
      if let section = section(".note.gnu.avr.deviceinfo"), let content = content(section) {
        requirements.name = Self.avrName(ByteView(bytes: Array(content)))
      }
      return requirements
    }
  }

  /// Returns the name of the microcontroller from avr-gcc's device note.
  ///
  /// The note consists of a header, six words, a table of offsets, and the names.
  private static func avrName(_ note: ByteView) -> String? {
    guard let owner = note.number(at: 0, bytes: 4), owner <= 64 else { return nil }
    let table = 12 + (owner + 3) / 4 * 4 + 24
    guard let size = note.number(at: table, bytes: 4),
      let offset = note.number(at: table + 4, bytes: 4),
      let name = note.text(at: table + size + offset, longest: 64)
    else { return nil }
    return name.isEmpty ? nil : name.lowercased().visible
  }

  /// Returns whether a symbol is a mapping symbol (ELF for the Arm Architecture, 5.5.5) such as `$t` or `$d.7`.
  ///
  /// A dollar sign alone is not sufficient, because Swift function names also start with one.
  private static func marksContent(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 1)
    return parts.first.map { ["$a", "$t", "$d", "$x"].contains($0) } ?? false
  }

  /// Returns the functions and objects of the symbol table.
  private func symbols() -> [Symbol] {
    guard let table = sections.first(where: { $0.kind == 2 }), let content = content(table),
      table.link < sections.count, let names = self.content(sections[table.link])
    else { return [] }
    let entries = ByteView(bytes: Array(content))
    let strings = ByteView(bytes: Array(names))
    var symbols: [Symbol] = []
    for start in stride(from: 0, to: entries.bytes.count - 15, by: 16) {
      let word = { (at: Int) in entries.number(at: start + at, bytes: 4) ?? 0 }
      let index = entries.number(at: start + 14, bytes: 2) ?? 0
      guard index > 0, index < sections.count, let name = strings.text(at: word(0)),
        !name.isEmpty, !Self.marksContent(name)
      else { continue }
      let isCode = sections[index].flags & 4 != 0
      let kind: Symbol.Kind
      switch entries.bytes[start + 12] & 15 {
      case 2: kind = .function
      case 1: kind = .object
      case 0 where isCode: kind = .label
      default: continue
      }
      var address = UInt32(word(4))
      if kind != .object, architecture == .arm { address &= ~1 }
      if architecture == .avr, !isCode { address &= 0xFFFF }
      symbols.append(
        Symbol(
          name: (ItaniumName.readable(name) ?? name).visible, kind: kind, address: address,
          size: UInt32(word(8)),
          isWeak: entries.bytes[start + 12] >> 4 == 2))
    }
    return symbols
  }
}

/// The build attributes of an ARM ELF ("ABI for the Arm Architecture: Build Attributes", 2023Q3).
struct ArmAttributes {
  private(set) var requirements = ProcessorRequirements()
  private var bytes: ArraySlice<UInt8>

  /// Reads the contents of the build attributes section.
  ///
  /// - Throws: `ImageError` if the program is not for the M profile, or is for a newer architecture.
  init(_ section: [UInt8]) throws(ImageError) {
    bytes = section[...].dropFirst()
    guard section.first == UInt8(ascii: "A"), bytes.count > 4 else { return }
    bytes = bytes.dropFirst(4)
    guard text() == "aeabi", number() == 1, bytes.count > 4 else { return }
    bytes = bytes.dropFirst(4)
    var (architecture, profile) = (0, 0)
    while !bytes.isEmpty {
      let tag = number()
      switch tag {
      case 4, 5, 67:
        let name = text()
        if tag == 5 { requirements.name = name.lowercased().visible }
      case 32: (_, _) = (number(), text())
      case 6: architecture = number()
      case 7: profile = number()
      case 28: requirements.hasHardFloat = number() == 1
      case _ where tag > 32 && tag % 2 == 1: _ = text()
      default: _ = number()
      }
    }
    try check(architecture, profile)
  }

  /// Checks Tag_CPU_arch: 11 and 12 are ARMv6-M, 10 and 13 ARMv7(E)-M, 16 and up Armv8-M and later.
  private mutating func check(_ architecture: Int, _ profile: Int) throws(ImageError) {
    requirements.isBeyondBaseline = [10, 13].contains(architecture)
    let name = requirements.name.map { " (\($0))" } ?? ""
    if [UInt8(ascii: "A"), UInt8(ascii: "R"), UInt8(ascii: "S")].map(Int.init).contains(profile) {
      throw ImageError("the ELF is for an ARM\(name) that is not M profile")
    }
    guard [0, 10, 11, 12, 13].contains(architecture) else {
      throw ImageError(
        "the ELF is for an unsupported ARM\(name); supported: ARMv6-M, ARMv7E-M")
    }
  }

  /// Reads a ULEB128 number; bits beyond 63 are discarded.
  private mutating func number() -> Int {
    var (value, shift) = (0, 0)
    while let byte = bytes.popFirst() {
      if shift < 56 { value |= Int(byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    return value
  }

  private mutating func text() -> String {
    let text = bytes.prefix { $0 != 0 }
    bytes = bytes.dropFirst(text.count + 1)
    return String(decoding: text, as: UTF8.self)
  }
}

/// A bounds-checked reader of little-endian numbers.
struct ByteView {
  let bytes: [UInt8]

  /// Returns a number of 1, 2 or 4 bytes; `nil` if it is out of bounds.
  func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the bytes of a range; `nil` if it is out of bounds.
  func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return bytes[offset..<offset + count]
  }

  /// Returns the text up to the next 0, truncated to `longest` bytes; `nil` if it is out of bounds.
  func text(at offset: Int, longest: Int = 512) -> String? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return String(decoding: bytes[offset...].prefix(longest).prefix { $0 != 0 }, as: UTF8.self)
  }
}
