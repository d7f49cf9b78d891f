import Chips
import Parts
import Schema
import Support

/// An example of a key of a rig: the key with a value, and a complete rig that contains it.
///
/// Most values are derived from the shapes of the keys; `KeyExamples.values` and
/// `KeyExamples.companions` supply the rest.
package struct KeyExample: Sendable {
  /// The heading that the key reference has for the group of keys to which the key belongs.
  package let title: String
  package let key: String
  /// The key with its value, on one line: `within: 20Pa`.
  package let text: String
  /// A complete rig that contains the key.
  package let rig: String
}

/// The examples of all keys of a rig.
package enum KeyExamples {
  /// The examples of all keys, in the order of the reference.
  package static let all: [KeyExample] = {
    var all: [KeyExample] = []
    walk("A rig", RigSchema.rig, in: &all) { $0 }
    return all
  }()

  /// The examples, by heading and key.
  private static let byKey = Dictionary(all.map { ("\($0.title)|\($0.key)", $0) }) { first, _ in
    first
  }

  static func example(_ title: String, _ key: String) -> KeyExample? { byKey["\(title)|\(key)"] }

  private static func walk(
    _ title: String, _ section: Section, in all: inout [KeyExample],
    _ wrap: @escaping (String) -> String
  ) {
    for field in section.fields {
      let others = title == "A rig" ? [] : company(title, section, field)
      let value = value(title, field, of: section)
      let text = "\(field.name): \(value)"
      all.append(
        KeyExample(
          title: title, key: field.name, text: text,
          rig: rig(title, field.name, wrap((others + [text]).joined(separator: ", ")))))
      guard field.describedAt == nil else { continue }
      let inner = title == "A rig" ? field.name : "\(title): \(field.name)"
      descend(inner, field.shape, in: &all) { content in
        wrap((others + ["\(field.name): \(content)"]).joined(separator: ", "))
      }
    }
  }

  /// Creates a complete rig from content that contains a key, by adding the top-level keys that the
  /// content needs.
  private static func rig(_ title: String, _ key: String, _ content: String) -> String {
    let path = "\(title)|\(key)"
    let context = contexts.filter { path.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }
    let top = self.key(of: content)
    let isInCabin = path.hasPrefix("buses: devices, ") && key == "module"
    let needed = isInCabin ? inCabin : context?.value ?? usual
    let others = (["name: my-bench"] + needed).filter { self.key(of: $0) != top }
    // The channels of a multiplexer lead to further buses.
    let isMultiplexed = title == "buses: devices, model: \(Rig.Multiplexer.model)"
    let content = isMultiplexed ? "\(content.dropLast()), \(busesBehind)]" : content
    return "{" + (others + [content]).joined(separator: ", ") + "}\n"
  }

  private static func descend(
    _ title: String, _ shape: Shape, in all: inout [KeyExample],
    _ wrap: @escaping (String) -> String
  ) {
    switch shape {
    case .section(let section): walk(title, section, in: &all) { wrap("{\($0)}") }
    case .list(let element), .listOrNone(let element):
      descend(title, element, in: &all) { wrap("[\($0)]") }
    case .either(let shapes): for shape in shapes { descend(title, shape, in: &all, wrap) }
    case .variants(let discriminator, let sections):
      for words in Section.alike(sections) {
        guard let section = sections[words[0]] else { continue }
        walk(
          "\(title), \(discriminator): \(words.joined(separator: ", "))",
          section.variant(words, of: discriminator), in: &all
        ) { wrap("{\($0)}") }
      }
    default: break
    }
  }

  /// Returns the other keys without which the group of a key is not valid.
  private static func company(
    _ title: String, _ section: Section, _ field: Section.Field
  ) -> [String] {
    guard !section.isChoice else { return [] }
    let named =
      companions["\(title)|\(field.name)"] ?? companions["\(title)|"]
      ?? section.example.map(items) ?? []
    // Of the described parts, only some have a calibration.
    let isCalibration = field.name == "calibration" && section.exampleWord != nil
    let others = (isCalibration ? ["model: \(RigSchema.exampleOfCalibrated)"] : named)
      .filter { key(of: $0) != field.name }
    let given = Set((isCalibration ? others : named).map(key) + [field.name])
    let isMissing = given.isDisjoint(with: section.alternatives)
    let alternative = isMissing ? section.alternatives.first : nil
    let required = section.fields.filter {
      ($0.isRequired || $0.name == alternative) && !given.contains($0.name)
    }
    return required.map { "\($0.name): \(value(title, $0, of: section))" } + others
  }

  private static func key(of item: String) -> String { String(item.prefix { $0 != ":" }) }

  /// Splits a group in braces into its items.
  private static func items(_ group: String) -> [String] {
    var items = [""]
    var depth = 0
    for character in group.dropFirst().dropLast() {
      if "[{".contains(character) { depth += 1 }
      if "]}".contains(character) { depth -= 1 }
      if character == ",", depth == 0 {
        items.append("")
      } else if !(items[items.count - 1].isEmpty && character == " ") {
        items[items.count - 1].append(character)
      }
    }
    return items
  }

  /// Returns the example value of a key.
  private static func value(_ title: String, _ field: Section.Field, of section: Section) -> String
  {
    let kind = title.split(separator: ",").first.map(String.init) ?? title
    let named =
      values["\(title)|\(field.name)"] ?? values["\(kind)|\(field.name)"] ?? field.example
      ?? values[field.name]
    if let named { return named }
    let inGroup = section.example.map(items)?.first { key(of: $0) == field.name }
    if let inGroup { return String(inGroup.dropFirst(field.name.count + 2)) }
    return value(title, field.shape) ?? "?"
  }

  private static func value(_ title: String, _ shape: Shape) -> String? {
    switch shape {
    case .word(let words): return words.first
    case .integer(let range): return "\(min(max(2, range.lowerBound), range.upperBound))"
    case .number(let range):
      return Decimal.shortest(min(max(0.5, range.lowerBound), range.upperBound))
    case .choice(let numbers): return numbers.last.map { "\($0)" }
    case .address(let addresses):
      return addresses.first.map { "0x" + Hexadecimal.digits(UInt8($0)) }
    case .boolean: return "true"
    case .list(let element), .listOrNone(let element):
      return value(title, element).map { "[\($0)]" }
    case .section(let section):
      if let example = section.example { return example }
      let fields = section.fields.filter(\.isRequired)
      let shown = fields.isEmpty ? Array(section.fields.prefix(1)) : fields
      return "{"
        + shown.map { "\($0.name): \(value(title, $0, of: section))" }.joined(separator: ", ") + "}"
    case .variants(let discriminator, let sections):
      guard let word = sections.keys.min(), let section = sections[word] else { return nil }
      return value(title, .section(section.variant(word, of: discriminator)))
    case .either(let shapes): return shapes.lazy.compactMap { value(title, $0) }.first
    case .text, .path, .quantity, .moment, .hexadecimal, .anything: return shape.example
    }
  }
}

