import Text

extension ElfFile {
  /// The image that the file describes.
  ///
  /// - Throws: ``ImageProblem`` when a segment is cut off, two overlap, or nothing is loaded.
  func image(path: String) throws(ImageProblem) -> FirmwareImage {
    var loaded: [ImageSegment] = []
    var eeprom: [ImageSegment] = []
    var reserved: [Range<UInt64>] = []
    for program in try self.loaded() {
      let bytes = Array(program.content)
      if architecture == .avr, program.physical >= Self.avrData {
        // Fuses, lock bits and the signature, which lie behind the EEPROM, are no memory of a program.
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
    image.needs = try needs()
    image.symbols = SymbolTable(symbols())
    image.variables = variableSections()
    image.hasLines = section(".debug_line") != nil
    image.hasStabs = section(".stab") != nil
    return image
  }

  /// The sections that a program writes: with both SHF_WRITE and SHF_ALLOC.
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

  /// Where a segment has variables: at addresses of its own, and where it is larger than what is loaded.
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

  private func needs() throws(ImageProblem) -> ProcessorNeeds {
    switch architecture {
    case .arm:
      guard let section = section(".ARM.attributes"), let content = content(section) else {
        return ProcessorNeeds(hasHardFloat: flags & 0x400 != 0)
      }
      return try ArmAttributes(Array(content)).needs
    case .avr:
      var needs = ProcessorNeeds(avrFamily: flags & 0x7F)
      if let section = section(".note.gnu.avr.deviceinfo"), let content = content(section) {
        needs.name = Self.avrName(ByteView(bytes: Array(content)))
      }
      return needs
    }
  }

  /// The microcontroller of which avr-gcc's note tells: behind a header and six words a table of offsets, then names.
  private static func avrName(_ note: ByteView) -> String? {
    guard let owner = note.number(at: 0, bytes: 4), owner <= 64 else { return nil }
    let table = 12 + (owner + 3) / 4 * 4 + 24
    guard let size = note.number(at: table, bytes: 4),
      let offset = note.number(at: table + 4, bytes: 4),
      let name = note.text(at: table + size + offset, longest: 64)
    else { return nil }
    return name.isEmpty ? nil : name.lowercased().visible
  }

  /// Whether a symbol only marks where code and data begin (ELF for the Arm Architecture, 5.5.5): `$t`, `$d.7`; the
  /// names of Swift's functions begin with a dollar as well.
  private static func marksContent(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 1)
    return parts.first.map { ["$a", "$t", "$d", "$x"].contains($0) } ?? false
  }

  /// The functions and objects of the symbol table.
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
