import Parts
import Quantities
package import Schema
package import Support

/// The keys of a part file, and the reader that turns a file into a description.
package enum PartFile {
  /// Reads a part file.
  ///
  /// - Parameter path: the path of a file, or of a built-in one as `NamedInput` resolves it.
  /// - Returns: the part.
  /// - Throws: `Failure` if the file cannot be read, or with every error in it.
  package static func read(path: String) throws(Failure) -> DescribedPart {
    let text = try TextFile.read(NamedInput.open(path), longest: Document.longest)
    return DescribedPart(try read(text, file: NamedInput.title(path)))
  }

  /// Returns the built-in part with a name, or `nil` if there is none.
  package static func builtIn(_ name: String) -> DescribedPart? {
    guard let file = BuiltInFile.named(name, .part), file.name == name else { return nil }
    return (try? read(file.text, file: file.path)).map(DescribedPart.init)
  }

  /// Parses a part file.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - file: its path, for messages.
  /// - Returns: the description.
  /// - Throws: `Failure` of kind bad content with every error in it.
  package static func read(_ text: String, file: String) throws(Failure) -> PartDescription {
    var reader: PartFileReader
    let value: CheckedValue
    do throws(DocumentError) {
      let (checked, checker) = try Document.read(
        text, file: file, as: section, named: "the part", kind: .part)
      reader = PartFileReader(checker: checker)
      value = checked
    } catch {
      throw Failure(.badContent, [error])
    }
    let part = reader.part(value)
    guard reader.checker.errors.isEmpty else { throw Failure(.badContent, reader.checker.findings) }
    return part
  }

  /// The reference of all keys, as a documentation page.
  package static var reference: String {
    var lines = [
      "# Part files: every key",
      "",
      "All keys of a part file, generated from the schema that checks it.",
      "",
      "## Overview",
      "",
      "<doc:DescribeYourOwnSensor> explains them. `aneroid part reference` prints this page, `aneroid part schema`",
      "the same as JSON Schema.",
      "",
    ]
    let reference = KeyReference(root: "A part", example: { _, _ in nil }, file: { _, _ in nil })
    lines += reference.lines(section)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The table of the built-in parts, as a documentation page.
  package static var table: String {
    var lines = [
      "# Built-in parts",
      "",
      "The parts that are described in files and built into the command.",
      "",
      "## Overview",
      "",
      "`aneroid part show NAME` prints what a file says, `--source` the file itself. A test reads each part, but the TMP102, with a",
      "driver from PyPI that knows nothing of these files, at -12.34 °C. `aneroid part list --page` prints this page.",
      "",
    ]
    let rows = BuiltInFile.names(.part).compactMap { name -> [String]? in
      guard let file = BuiltInFile.named(name, .part), let part = builtIn(name) else { return nil }
      let left = file.text.split(separator: "\n").dropFirst().first.map { $0.dropFirst(2) } ?? ""
      return [
        "`\(name)`", part.title, part.addressSummary, part.description.summary, String(left),
        "\(file.text.utf8.count { $0 == 10 })",
      ]
    }
    lines +=
      MarkdownTable(["model", "part", "addresses", "content", "remarks", "lines"], rows).lines
    return lines.joined(separator: "\n") + "\n"
  }

  /// The JSON Schema of part files, for editors.
  package static var schema: String {
    JSONSchema.document(
      of: section, heading: "A part", identifier: "urn:aneroid:part-schema", title: "Aneroid part"
    ) { _, _ in nil }
  }

  /// All keys of a part file.
  package static let section = Section(
    "A part that is described in a file.",
    [
      .required("part", .text, "manufacturer and name, 'sensirion:sht4x'"),
      .required("title", .text, "the name for display"),
      .required("summary", .text, "what it measures, in a few words"),
      .required("sources", .list(.text), "the documents from which the description was made"),
      .required("addresses", .list(.anyAddress), "the possible addresses, the default first"),
      .optional("address_pins", .text, "what selects the address; default: none"),
      .optional(
        "start", .quantity(.duration), "how long it does not answer after power-on; default: 0s"),
      .optional(
        "checksum", .section(checksum), "the checksum of words or responses; default: none"),
      .optional("inputs", .list(.section(input)), "inputs that are no air; default: none"),
      .required(
        "values", .list(.section(value)), "what it measures, with the formula of each code"),
      .optional("registers", .section(registers), "its registers"),
      .optional("commands", .list(.section(command)), "its commands"),
      .required(
        "measurements", .list(.section(measurement)), "what is measured, when and for how long"),
      .optional(
        "prepare", .list(.text),
        "the commands that the driver of pipelines and 'read' sends first, by name; default: none"),
    ])

  private static let placement = Shape.word(
    PartDescription.Checksum.Placement.allCases.map(\.rawValue))

  private static let checksum = Section(
    "A CRC of eight bits, most significant bit first.",
    [
      .required("polynomial", .integer(0...255), "the polynomial without its highest bit"),
      .optional("start", .integer(0...255), "the start value; default: 0"),
      .optional(
        "after", placement,
        "what it follows: each word of two bytes, the whole response, each byte, or none; default: word"
      ),
    ])

  private static let input = Section(
    "An input that is no air, such as a voltage or a light.",
    [
      .required("name", .text, "its name"),
      .required("usual", .number(-1e9...1e9), "its value unless a rig sets it"),
      .optional("unit", .text, "its unit; default: none"),
    ])

  /// A value, or one for each value of a field.
  private static func choice(_ shape: Shape, _ summary: String) -> Shape {
    .either([
      shape,
      .section(
        Section(
          summary,
          [
            .required("by", .text, "the field that selects"),
            .required(
              "of", .list(shape),
              "the values, one for each value of the field: 2 to the power of its width"),
          ])),
    ])
  }

  private static let value = Section(
    "A measured value: offset + scale x code / per.",
    [
      .required("name", .text, "its name"),
      .required(
        "of", choice(.text, "What is measured, by a field."),
        "temperature (C), pressure (Pa), humidity (%), or the name of an input"),
      .required(
        "scale", choice(.number(-1e9...1e9), "The scale, by a field."), "the factor of the code"),
      .optional("per", .number(1e-9...1e12), "the divisor of the scale; default: 1"),
      .optional("offset", .number(-1e9...1e9), "the value of code 0; default: 0"),
      .optional("bits", .integer(1...32), "the width of the code; default: 16"),
      .optional("signed", .boolean, "whether the code is in two's complement; default: false"),
      .optional("shift", .integer(0...31), "the zero bits below the code; default: 0"),
      .optional(
        "limits", .list(.integer(-(1 << 31)...(1 << 32))), "the lowest and the highest code"),
      .optional(
        "first", .integer(-(1 << 31)...(1 << 32)), "the code before the first result; default: 0"),
      .optional(
        "noise", .number(0...1e6), "the standard deviation of a result, in its unit; default: 0"),
      .optional("range", .list(.number(-1e9...1e9)), "the specified range, in its unit"),
    ])

  private static let registers = Section(
    "The registers.",
    [
      .optional("bytes", .integer(1...4), "the bytes of a register; default: 1"),
      .optional("order", .word(["big", "little"]), "the order of its bytes; default: big"),
      .optional(
        "continues", .word(["next", "same", "ones"]),
        "what follows in a longer read: the next register, the same again, or ones; default: next"),
      .required("list", .list(.section(register)), "the registers"),
    ])

  private static let register = Section(
    "A register.",
    [
      .required("name", .text, "its name"),
      .optional(
        "at", .integer(0...255),
        "its address; default: only commands reach it, as for a state such as asleep"),
      .optional("reset", .integer(0...0xFFFF_FFFF), "its content after power-on; default: 0"),
      .optional(
        "writable", .integer(0...0xFFFF_FFFF), "the bits that can be written; default: none"),
      .optional("bytes", .integer(1...4), "its bytes; default: those of all registers"),
      .optional("shows", .text, "the value whose code it shows; default: none"),
      .optional("fields", .list(.section(field)), "its fields"),
    ])

  private static let field = Section(
    "A group of bits.",
    [
      .required("name", .text, "its name"),
      .required("bit", .integer(0...31), "its lowest bit"),
      .optional("width", .integer(1...32), "its width in bits; default: 1"),
    ])

  private static let setting = Section(
    "A value of a field.",
    [
      .required("field", .text, "the field"),
      .required("is", .integer(0...0xFFFF_FFFF), "its value"),
    ])

  private static let command = Section(
    "A command.",
    [
      .required("name", .text, "its name"),
      .optional(
        "code", .integer(0...0xFFFF),
        "its code, of two bytes above 0xFF; default: none, a read without a command"),
      .optional(
        "arguments", .list(.integer(0...255)),
        "the bytes that a driver sends after the code; their number is checked, not their values; default: none"
      ),
      .optional("writes", .text, "the register that the bytes after the code write; default: none"),
      .optional(
        "checked", .boolean,
        "whether a checksum follows each written word; a wrong one is not acknowledged; default: false"
      ),
      .optional("measures", .text, "the measurement that it starts; default: none"),
      .optional(
        "returns", .list(.either([.integer(0...0xFFFF_FFFF), .text, .section(item)])),
        "the response: values, registers, constants, and 'serial', 'serial-1' to 'serial-3'; a bare word has 16 bits"
      ),
      .optional(
        "checksum_after", placement,
        "what a checksum follows in this response; default: as for the part"),
      .optional("resets", .boolean, "whether it resets the part; default: false"),
      .optional("busy", .quantity(.duration), "how long the part does not answer; default: 0s"),
      .optional(
        "sets", .list(.section(setting)),
        "the fields that it sets, before a measurement that it starts; default: none"),
      .optional(
        "forbidden_while", .list(.section(setting)),
        "its last byte is not acknowledged while this is so; default: never"),
    ])

  private static let item = Section(
    "A piece of a response.",
    [
      .optional("value", .text, "the value whose code it is"),
      .optional("register", .text, "the register whose content it is"),
      .optional("constant", .integer(0...0xFFFF_FFFF), "its bits"),
      .optional("bits", .integer(1...32), "its width; default: that of the value or the register"),
    ])

  private static let time = Section(
    "The duration of a measurement.",
    [
      .required("typical", choice(.quantity(.duration), "The duration, by a field."), "usually"),
      .optional(
        "maximum", choice(.quantity(.duration), "The duration, by a field."),
        "at most; default: the typical"),
    ])

  private static let measurement = Section(
    "A measurement.",
    [
      .required("name", .text, "its name"),
      .required("values", .list(.text), "the values that it measures"),
      .required("takes", .section(time), "its duration"),
      .optional(
        "meanwhile", .word(PartDescription.Measurement.Meanwhile.allCases.map(\.rawValue)),
        "what the part does meanwhile: not acknowledge, stretch the clock, answer with the last result; "
          + "default: last"),
      .optional("busy", .list(.section(setting)), "fields of one bit that show that it is busy"),
      .optional("starts", .list(.section(setting)), "the written fields that start it"),
      .optional(
        "every", choice(.quantity(.duration), "The period, by a field."),
        "its period, if it repeats by itself"),
      .optional(
        "while", .list(.section(setting)), "it repeats while this is so; default: always"),
      .optional(
        "needs_new", .boolean,
        "whether a read without a new result is not acknowledged; default: false"),
      .optional(
        "shows_new", .text, "the field of one bit that is set by a result and cleared by reading it"
      ),
    ])
}
