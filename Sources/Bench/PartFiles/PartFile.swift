import Parts
import Quantities
package import Schema
package import Support
import VirtualI2C

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

  /// Returns the built-in part with a name, `sht4x` or `sensirion:sht4x`, or `nil` if there is none.
  package static func builtIn(_ name: String) -> DescribedPart? {
    let short = Section.withoutVendor(name)
    guard let file = BuiltInFile.named(short, .part), file.name == short,
      let part = try? read(file.text, file: file.path),
      name == short || name == "\(part.vendor):\(part.name)"
    else { return nil }
    return DescribedPart(part)
  }

  /// Returns the path of a part file, for `NamedInput.open`.
  ///
  /// - Parameter word: the path of a file, or the name of a built-in part, with or without its manufacturer.
  /// - Returns: the path.
  /// - Throws: `Failure` of kind missing input if there is no such part.
  package static func path(_ word: String) throws(Failure) -> String {
    let isNamed = word.contains(":") && builtIn(word) != nil
    return try NamedInput(isNamed ? Section.withoutVendor(word) : word, .part).path
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

  /// Turns the checked keys of a part, in a rig, into a description; errors are noted.
  package static func read(_ value: CheckedValue, _ checker: inout Checker) -> PartDescription {
    var reader = PartFileReader(checker: checker)
    defer { checker = reader.checker }
    return reader.part(value)
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

  /// Returns the comments at the start of a part file, which say what it leaves out, without the line for editors.
  package static func remarks(in text: String) -> [String] {
    text.split(separator: "\n").prefix { $0.hasPrefix("#") }
      .filter { !$0.hasPrefix("# yaml-language-server") }
      .map { String($0.drop { $0 == "#" || $0 == " " }) }.filter { !$0.isEmpty }
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
      "`aneroid part show NAME` prints what a file says, `--source` the file itself. `aneroid part list --page` prints this page.",
      "",
    ]
    let rows = BuiltInFile.names(.part).compactMap { name -> [String]? in
      guard let file = BuiltInFile.named(name, .part), let part = builtIn(name) else { return nil }
      let left = remarks(in: file.text).joined(separator: " ")
      return [
        "`\(name)`", part.title, part.addressSummary, part.description.summary, left,
        "\(file.text.utf8.count { $0 == 10 })",
        "\((try? PartWalk(of: part, at: part.addresses[0])).map { walk in var walk = walk; return walk.walk(mayWrite: true).count } ?? 0)",
      ]
    }
    lines +=
      MarkdownTable(["model", "part", "addresses", "content", "remarks", "lines", "facts"], rows)
      .lines
    return lines.joined(separator: "\n") + "\n"
  }

  /// The table of the drivers that read the built-in parts, as a section of the documentation page.
  ///
  /// - Parameter path: the table: part, driver, package, the values that it prints, and the finding of an audit.
  /// - Returns: the section.
  /// - Throws: `Failure` if the file cannot be read.
  package static func drivers(_ path: String) throws(Failure) -> String {
    let lines = try TextFile.read(path).split(separator: "\n").dropFirst()
    let rows = lines.compactMap { line -> [String]? in
      guard let cells = CSV.fields(of: line.utf8, CSV.Form()), cells.count == 5 else { return nil }
      return ["`\(cells[0])`", cells[2], cells[3].isEmpty ? "wrong" : "right", cells[4]]
    }
    let head = [
      "", "## Drivers that read them", "", "Unmodified, from PyPI; a test runs each.", "",
    ]
    let table = MarkdownTable(["model", "driver", "values", "an audit found"], rows)
    return (head + table.lines).joined(separator: "\n") + "\n"
  }

  /// The table of published defects that an audit exposed, as a section of the documentation page.
  ///
  /// - Parameter path: the table: part, project, the version before, that with the fix, the report, the defect, and the scenario.
  /// - Returns: the section.
  /// - Throws: `Failure` if the file cannot be read.
  package static func bugs(_ path: String) throws(Failure) -> String {
    let lines = try TextFile.read(path).split(separator: "\n").dropFirst()
    let rows = lines.compactMap { line -> [String]? in
      guard let cells = CSV.fields(of: line.utf8, CSV.Form()), cells.count == 7 else { return nil }
      return ["`\(cells[0])`", "\(cells[1]) \(cells[2])", cells[3], cells[4], cells[5], cells[6]]
    }
    let head = [
      "", "## Published defects that an audit exposes", "",
      "The code of each driver was run unchanged, in the version before its fix (`^`: the commit before) and in the one after it where there",
      "is one; drivers for Arduino, ESP-IDF, ESPHome and MicroPython on a small adapter from their bus to `/dev/i2c-1`. The class is that of",
      "the page of driver defects.", "",
    ]
    let table = MarkdownTable(
      ["model", "driver", "fixed in", "report", "defect", "exposed by"], rows)
    return (head + table.lines).joined(separator: "\n") + "\n"
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
      .required("part", .text, "manufacturer and name, 'sensirion:sht4x'").example(
        "sensirion:sht4x"),
      .required("title", .text, "the name for display").example("SHT4x"),
      .required("summary", .text, "what it measures, in a few words").example(
        "temperature and humidity"),
      .required("sources", .list(.text), "the documents from which the description was made")
        .example("[the data sheet]"),
      .required("addresses", .list(.anyAddress), "the possible addresses, the default first")
        .example("[0x44, 0x45]"),
      .optional("address_pins", .text, "what selects the address; default: none").example("ADDR"),
      .optional("start", span, "how long it does not answer after power-on; default: 0s").example(
        "1ms"),
      .optional(
        "current", .number(0...1e6),
        "the current while it does not measure, in uA; default: unknown"
      ).example("0.08"),
      .optional(
        "heater", .section(heater), "a heater that warms it above the air; default: none"
      ).example("{while: [{field: heater, is: 1}], rise: 1, time_constant: 10s}"),
      .optional(
        "low_supply", .section(lowSupply), "a field that shows a low supply; default: none"
      ).example("{field: low supply, below: 2.8}"),
      .optional(
        "calibration", .section(calibration),
        "the constants with which a driver converts codes; default: none"
      ).example("{form: ms5611}"),
      .optional(
        "checksum", .section(checksum), "the checksum of words or responses; default: none"
      ).example("{polynomial: 0x31, start: 0xFF}"),
      .optional("inputs", .list(.section(input)), "inputs that are no air; default: none").example(
        "[{name: light, usual: 320, unit: lx}]"),
      .required(
        "values", .list(.section(value)), "what it measures, with the formula of each code"
      ).example("[{name: temperature, of: temperature, scale: 175, per: 65535, offset: -45}]"),
      .optional("registers", .section(registers), "its registers").example(
        "{bytes: 2, list: [{name: temperature, at: 0x00, shows: temperature}]}"),
      .optional("commands", .list(.section(command)), "its commands").example(
        "[{name: measure, code: 0xFD, measures: single, returns: [temperature]}]"),
      .optional(
        "unknown_commands", .word(["nack", "ignored"]),
        "whether bytes that are no command are not acknowledged, or acknowledged without an effect; default: nack"
      ).example("ignored"),
      .optional(
        "documented", .section(documented),
        "the answers of the data sheet to what others leave open, which a harsh part keeps; default: none"
      ).example("{second_read: idle}"),
      .required(
        "measurements", .list(.section(measurement)), "what is measured, when and for how long"
      ).example("[{name: single, values: [temperature], takes: {typical: 6.9ms, maximum: 8.3ms}}]"),
      .optional(
        "prepare", .list(.either([.text, .section(preparation)])),
        "what the driver of pipelines and 'read' sends first: commands by name, or words to registers; default: none"
      ).example("[start, {write: configuration, value: 0x07}]"),
    ])

  /// A duration, or the typical and the longest one.
  private static let span = Shape.either([
    .quantity(.duration),
    .section(
      Section(
        "The typical and the longest duration.",
        [
          .required("typical", .quantity(.duration), "usually").example("5ms"),
          .required("maximum", .quantity(.duration), "at most").example("15ms"),
        ])),
  ])

  private static let documented = Section(
    "How the part behaves where many data sheets say nothing, as its own one documents.",
    DescribedBehavior.assumptions.compactMap { assumption in
      guard case .words(let words) = assumption.answers else { return nil }
      let assumed = assumption.answerText(in: DescribedBehavior())
      return .optional(
        assumption.key, .word(words), "\(assumption.summary); default: \(assumed)"
      ).example(assumed)
    })

  private static let calibration = Section(
    "Constants of each device, with which a driver converts codes into pressure and temperature.",
    [
      .required(
        "form", .word(CalibrationForms.all.map { $0.name }),
        "the formulas and the layout of the constants"
      ).example("ms5611"),
      .optional(
        "constants", .list(.integer(-(1 << 31)...(1 << 31))),
        "the constants in the order of the data sheet; default: those of its example"
      ).example("[40127, 36924, 23317, 23282, 33464, 28312]"),
    ])

  private static let heater = Section(
    "A heater in the part, which makes it warmer and therefore the humidity at it lower.",
    [
      .required("while", .list(.section(condition)), "the heater is on while this is so").example(
        "[{field: heater, is: 1}]"),
      .required(
        "rise", choice(.number(0...200), "The temperature rise, by a field.", example: "[0, 6]"),
        "the temperature rise that it reaches, in °C"
      ).example("1"),
      .required(
        "time_constant", .quantity(.duration), "the time after which 1/e of the rise is missing"
      ).example("10s"),
    ])

  private static let lowSupply = Section(
    "A field of one bit that each measurement sets if the supply is below a voltage, and clears otherwise.",
    [
      .required("field", .text, "the field").example("low supply"),
      .required("below", .number(0...60), "the voltage in V").example("2.8"),
      .optional(
        "at_start", .boolean, "whether it is also set or cleared at the start; default: false"
      ).example("true"),
    ])

  private static let preparation = Section(
    "A word that is written to a register.",
    [
      .required("write", .text, "the register").example("configuration"),
      .required("value", .integer(0...0xFFFF_FFFF), "the word").example("0x07"),
    ])

  private static let placement = Shape.word(
    PartDescription.Checksum.Placement.allCases.map(\.rawValue))

  private static let checksum = Section(
    "A CRC of eight bits, most significant bit first.",
    [
      .required("polynomial", .integer(0...255), "the polynomial without its highest bit").example(
        "0x31"),
      .optional("start", .integer(0...255), "the start value; default: 0").example("0xFF"),
      .optional(
        "after", placement,
        "what it follows: each word of two bytes, the whole response, each byte, or none; with 'words' and 'bytes' it includes those "
          + "before; default: word"
      ).example("word"),
    ])

  private static let input = Section(
    "An input that is no air, such as a voltage or a light.",
    [
      .required("name", .text, "its name").example("light"),
      .optional(
        "usual", .number(-1e9...1e9),
        "its value unless a rig sets it; needed unless it follows from others"
      ).example("320"),
      .optional(
        "product", .list(.text), "two inputs before it, whose product it is; default: none"
      ).example("[current, shunt resistor]"),
      .optional(
        "difference", .list(.text),
        "two inputs before it: it is the first minus the second; default: none"
      ).example("[ain0, ain1]"),
      .optional("unit", .text, "its unit; default: none").example("lx"),
      .optional(
        "circuit", .boolean,
        "whether it is a component, such as a resistor, that no program displays; default: false"
      ).example("true"),
      .optional(
        "range", .list(.number(-1e9...1e9)),
        "the values that every program can measure, for audits; default: only the usual one"
      ).example("[0, 54000]"),
      .optional(
        "tolerance", .number(0...1e9),
        "the largest error of a correct program; default: the coarsest step of its codes"
      ).example("0.002"),
      .optional(
        "magnitude", .boolean,
        "whether a correct program may display it without its sign, as a power; default: false"
      ).example("true"),
    ])

  /// A value, or one for each value of a field.
  private static func choice(_ shape: Shape, _ summary: String, example: String) -> Shape {
    .either([
      shape,
      .section(
        Section(
          summary,
          [
            .required("by", .text, "the field that selects").example("gain"),
            .required(
              "of", .list(shape),
              "the values, one for each value of the field: 2 to the power of its width"
            ).example(example),
          ])),
    ])
  }

  /// A factor that a field selects, or to which it is proportional.
  private static let multiplier = Shape.section(
    Section(
      "A factor by a field: one of a list, or the field divided by a number.",
      [
        .required("by", .text, "the field").example("averages"),
        .optional(
          "of", .list(.number(0...1e6)),
          "the factors, one for each value of the field; needed unless 'per' is given"
        ).example("[1, 4, 16, 64]"),
        .optional(
          "per", .number(1e-9...1e9),
          "the number by which the field is divided; needed unless 'of' is given"
        ).example("69"),
      ]))

  private static let value = Section(
    "A measured value: offset + scale x code / per.",
    [
      .required("name", .text, "its name").example("temperature"),
      .optional(
        "of", choice(.text, "What is measured, by a field.", example: "[ain0, ain1]"),
        "temperature (C), pressure (Pa), humidity (%), or the name of an input"
      ).example("temperature"),
      .optional(
        "product", .list(.text),
        "instead of 'of': two values or registers, whose product divided by 'per' is the code; unsigned codes have no sign"
      ).example("[shunt voltage, calibration]"),
      .optional(
        "calibrated", .boolean,
        "whether the calibration converts the code; 'scale' is then the divisor that the oversampling selects; default: false"
      ).example("true"),
      .optional(
        "scale",
        choice(.number(-1e9...1e9), "The scale, by a field.", example: "[2.048, 1.024]"),
        "the factor of the code; default: 1"
      ).example("175"),
      .optional(
        "table", .list(.list(.number(-1e12...1e12))),
        "instead of a scale: codes in ascending order, each with its value; values between them are interpolated"
      ).example("[[0, -40], [512, 25], [1023, 125]]"),
      .optional("per", .number(1e-9...1e12), "the divisor of the scale; default: 1").example(
        "65535"),
      .optional("gain", multiplier, "a factor of the code, such as an exposure time; default: 1")
        .example("{by: sensitivity, per: 69}"),
      .optional("offset", .number(-1e9...1e9), "the value of code 0; default: 0").example("-45"),
      .optional("bits", .integer(1...32), "the width of the code; default: 16").example("12"),
      .optional(
        "precision",
        choice(.integer(1...32), "The measured bits, by a field.", example: "[14, 12, 13, 11]"),
        "the number of bits that are measured; those below are 0; default: all"
      ).example("{by: resolution, of: [14, 12, 13, 11]}"),
      .optional("signed", .boolean, "whether the code is in two's complement; default: false")
        .example("true"),
      .optional("shift", .integer(0...31), "the zero bits below the code; default: 0").example("4"),
      .optional(
        "limits",
        choice(
          .list(.integer(-(1 << 31)...(1 << 32))), "The lowest and the highest code, by a field.",
          example: "[[-4000, 4000], [-8000, 8000]]"),
        "the lowest and the highest code; default: those of its bits"
      ).example("[-880, 2000]"),
      .optional(
        "first", .integer(-(1 << 31)...(1 << 32)), "the code before the first result; default: 0"
      ).example("-32768"),
      .optional(
        "noise", .number(0...1e6), "the standard deviation of a result, in its unit; default: 0"
      ).example("0.0133"),
      .optional(
        "read_once", .boolean,
        "whether a read sets the code to that before the first result; default: false"
      ).example("true"),
      .optional("range", .list(.number(-1e9...1e9)), "the specified range, in its unit").example(
        "[-40, 125]"),
    ])

  private static let registers = Section(
    "The registers.",
    [
      .optional("bytes", .integer(1...4), "the bytes of a register; default: 1").example("2"),
      .optional("order", .word(["big", "little"]), "the order of its bytes; default: big").example(
        "little"),
      .optional(
        "continues", .word(["next", "same", "ones"]),
        "what follows in a longer read: the next register, the same again, or ones; default: next"
      ).example("same"),
      .optional(
        "reset_by", .list(.section(setting)), "written fields that reset the part; default: none"
      ).example("[{field: reset, is: 1}]"),
      .required("list", .list(.section(register)), "the registers").example(
        "[{name: temperature, at: 0x00, shows: temperature}]"),
    ])

  private static let register = Section(
    "A register.",
    [
      .required("name", .text, "its name").example("configuration"),
      .optional(
        "at", .integer(0...255),
        "its address; default: only commands reach it, as for a state such as asleep"
      ).example("0x01"),
      .optional("reset", .integer(0...0xFFFF_FFFF), "its content after power-on; default: 0")
        .example("0x60A0"),
      .optional(
        "writable", .integer(0...0xFFFF_FFFF), "the bits that can be written; default: none"
      ).example("0x1FD0"),
      .optional(
        "kept", .integer(0...0xFFFF_FFFF), "the bits that a reset does not change; default: none"
      ).example("0x04"),
      .optional("bytes", .integer(1...4), "its bytes; default: those of all registers").example(
        "2"),
      .optional("shows", .text, "the value whose code it shows; default: none").example(
        "temperature"),
      .optional(
        "calibration", .integer(0...63),
        "the index of the first byte of the calibration that it shows; default: none"
      ).example("0"),
      .optional(
        "identifies", .boolean,
        "whether drivers recognise the part by its content; default: false"
      ).example("true"),
      .optional("fields", .list(.section(field)), "its fields").example(
        "[{name: shutdown, bit: 8}]"),
    ])

  private static let field = Section(
    "A group of bits.",
    [
      .required("name", .text, "its name").example("shutdown"),
      .optional("bit", .integer(0...31), "its lowest bit; needed unless 'bits' is given").example(
        "8"),
      .optional(
        "bits", .list(.integer(0...31)), "its bits, the highest first, if they are not adjacent"
      ).example("[7, 0]"),
      .optional("width", .integer(1...32), "its width in bits; default: 1").example("2"),
      .optional(
        "cleared_by", .list(.text),
        "the registers whose reading clears it, if it shows a new result; default: its own, and those of the values"
      ).example("[status]"),
    ])

  private static let setting = Section(
    "A value of a field.",
    [
      .required("field", .text, "the field").example("shutdown"),
      .required("is", .integer(0...0xFFFF_FFFF), "its value").example("1"),
    ])

  private static let condition = Section(
    "A state of a field.",
    [
      .required("field", .text, "the field").example("mode"),
      .required(
        "is", .either([.integer(0...0xFFFF_FFFF), .list(.integer(0...0xFFFF_FFFF))]),
        "its value, or several of which it has one"
      ).example("[5, 7]"),
    ])

  private static let command = Section(
    "A command.",
    [
      .required("name", .text, "its name").example("measure"),
      .optional(
        "code", .integer(0...0xFFFF),
        "its code, of two bytes above 0xFF; default: none, a read without a command"
      ).example("0xFD"),
      .optional(
        "code_field", .text,
        "the field that the last bits of the code set, as many as it has; in 'code' they are 0; default: none"
      ).example("sensitivity"),
      .optional(
        "arguments", .list(.integer(0...255)),
        "the bytes that a driver sends after the code; their number is checked, not their values; default: none"
      ).example("[0x33, 0x00]"),
      .optional("writes", .text, "the register that the bytes after the code write; default: none")
        .example("configuration"),
      .optional(
        "checked", .boolean,
        "whether a checksum follows each written word; a wrong one is not acknowledged; default: false"
      ).example("true"),
      .optional("measures", .text, "the measurement that it starts; default: none").example(
        "single"),
      .optional(
        "returns", .list(.either([.integer(0...0xFFFF_FFFF), .text, .section(item)])),
        "the response: values, registers, constants, and 'serial', 'serial-1' to 'serial-3'; a bare word has 16 bits"
      ).example("[temperature, humidity]"),
      .optional(
        "fetch", .text,
        "the command with which a driver reads the result of the measurement; default: a read alone"
      ).example("read the result"),
      .optional(
        "when", .list(.section(condition)),
        "it has this effect while this is so; another command with its code has one otherwise; default: always"
      ).example("[{field: both, is: 1}]"),
      .optional(
        "checksum_after", placement,
        "what a checksum follows in this response; default: as for the part"
      ).example("response"),
      .optional(
        "identifies", .boolean,
        "whether drivers recognise the part by the response; for a code of one byte; default: false"
      ).example("true"),
      .optional("resets", .boolean, "whether it resets the part; default: false").example("true"),
      .optional("busy", span, "how long the part does not answer; default: 0s")
        .example("1ms"),
      .optional(
        "sets", .list(.section(setting)),
        "the fields that it sets, before a measurement that it starts; default: none"
      ).example("[{field: asleep, is: 0}]"),
      .optional(
        "forbidden_while", .list(.section(condition)),
        "its last byte is not acknowledged while this is so; default: never"
      ).example("[{field: asleep, is: 1}]"),
    ])

  private static let item = Section(
    "A piece of a response.",
    [
      .optional("value", .text, "the value whose code it is").example("temperature"),
      .optional("register", .text, "the register whose content it is").example("status"),
      .optional("constant", .integer(0...0xFFFF_FFFF), "its bits").example("0x5449"),
      .optional("calibration", .integer(0...31), "the word of the calibration with this index")
        .example(
          "1"),
      .optional("bits", .integer(1...32), "its width; default: that of the value or the register")
        .example("20"),
    ])

  private static let time = Section(
    "The duration of a measurement.",
    [
      .required(
        "typical",
        choice(.quantity(.duration), "The duration, by a field.", example: "[62.5ms, 31.25ms]"),
        "usually"
      ).example("6.9ms"),
      .optional(
        "maximum",
        choice(.quantity(.duration), "The duration, by a field.", example: "[62.5ms, 31.25ms]"),
        "at most; default: the typical"
      ).example("8.3ms"),
    ])

  private static let measurement = Section(
    "A measurement.",
    [
      .required("name", .text, "its name").example("single"),
      .required("values", .list(.text), "the values that it measures").example("[temperature]"),
      .required("takes", .section(time), "its duration").example(
        "{typical: 6.9ms, maximum: 8.3ms}"),
      .optional(
        "times", multiplier,
        "a factor of its duration and period, such as a number of averages; default: 1"
      ).example("{by: averages, of: [1, 4, 16, 64]}"),
      .optional(
        "meanwhile", .word(PartDescription.Measurement.Meanwhile.allCases.map(\.rawValue)),
        "what the part does meanwhile: not acknowledge, stretch the clock, answer with the last result; "
          + "default: last"
      ).example("nack"),
      .optional("busy", .list(.section(setting)), "fields of one bit that show that it is busy")
        .example("[{field: busy, is: 1}]"),
      .optional("starts", .list(.section(setting)), "the written fields that start it").example(
        "[{field: one shot, is: 1}]"),
      .optional(
        "every", choice(.quantity(.duration), "The period, by a field.", example: "[4s, 1s]"),
        "its period, if it repeats by itself"
      ).example("250ms"),
      .optional(
        "while", .list(.section(condition)), "it repeats while this is so; default: always"
      ).example("[{field: shutdown, is: 0}]"),
      .optional(
        "needs_new", .boolean,
        "whether a read without a new result is not acknowledged; default: false"
      ).example("true"),
      .optional(
        "shows_new", .either([.text, .list(.text)]),
        "the fields of one bit that are set by a result and cleared by reading it; default: none"
      ).example("ready"),
      .optional(
        "ends", .list(.section(setting)),
        "the fields that the part sets when it ends; default: none"
      ).example("[{field: power, is: 0}]"),
      .optional(
        "noise", .list(.number(0...1e6)),
        "the standard deviation of each value, in its unit; default: those of the values"
      ).example("[0.0233, 0.05]"),
      .optional("current", .number(0...1e6), "the current meanwhile, in uA; default: unknown")
        .example(
          "320"),
    ])
}
