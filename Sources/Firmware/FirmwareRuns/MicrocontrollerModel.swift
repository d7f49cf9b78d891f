import ATmega328P
package import Images
package import Machines
import NRF52832
import RP2040
import STM32F411
package import Support

/// A microcontroller model, with its memories and a function that creates a microcontroller of this model (a part).
package struct MicrocontrollerModel: Sendable {
  /// The name of the model on the command line.
  package let name: String
  /// `true` if the microcontroller has an FPU.
  let hasFloat: Bool
  /// `true` if the core is an ARMv6-M.
  let isBaseline: Bool
  /// The size in bytes of the boot code at the start of the flash, behind which the vector table is.
  let bootCode: UInt32
  /// The AVR family number, as in the ELF flags; `nil` for an ARM core.
  let avrFamily: Int?
  /// The name of the peripheral that writes the flash; `nil` if the core has no such peripheral.
  let flashController: String?
  /// The names of the fuse bytes.
  package let fuses: [String]
  private let create: @Sendable (_ seed: UInt64, _ fuses: [String: UInt8]) -> any Microcontroller

  init(
    _ name: String, hasFloat: Bool = true, isBaseline: Bool = false, bootCode: UInt32 = 0,
    avrFamily: Int? = nil, flashController: String? = nil, fuses: [String] = [],
    create: @escaping @Sendable (_ seed: UInt64, _ fuses: [String: UInt8]) -> any Microcontroller
  ) {
    self.name = name
    self.fuses = fuses
    self.hasFloat = hasFloat
    (self.isBaseline, self.bootCode) = (isBaseline, bootCode)
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
    var (furtherRAM, others): ([Range<UInt64>], [Range<UInt64>]) = ([], [])
    var eeprom = 0
    for memory in machine.memories {
      // Debuggers map AVR data to 0x800000 and programs to 0.
      let base = UInt64(memory.base) - (isAVR && memory.kind == .ram ? 0x80_0000 : 0)
      let range = base..<base + UInt64(memory.count)
      switch memory.kind {
      case .flash where flash == nil: flash = range
      case .ram where ram == nil: ram = range
      case .ram: furtherRAM.append(range)
      case .eeprom: eeprom = Int(memory.count)
      default: others.append(range)
      }
    }
    return MemoryProfile(
      name: name, architecture: isAVR ? .avr : .arm, flash: flash ?? 0..<0, ram: ram ?? 0..<0,
      furtherRAM: furtherRAM, others: others, eeprom: eeprom, hasFloat: hasFloat,
      isBaseline: isBaseline, bootCode: bootCode, avrFamily: avrFamily,
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
    MicrocontrollerModel("stm32f405", flashController: "FLASH") { seed, _ in
      STM32F411(.stm32F405, seed: seed)
    },
    MicrocontrollerModel("rp2040", hasFloat: false, isBaseline: true, bootCode: 0x100) { seed, _ in
      RP2040(seed: seed)
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

/// Register names from a CMSIS-SVD file.
///
/// Only the elements that affect names are read, namely peripherals with their base addresses, registers and clusters
/// with their offsets, arrays, and derived peripherals.
package struct RegisterNames: Sendable {
  /// The register names, by address.
  private var names: [UInt32: String] = [:]

  /// Reads an SVD file.
  ///
  /// - Throws: `Failure` if the file cannot be read or contains no peripheral.
  package init(path: String) throws(Failure) {
    try self.init(TextFile.read(path), path: path)
  }

  /// Parses the text of an SVD file; the path is used in error messages only.
  ///
  /// - Throws: `Failure` if the text is not well-formed XML or contains no peripheral.
  package init(_ text: String, path: String) throws(Failure) {
    guard let root = XMLElement(reading: text) else {
      throw Failure(.badContent, "\(path): the file is not well-formed XML")
    }
    let peripherals = root.all("peripherals").flatMap { $0.all("peripheral") }
    guard !peripherals.isEmpty else {
      throw Failure(.badContent, "\(path): the file is not CMSIS-SVD: it has no peripherals")
    }
    for peripheral in peripherals {
      guard let base = peripheral.number("baseAddress"), let name = peripheral.text("name") else {
        continue
      }
      var source = peripheral
      if let origin = peripheral.attributes["derivedFrom"], peripheral.first("registers") == nil {
        source = peripherals.first { $0.text("name") == origin } ?? peripheral
      }
      if let registers = source.first("registers") { add(registers, base, name + ".", depth: 0) }
    }
  }

  /// Returns the name of the register at an address, such as `UARTE0.PSEL.TXD`.
  package func name(at address: UInt32) -> String? {
    names[address] ?? names[address & ~3]
  }

  private mutating func add(_ list: XMLElement, _ base: UInt32, _ prefix: String, depth: Int) {
    guard depth < 4 else { return }
    for item in list.children where item.name == "register" || item.name == "cluster" {
      guard let offset = item.number("addressOffset"), let name = item.text("name") else {
        continue
      }
      let count = min(item.number("dim") ?? 1, 1024)
      let step = item.number("dimIncrement") ?? 0
      for index in 0..<count {
        let address = base &+ offset &+ index &* step
        let full = prefix + name.replacing("%s", with: "\(index)")
        if item.name == "cluster" {
          add(item, address, full + ".", depth: depth + 1)
        } else if names[address] == nil {
          names[address] = full.visible
        }
      }
    }
  }
}

extension XMLElement {
  /// Returns the number in a child element, which may be decimal, hexadecimal (0x) or binary (#).
  fileprivate func number(_ name: String) -> UInt32? {
    guard let text = text(name)?.lowercased() else { return nil }
    if text.hasPrefix("0x") { return UInt32(text.dropFirst(2), radix: 16) }
    if text.hasPrefix("#") { return UInt32(text.dropFirst(), radix: 2) }
    return UInt32(text)
  }
}

/// An XML element with its text and children; only the XML subset of SVD files is supported.
struct XMLElement {
  let name: String
  var attributes: [String: String] = [:]
  var text = ""
  /// The child elements.
  var children: [XMLElement] = []

  /// The maximum nesting depth.
  private static let deepest = 64

  init(name: String) { self.name = name }

  /// Parses the root element of a text; returns `nil` if the text is not well-formed XML.
  init?(reading text: String) {
    var open = [XMLElement(name: "")]
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "<") {
      open[open.count - 1].text += rest[..<start]
      rest = rest[start...]
      if let end = Self.skipped(rest) {
        rest = rest[end...]
        continue
      }
      guard let end = rest.firstIndex(of: ">") else { return nil }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.count > 1, let done = open.popLast(), tag.dropFirst().trimmed == done.name
        else { return nil }
        open[open.count - 1].children.append(done)
      } else {
        let element = Self.opened(tag)
        if tag.hasSuffix("/") {
          open[open.count - 1].children.append(element)
        } else {
          guard open.count < Self.deepest else { return nil }
          open.append(element)
        }
      }
    }
    guard open.count == 1, open[0].children.count == 1 else { return nil }
    self = open[0].children[0]
  }

  /// Returns the end of the comment, CDATA section, declaration or processing instruction with which a text starts.
  private static func skipped(_ text: Substring) -> Substring.Index? {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
    where text.hasPrefix(start) {
      return text.firstRange(of: end)?.upperBound
    }
    return nil
  }

  private static func opened(_ tag: Substring) -> XMLElement {
    let body = tag.hasSuffix("/") ? tag.dropLast() : tag
    let name = body.prefix { !$0.isWhitespace }
    var element = XMLElement(name: String(name))
    for match in body.dropFirst(name.count).matches(of: /(\w+)\s*=\s*["']([^"']*)["']/) {
      element.attributes[String(match.output.1)] = String(match.output.2)
    }
    return element
  }

  /// Returns the children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the first child with a name.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the text of the first child with a name.
  func text(_ name: String) -> String? { first(name).map(\.text.trimmedLines) }
}
