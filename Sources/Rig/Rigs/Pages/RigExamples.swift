import Chips
import Parts
package import Schema
import Support

/// Examples for the key reference: excerpts of rigs, each with one group of keys.
///
/// Each excerpt becomes a valid rig once the missing required keys are added; a test checks all
/// excerpts.
package enum RigExamples {
  /// The keys to add to an example in which they are missing.
  private static let otherwise: [(key: String, text: String)] = [
    ("name", "name: example"),
    ("duration", "duration: 3h"),
    ("buses", "buses: [{number: 1, devices: [\(part)]}]"),
  ]

  /// Completes an example to a valid rig.
  package static func rig(_ example: String) -> String {
    let lines = example.split(separator: "\n")
    let hasFleet = lines.contains { $0.hasPrefix("fleet:") }
    let given = otherwise.filter { other in
      !lines.contains { $0.hasPrefix("\(other.key):") } && !(other.key == "buses" && hasFleet)
    }
    return given.map { $0.text + "\n" }.joined() + example + "\n"
  }

  /// Returns the example for a group of keys.
  ///
  /// - Parameters:
  ///   - title: the heading of the group in the reference.
  ///   - section: the group.
  /// - Returns: the example, or `nil` if there is none.
  package static func example(_ title: String, _ section: Section) -> String? {
    if let text = texts[title] { return text }
    if let kind = title.removing(prefix: "faults, kind: ") { return fault(kind) }
    if let rest = title.removing(prefix: "buses: devices, model: ") { return device(rest, section) }
    return nil
  }

  private static let texts = [beginnings, air, cabin, reading, judging]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  private static func fault(_ kind: String) -> String {
    let bridge = """
      buses:
        - number: 1
          bridge: automat
          devices: [\(part)]

      """
    return (kind.hasPrefix("bridge-") ? bridge : "")
      + "faults: [{at: 10min, kind: \(kind), \(faults[kind] ?? "count: 2")}]"
  }

  /// Creates a device of a model, with a group of keys if the heading names one.
  ///
  /// - Parameters:
  ///   - heading: the models, optionally followed by the key of the group, such as `a, b: offset`.
  ///   - section: the group.
  /// - Returns: the device on its bus, or `nil` for an unknown model.
  private static func device(_ heading: String, _ section: Section) -> String? {
    let parts = heading.split(separator: ":", maxSplits: 1).map {
      $0.drop { $0 == " " }
    }
    let names = parts[0].split(separator: ",").map { String($0.drop { $0 == " " }) }
    if names.contains(Rig.Multiplexer.model) { return multiplexer }
    if names.contains(Section.anyGroup) { return inPlace }
    if let model = names.first(where: Rig.BoardDevice.models.contains) {
      let address = String(Rig.BoardDevice.addresses(of: model)[0], radix: 16)
      return "buses:\n  - number: 1\n    devices:\n      - {address: 0x\(address), model: \(model)}"
    }
    let described = names.first { $0 == RigSchema.exampleOfDescribed }
    guard let name = described ?? names.first(where: { Catalogue.model(named: $0) != nil }),
      let address = Catalogue.model(named: name)?.addresses.first
    else { return nil }
    var keys = "address: \(address), model: \(name)"
    if parts.count > 1, let example = section.example {
      keys += ", \(parts[1]): \(isList(String(parts[1]), of: name) ? "[\(example)]" : example)"
    } else if parts.count > 1 {
      let values = section.fields.compactMap { field in
        value(field.shape).map { "\(field.name): \($0)" }
      }
      keys += ", \(parts[1]): {\(values.prefix(3).joined(separator: ", "))}"
    } else {
      keys += ", noise: datasheet, timing: drawn"
    }
    return "buses:\n  - number: 1\n    devices:\n      - {\(keys)}"
  }

  /// Two parts with one address, each at a channel of a multiplexer.
  private static let multiplexer = """
    buses:
      - number: 1
        devices: [{address: 0x70, model: \(Rig.Multiplexer.model), channels: [11, 12]}]
      - {number: 11, devices: [\(part)]}
      - {number: 12, devices: [\(part)]}
    """

  /// A part with an input and a serial number, described in place, on one line.
  static let partInPlace = """
    {part: my:sensor, title: My sensor, summary: carbon dioxide, sources: [its data sheet], addresses: [0x44], \
    inputs: [{name: co2, usual: 600}], values: [{name: co2, of: co2, scale: 1}], \
    registers: {list: [{name: state, fields: [{name: running, bit: 0}]}]}, \
    measurements: [{name: single, values: [co2], takes: {typical: 1ms}}], \
    commands: [{name: measure, code: 0x10, measures: single, returns: [co2, serial]}]}
    """

  /// A program and a part that is described in the rig.
  private static let inPlace = """
    buses:
      - number: 1
        devices:
          - {address: 0x45, model: {program: [python3, my_part.py], like: sht4x}}
          - inputs: [{name: co2, is: 800}]
            model:
              part: my:sensor
              title: My sensor
              summary: carbon dioxide
              sources: [its data sheet]
              addresses: [0x44]
              inputs: [{name: co2, usual: 600}]
              values: [{name: co2, of: co2, scale: 1}]
              measurements: [{name: single, values: [co2], takes: {typical: 1ms}}]
              commands: [{name: measure, code: 0x10, measures: single, returns: [co2]}]
    """

  /// Returns whether a key of a device takes a list.
  private static func isList(_ key: String, of model: String) -> Bool {
    guard case .variants(_, let models) = RigSchema.device else { return false }
    return models[model]?.field(key)?.shape.form == .list
  }

  /// Returns a value that fits a shape.
  private static func value(_ shape: Shape) -> String? {
    switch shape {
    case .word(let words): words.last
    case .integer(let range): "\(min(max(5, range.lowerBound), range.upperBound))"
    case .choice(let numbers): numbers.last.map { "\($0)" }
    case .boolean: "true"
    default: shape.example
    }
  }
}