extension KeyExamples {
  private static let first = Catalogue.models[0]
  private static let busesBehind =
    "{number: 11, devices: [\(part)]}, {number: 13, devices: [\(part)]}"
  private static let part = "{address: \(first.addresses[0]), model: \(first.name)}"
  private static let length = "duration: 3h"
  private static let buses = "buses: [{number: 1, devices: [\(part)]}]"
  private static let reader = "pipeline: {samples: 3, cycle: 10min}"
  private static let watch = "pipeline: {samples: 1, cycle: 1s, leak: {limit: 490mmHg}}"
  private static let rooms =
    "[{name: node, volume: 116m3}, {name: laboratory, volume: 150m3}]"
  private static let sensor = "firmware: {image: sensor.elf}"
  private static let hole = "leak: {module: laboratory, hole: 5mm, at: 10min}"
  private static let cabin = "environment: {cabin: {modules: \(rooms), \(hole)}}"
  private static let columns =
    "{pressure: {name: pressure, unit: hPa}, temperature: {name: temp, unit: F}, humidity: {name: humid, unit: \"%\"}}"
  private static let series = [
    "file: jfk-2013", "time: time_hour", "start: 2013-01-01T06:00:00Z", "columns: \(columns)",
    "missing: NA", "gaps: {interpolate: 3h}",
  ]
  private static let recorded = ["number: 1", "trace: bmp-bosch-decode"]

