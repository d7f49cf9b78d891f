/// A 32-bit little-endian ELF for ARM or AVR (System V ABI, "Object Files").
struct ElfFile {
  static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

  /// A section, as its header says.
  struct Section {
    let name: String
    let kind, flags, address, offset, size, link: Int
  }

  /// Where an AVR's ELF has what is not flash: data, and the EEPROM, 64 KiB each.
  static let avrData = 0x80_0000
  static let avrEEPROM = 0x81_0000..<0x82_0000

  let view: ByteView
  let architecture: FirmwareImage.Architecture
  let flags: Int
  let entry: Int
  private let programs: (offset: Int, size: Int, count: Int)
  let sections: [Section]

  /// Reads the headers.
  ///
  /// - Throws: ``ImageProblem`` when they are cut off, or the file is for another processor.
  init(_ bytes: [UInt8]) throws(ImageProblem) {
    view = ByteView(bytes: bytes)
    guard bytes.count >= 52 else { throw ImageProblem("the ELF is cut off within its header") }
    guard bytes[5] == 1 else { throw ImageProblem("the ELF is big endian") }
    architecture = try Self.architecture(view)
    guard bytes[4] == 1 else { throw ImageProblem("the ELF is a 64-bit one") }
    let header = Self.header(view)
    guard header.kind == 2 else {
      throw ImageProblem(
        header.kind == 1
          ? "the ELF is an object file (.o): link it first" : "the ELF is not a program")
    }
    (entry, flags, programs) = (header.entry, header.flags, header.programs)
    guard view.slice(programs.offset, programs.size * programs.count) != nil else {
      throw ImageProblem("the ELF is cut off: its program headers lie beyond its end")
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

  /// Of which processors people have ELFs that are not ours, by e_machine.
  private static let foreign = [
    3: "x86", 8: "MIPS", 20: "PowerPC", 62: "x86-64", 94: "Xtensa", 105: "MSP430",
    183: "64-bit ARM", 243: "RISC-V",
  ]

  private static func architecture(
    _ view: ByteView
  ) throws(ImageProblem) -> FirmwareImage.Architecture {
    switch view.number(at: 18, bytes: 2) ?? 0 {
    case 40: return .arm
    case 83: return .avr
    case let machine:
      let name = foreign[machine] ?? "processor \(machine)"
      throw ImageProblem("the ELF is for \(name); there are cores for ARM (M profile) and AVR")
    }
  }

  /// The sections; none where their headers are cut off, since a stripped program runs without them.
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

  /// The content of a section; `nil` where there is none in the file.
  func content(_ section: Section) -> ArraySlice<UInt8>? {
    section.kind == 8 ? nil : view.slice(section.offset, section.size)
  }

  /// The section of a name.
  func section(_ name: String) -> Section? { sections.first { $0.name == name } }

  /// A stretch that is loaded.
  struct Program {
    let virtual, physical, size: Int
    let content: ArraySlice<UInt8>
  }

  /// What is loaded.
  func loaded() throws(ImageProblem) -> [Program] {
    guard programs.count == 0 || programs.size >= 32 else {
      throw ImageProblem("the ELF's program headers are shorter than they may be")
    }
    var loaded: [Program] = []
    var total = 0
    for index in 0..<programs.count {
      let start = programs.offset + index * programs.size
      let word = { (at: Int) in view.number(at: start + at, bytes: 4) ?? 0 }
      guard word(0) == 1 else { continue }
      let (offset, fileSize) = (word(4), word(16))
      guard let content = view.slice(offset, fileSize) else {
        throw ImageProblem(
          "the ELF is cut off: its segment \(index + 1) ends at byte \(offset + fileSize) of "
            + "\(view.bytes.count)")
      }
      guard fileSize <= word(20) else {
        throw ImageProblem("the ELF's segment \(index + 1) is larger in the file than in memory")
      }
      total += fileSize
      guard total <= view.bytes.count else {
        throw ImageProblem("the ELF's segments hold more than the file does")
      }
      loaded.append(
        Program(virtual: word(8), physical: word(12), size: word(20), content: content))
    }
    return loaded
  }
}