extension String {
  /// Removes a prefix; returns `nil` if the text does not begin with it.
  fileprivate func removing(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension RigExamples {
  private static let models = Catalogue.models
  private static let addresses = models[0].addresses

  /// A device of the first model.
  static let part = "{address: \(addresses[0]), model: \(models[0].name)}"

  /// A device of a model whose driver accepts a resolution.
  private static let partWithResolution = {
    let model = models.first { $0.driverKeys.contains { $0.name == "resolution" } } ?? models[0]
    return "{address: \(model.addresses[0]), model: \(model.name)}"
  }()

  /// Examples of the rig itself, its buses and its fleet.
  static let beginnings: [String: String] = [
    "A rig": """
    name: my-bench
    seed: 42
    duration: 2h
    buses: [{number: 1, devices: [\(part)]}]
    environment: {constant: {temperature: -5C}}
    pipeline: {samples: 3, cycle: 10min}
    expect: [{that: temperature, within: 0.1C, of: environment}]
    """,
    "buses": """
    buses:
      - number: 1
        adapter: {frequency: 400kHz}
        devices: [\(part), {address: \(addresses[1]), model: \(models[1].name)}]
    """,
    "buses: adapter": """
    buses:
      - number: 1
        adapter: {personality: raspberry-pi, frequency: 400kHz, nack: EREMOTEIO, stretch_limit: 35ms}
        devices: [\(part)]
    """,
    "buses: adapter: quirks": """
    buses:
      - number: 1
        adapter: {quirks: {max_read: 18, max_messages: 2, no_zero_length: true}}
        devices: [\(part)]
    """,
    "buses: bridge": """
    buses:
      - number: 1
        bridge: {kind: automat, interval: 30ms, jitter: 0.5, loss: 0.01, past_limit: error}
        devices: [\(part)]
    """,
    "buses: bridge: radios": """
    buses:
      - number: 1
        bridge: {kind: automat, link: ble, radios: {client: "usb:0", board: "usb:1"}}
        devices: [\(part)]
    """,
    "buses: bridge: outages": """
    buses:
      - number: 1
        bridge: {kind: automat, outages: [{at: 10min, for: 30s}, {at: 1h, for: 5s}]}
        devices: [\(part)]
    """,
    "buses: bridge: silences": """
    buses:
      - number: 1
        bridge: {kind: automat, silences: [{at: 1h, for: 10min}]}
        devices: [\(part)]
    """,
    "buses: bridge: power": """
    buses:
      - number: 1
        bridge: {kind: automat, power: {capacity_mah: 220, sleep: true}}
        devices: [\(part)]
    """,
    "firmware": """
    duration: 1h
    firmware: {image: build/sensor.elf, i2c: {TWIM0: 1}}
    expect: [{that: uart, matches: "/temperature/"}, {that: transfers, errors: 0}]
    """,
    "firmware: i2c": """
    firmware: {image: build/sensor.elf, i2c: {TWIM0: 1}, until: PASS}
    """,
    "stimuli": """
    firmware: {image: build/sensor.elf}
    stimuli:
      - {at: 2s, pin: P0.13, level: low, for: 100ms, bounce: 5ms}
      - {after: {uart: ready}, line: start}
      - {at: 1s, every: 1s, input: 3, voltage: 1.25V}
      - {after: {uart: "heater on"}, temperature: 40C, over: 10min}
    """,
    "plant": """
    firmware: {image: build/thermostat.elf}
    plant: {program: [python3, room.py], step: 100ms, pins: [D9]}
    """,
    "stimuli: after": """
    firmware: {image: build/sensor.elf}
    stimuli: [{after: {uart: "> ", port: UARTE0}, line: help}]
    """,
    "firmware: fuses": """
    firmware: {image: build/sketch.hex, also: [optiboot.hex], mcu: atmega328p, fuses: {high: 0xDE}}
    """,
    "firmware: software_i2c": """
    firmware: {image: build/sensor.elf, software_i2c: [{scl: PB8, sda: PB9, bus: 1}]}
    """,
    "fleet": """
    fleet:
      count: 600
      name: shelf
      addresses: [\(addresses[0]), \(addresses[1])]
      template: {model: \(models[0].name), noise: datasheet, timing: drawn}
    """,
    "clock_steps": """
    clock_steps: [{at: 20s, forward: 1h}, {at: 50s, back: 1h}]
    """,
    "notify": """
    pipeline: {forecast: thesis}
    notify: [{on: forecast-change, run: [logger, "{name}: the forecast is now {forecast}"]}]
    """,
  ]

  /// Examples of the keys that describe the air around the sensors.
  static let air: [String: String] = [
    "environment":
      "environment: {constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}}",
    "environment: constant": "environment: {constant: {pressure: 760mmHg, temperature: 70F}}",
    "environment: ramp": ramp, "environment: ramp: from": ramp, "environment: ramp: to": ramp,
    "environment: steps": """
    environment:
      steps:
        - {at: 0s, temperature: 21C, humidity: 45%}
        - {at: 1h, temperature: -5C}
    """,
    "environment: series": series, "environment: series: columns": series,
    "environment: series: columns: pressure": series,
    "environment: series: columns: temperature": series,
    "environment: series: columns: humidity": series, "environment: series: gaps": series,
  ]

  private static let ramp = """
    environment:
      ramp:
        from: {pressure: 1020hPa, temperature: 18C}
        to: {pressure: 990hPa, temperature: 9C}
        begin: 30min
        over: 2h
    """

  private static let series = """
    environment:
      series:
        file: jfk-2013                  # built in; or a path
        time: time_hour
        start: 2013-01-01T06:00:00Z
        columns:
          pressure: {name: pressure, unit: hPa}
          temperature: {name: temp, unit: F}
          humidity: {name: humid, unit: "%"}
        missing: NA
        gaps: {interpolate: 3h}
    """

  /// Examples of a cabin.
  static let cabin: [String: String] = [
    "environment: cabin": rooms(
      "leak: {module: laboratory, hole: 5mm, at: 10min}", "process: adiabatic"),
    "environment: cabin: air": rooms("air: {pressure: 760mmHg, temperature: 22C, humidity: 45%}"),
    "environment: cabin: modules": rooms(), "environment: cabin: hatches": rooms(),
    "environment: cabin: leak": rooms(
      "leak: {module: laboratory, hole: 12.3mm, discharge: 0.7, at: 10min}"),
    "environment: cabin: operations, do: close": done("do: close, between: [node, laboratory]"),
    "environment: cabin: operations, do: open": done("do: open, between: [node, laboratory]"),
    "environment: cabin: operations, do: mend": rooms(
      "leak: {module: laboratory, hole: 5mm, at: 10min}", "operations: [{at: 40min, do: mend}]"),
    "environment: cabin: operations, do: repressurise": done(
      "do: repressurise, module: node, rate: 5mmHg/min, for: 2min"),
    "environment: cabin: panel": rooms("panel: {address: 0x20}"),
    "environment: cabin: swing": rooms("swing: {amplitude: 0.3C, period: 92min}"),
    "environment: cabin: warming": rooms("warming: {by: +0.5C, begin: 10min, over: 1h}"),
    "pipeline: leak": rooms()
      + "\npipeline: {samples: 1, cycle: 1s, leak: {limit: 490mmHg, haven: 10min}}",
    "expect, that: leak": watched("{that: leak, by: 12min}"),
    "expect, that: safe-haven": watched("{that: safe-haven, never: true}"),
    "expect, that: pressure-alarm": watched("{that: pressure-alarm, is: below-limit, never: true}"),
  ]

  private static func rooms(_ more: String...) -> String {
    """
    environment:
      cabin:
        modules: [{name: node, volume: 116m3}, {name: laboratory, volume: 150m3}]
        hatches: [{between: [node, laboratory]}]
    """ + more.map { "\n    " + $0 }.joined()
  }

  private static func done(_ operation: String) -> String {
    rooms("operations: [{at: 30min, \(operation)}]")
  }

  private static func watched(_ expectation: String) -> String {
    rooms("leak: {module: laboratory, hole: 5mm, at: 10min}")
      + "\npipeline: {samples: 1, cycle: 1s, leak: {limit: 490mmHg}}\nexpect: [\(expectation)]"
  }

  /// Examples of pipelines.
  static let reading: [String: String] = [
    "pipeline": """
    pipeline:
      oversampling: {temperature: 2, pressure: 16, humidity: 1}
      samples: 5
      sample_every: 10s
      cycle: 30min
      keep: 3h
      forecast: [thesis, zambretti]
    """,
    "pipeline: sensors": "pipeline: {sensors: [{bus: 1, address: \(addresses[0])}]}",
    "pipeline: oversampling":
      "pipeline: {oversampling: {temperature: 2, pressure: 16, humidity: 0}}",
    "pipeline: resolution": """
    buses: [{number: 1, devices: [\(partWithResolution)]}]
    pipeline: {resolution: {temperature: 12, humidity: 8}}
    """,
    "pipeline: altitude":
      "pipeline: {forecast: thesis, altitude: {from: 35m, to: 60m, begin: 1h, over: 5min}}",
    "pipeline: compare":
      "pipeline: {compare: {defects: [h4-h5-not-sign-extended], formula: datasheet-int32}}",
    "pipeline: compare: changes":
      "pipeline: {compare: {defects: [p9-byte-twice], changes: [{at: 1h, lost: 1}, {at: 2h, defects: [p9-unsigned], lost: 0}]}}",
    "pipeline: backup": "pipeline: {forecast: thesis, backup: {file: weather.json}}",
    "pipeline: board": thermometer, "pipeline: board: thermometer": thermometer,
  ]

  private static let thermometer = "pipeline: {board: {thermometer: {offset: +0.5C}}}"

  /// Examples of expectations.
  static let judging: [String: String] = [
    "expect, that: beside": """
    pipeline: {compare: {defects: [p9-unsigned]}}
    expect: [{that: beside, pressure: [900hPa, 1100hPa]}]
    """,
    "expect, that: faults": """
    pipeline: {samples: 3, cycle: 10min}
    faults: [{at: 30min, kind: nack-address, count: 3}]
    expect: [{that: faults, all: fired}]
    """,
    "expect, that: forecast": """
    pipeline: {forecast: thesis}
    expect: [{that: forecast, at: 2h, is: stable}, {that: forecast, never: [thunderStorm]}]
    """,
    "expect, that: humidity, pressure, temperature": """
    pipeline: {samples: 3, cycle: 10min}
    expect:
      - {that: pressure, within: 20Pa, of: environment}
      - {that: temperature, within: 0.5C, of: 21C, after: 10min, mean: true}
    """,
    "expect, that: readings": """
    pipeline: {samples: 3, cycle: 10min}
    expect: [{that: readings, count: 54}]
    """,
    "expect": """
    firmware: {image: build/sensor.elf}
    expect: {uart: /temperature .* C/}
    """,
    "expect, that: uart": """
    firmware: {image: build/sensor.elf}
    expect: [{that: uart, matches: "humidity [0-9.]+"}]
    """,
    "expect, that: pin": """
    firmware: {image: build/sensor.elf}
    stimuli: [{at: 1s, pin: P0.13, level: low, for: 100ms}]
    expect:
      - {that: pin, pin: P0.17, level: high, by: 1500ms}
      - {that: pin, pin: P0.18, frequency: [490Hz, 510Hz], duty: [45, 55], after: 1s}
    """,
    "expect, that: energy": """
    firmware: {image: build/sensor.elf}
    expect: [{that: energy, below: 0.5mAh, per: day}, {that: energy, lasts: 365d, on: 225mAh}]
    """,
    "expect, that: flash": """
    firmware: {image: build/sensor.elf}
    expect: [{that: flash, below: 64KiB}, {that: ram, below: 8KiB}, {that: stack, below: 2KiB}]
    """,
    "expect, that: ram": """
    firmware: {image: build/sensor.elf}
    expect: [{that: ram, below: 8KiB}]
    """,
    "expect, that: stack": """
    firmware: {image: build/sensor.elf}
    expect: [{that: stack, below: 2KiB}]
    """,
    "expect, that: transfers": """
    pipeline: {samples: 3, cycle: 10min}
    expect: [{that: transfers, errors: 0, bus: 1}]
    """,
  ]

  /// For each kind of fault, the example of its keys except `at` and `kind`.
  ///
  /// Default: `count: 2`.
  static let faults: [String: String] = [
    "adapter-unplugged": "for: 20s, supplies: false",
    "bit-flip": "register: 0xF7, byte: 1, mask: 0x80, count: 2",
    "stuck-bits": "register: 0xF3, mask: 0x08, level: 1, count: 100",
    "bridge-late": "for: 3s, count: 1", "clock-stretch": "for: 5ms, probability: 0.1, count: 10",
    "stuck-scl": "for: 2s", "brown-out": "kept: 12", "power-loss": "for: 2s",
    "drift": "pressure: -50Pa, temperature: +0.1C", "offset": "pressure: -200Pa",
    "short-read": "bytes: 3, count: 2", "nack-data": "byte: 1, count: 2",
    "part-replaced":
      "calibration: \"606ecb6832001d913bd7d00be8262afff9ffac260ad8bd10004b810100102c031e\"",
    "wrong-calibration": "byte: 4, mask: 0x40", "wrong-device": "reads: 0x55",
  ]
}