  /// Creates a bus with one device; the driver of its model accepts the given pipeline key.
  private static func bus(taking key: String) -> String {
    let model = Catalogue.models.first { $0.driverKeys.contains { $0.name == key } } ?? first
    return "buses: [{number: 1, devices: [{address: \(model.addresses[0]), model: \(model.name)}]}]"
  }

  /// The top-level keys that are added to an example which `contexts` does not list.
  static let usual = [length, buses]

  /// The top-level keys that an example needs, by a prefix of its heading and key; the longest
  /// matching prefix is used.
  static let contexts: [String: [String]] = [
    "A rig|fleet": [length], "fleet": [length], "A rig|expect": [length, buses, reader],
    "buses|physical": ["clock: real"], "expect": [length, buses, reader],
    "expect, that: beside": [length, buses, "pipeline: {compare: {defects: [p9-unsigned]}}"],
    "expect, that: faults": [length, buses, reader, "faults: [{kind: nack-address}]"],
    "expect, that: uart": [length, buses, sensor], "expect, that: energy": [length, buses, sensor],
    "expect, that: flash": [length, buses, sensor], "expect, that: ram": [length, buses, sensor],
    "expect, that: pin": [length, buses, sensor], "A rig|stimuli": [length, buses, sensor],
    "stimuli": [length, buses, sensor], "A rig|plant": [length, buses, sensor],
    "plant": [length, buses, sensor],
    "expect, that: stack": [length, buses, sensor], "expect|uart": [length, buses, sensor],
    "expect, that: forecast": [length, buses, "pipeline: {forecast: thesis}"],
    "expect, that: leak": [length, buses, watch, cabin],
    "expect, that: safe-haven": [length, buses, watch, cabin],
    "expect, that: pressure-alarm": [length, buses, watch, cabin],
    "A rig|notify": [length, buses, "pipeline: {forecast: thesis}"],
    "notify": [length, buses, "pipeline: {forecast: thesis}"],
    "pipeline|leak": [length, buses, cabin], "pipeline: leak": [length, buses, cabin],
    "pipeline|resolution": [length, bus(taking: "resolution")],
    "pipeline: resolution": [length, bus(taking: "resolution")],
    "pipeline|hold": [length, bus(taking: "hold")],
    "faults, kind: bridge-": [
      length, "buses: [{number: 1, bridge: automat, devices: [\(part)]}]",
    ],
  ]

  /// The top-level keys of a rig whose device is in a module of a cabin.
  static let inCabin = [length, cabin]

  /// The values that cannot be derived from the shapes, by heading and key or by the key alone.
  ///
  /// A heading may be shortened to the words before its first comma.
  static let values: [String: String] = [
    "name": "my-bench", "duration": "3h", "number": "1", "bus": "1", "module": "laboratory",
    "between": "[node, laboratory]", "run": "[logger, \"now {forecast}\"]",
    "history": "history.bin", "image": "sensor.elf", "firmware": "{image: sensor.elf}",
    "built_by": "make", "mcu": "nrf52832", "i2c": "{TWIM0: 1}", "until": "PASS", "matches": "PASS",
    "uart": "PASS",
    "port": "UARTE0",
    "pipeline|backup": "{file: weather.json}", "pipeline: backup|file": "weather.json",
    "pipeline: backup|url": "\"http://127.0.0.1:8080/v1/forecast?current=surface_pressure\"",
    "software_i2c": "[{scl: PB8, sda: PB9, bus: 1}]", "scl": "PB8", "sda": "PB9",
    "TWIM0": "1", "TWIM1": "1", "TWI0": "1", "TWI1": "1", "TWI": "1", "I2C1": "1", "I2C2": "1",
    "I2C3": "1",
    "capacity_mah": "220", "found": "laboratory", "physical": "/dev/i2c-1",
    "trace": "bmp-bosch-decode",
    "A rig|buses": "[{number: 1, devices: [\(part)]}]", "A rig|seed": "42",
    "A rig|pipeline": "{samples: 5, cycle: 30min}",
    "A rig|faults": "[{kind: nack-address, at: 1h}]",
    "A rig|expect": "[{that: temperature, within: 0.1C, of: environment}]",
    "A rig|fleet": "{count: 600, template: {model: \(first.name)}}",
    "buses|devices": "[\(part)]", "fleet|template": "{model: \(first.name)}",
    "environment|steps": "[{at: 0s, temperature: 21C}, {at: 1h, temperature: -5C}]",
    "environment: steps|at": "0s", "environment|series": "{\(series.joined(separator: ", "))}",
    "environment|cabin": "{modules: \(rooms), \(hole)}", "environment: series|file": "jfk-2013",
    "environment: series|time": "time_hour", "environment: series|columns": columns,
    "environment: series|missing": "NA", "environment: series|gaps": "{interpolate: 3h}",
    "environment: series|start": "2013-01-01T06:00:00Z",
    "environment: series: gaps|interpolate": "3h",
    "environment: series: columns|pressure": "{name: pressure, unit: hPa}",
    "environment: series: columns|temperature": "{name: temp, unit: F}",
    "environment: series: columns|humidity": "{name: humid, unit: \"%\"}",
    "environment: series: columns: pressure|name": "pressure",
    "environment: series: columns: pressure|unit": "hPa",
    "environment: series: columns: temperature|name": "temp",
    "environment: series: columns: temperature|unit": "F",
    "environment: series: columns: humidity|name": "humid",
    "environment: series: columns: humidity|unit": "\"%\"",
    "environment: cabin|modules": rooms, "environment: cabin: modules|name": "node",
    "environment: cabin|hatches": "[{between: [node, laboratory]}]",
    "environment: cabin|operations": "[{at: 30min, do: mend}]",
    "environment: cabin: operations|at": "30min", "environment: cabin: operations|for": "2min",
    "environment: cabin|leak": "{module: laboratory, hole: 5mm, at: 10min}",
    "pipeline|address": "\(first.addresses[0])",
    "pipeline|sensors": "[{bus: 1, address: \(first.addresses[0])}]",
    "pipeline: sensors|address": "\(first.addresses[0])", "pipeline|standby": "500ms",
    "pipeline|cycle": "30min", "pipeline|leak": "{limit: 490mmHg}", "pipeline|keep": "3h",
    "pipeline: leak|limit": "490mmHg", "pipeline: leak|haven": "10min",
    "pipeline: resolution|temperature": "14", "pipeline: resolution|humidity": "12",
    "faults|at": "1h", "faults|address": "\(first.addresses[0])",
    "expect|within": "1%", "expect|address": "\(first.addresses[0])", "expect|after": "10min",
    "expect, that: beside|pressure": "[900hPa, 1100hPa]",
    "expect, that: beside|temperature": "[20C, 25C]", "expect, that: transfers|errors": "0",
    "expect|lasts": "365d", "expect|on": "225mAh", "expect|per": "day", "expect|at": "2h",
    "expect|by": "12min", "expect|count": "54",
  ]

  /// The other keys that a group needs: by heading and key, or by heading alone if all keys of the
  /// group need them.
  static let companions: [String: [String]] = [
    "buses: devices, model: \(Section.anyGroup)|": ["model: \(RigExamples.partInPlace)"],
    "buses: devices, model: \(Section.anyGroup)|model": ["address: 0x44"],
    "buses|": ["number: 1", "devices: [\(part)]"], "buses|physical": ["number: 1"],
    "buses|trace": ["number: 1"], "buses|replay": recorded, "buses|times": recorded,
    "environment: series|": series, "environment: cabin|": ["modules: \(rooms)"],
    "environment: cabin|operations": [
      "modules: \(rooms)", "hatches: [{between: [node, laboratory]}]", hole,
    ],
    "environment: cabin|hatches": ["modules: \(rooms)"],
    "pipeline|leak": ["samples: 1", "cycle: 1s"],
    "expect, that: humidity, pressure, temperature|": [
      "that: humidity", "within: 1%", "of: environment",
    ],
    "expect, that: humidity, pressure, temperature|min": ["that: humidity"],
    "expect, that: humidity, pressure, temperature|max": ["that: humidity"],
    "expect, that: beside|that": ["pressure: [900hPa, 1100hPa]"],
    "expect, that: energy|that": ["below: 0.5mAh"], "expect, that: energy|per": ["below: 0.5mAh"],
    "expect, that: energy|on": ["lasts: 365d"],
    "expect, that: beside|at": ["pressure: [900hPa, 1100hPa]"],
    "expect, that: forecast|that": ["at: 2h", "is: stable"],
    "expect, that: forecast|at": ["is: stable"], "expect, that: forecast|is": ["at: 2h"],
    "expect, that: leak|that": ["by: 12min"], "expect, that: safe-haven|that": ["never: true"],
    "expect, that: pressure-alarm|that": ["never: true"],
    "expect, that: pressure-alarm|is": ["by: 2h"],
    "expect, that: pin|that": ["pin: P0.17", "level: high"],
    "expect, that: pin|pin": ["level: high"],
    "expect, that: pin|after": ["pin: P0.17", "duty: [45, 55]"],
    "stimuli|count": ["line: help", "after: {uart: ready}"], "stimuli|frequency": ["pin: P0.13"],
    "stimuli|send": [], "stimuli|line": [], "stimuli|reset": [], "stimuli|uart": ["line: help"],
    "stimuli|input": ["voltage: 1.25V"], "stimuli|voltage": ["input: 3"],
    "stimuli|temperature": [], "stimuli|pressure": [], "stimuli|humidity": [],
    "stimuli|over": ["temperature: 40C"], "stimuli: after|pin": [],
    "stimuli: after|level": ["pin: P0.17"],
  ]
}

/// The reference of all keys of rig files, generated from the schema that checks them.
package enum RigReference {
  /// The reference as a documentation page.
  package static var page: String {
    var lines = [
      "# Rig files: every key",
      "",
      "All keys of a rig, generated from the schema that checks it.",
      "",
      "## Overview",
      "",
      "Durations, pressures and other quantities have a unit (`10s`, `1005hPa`); paths are relative",
      "to the rig file. *Required* keys must be given; the defaults of all others are stated.",
      "`aneroid rig reference` prints this page, `aneroid rig schema` the same as JSON Schema.",
      "",
    ]
    let reference = KeyReference(
      root: "A rig", example: { KeyExamples.example($0, $1).map(\.text) },
      file: RigExamples.example)
    lines += reference.lines(RigSchema.rig)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name of the JSON Schema file, which editors read from the folder of a rig.
  package static let schemaFile = "rig.schema.json"

  /// The JSON Schema, for editors.
  package static var schema: String {
    JSONSchema.document(
      of: RigSchema.rig, heading: "A rig", identifier: "urn:aneroid:rig-schema",
      title: "Aneroid rig"
    ) { heading, key in
      KeyExamples.example(heading, key).map { String($0.text.dropFirst(key.count + 2)) }
    }
  }
}
