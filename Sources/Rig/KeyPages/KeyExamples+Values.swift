import Chips
import Parts
import Schema

extension KeyExamples {
  private static let first = Catalogue.models[0]
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

  /// The only device of a bus, of the model whose driver takes a key of a pipeline.
  private static func bus(taking key: String) -> String {
    let model = Catalogue.models.first { $0.driverKeys.contains { $0.name == key } } ?? first
    return "buses: [{number: 1, devices: [{address: \(model.addresses[0]), model: \(model.name)}]}]"
  }

  /// What every rig has at the top unless its key needs something else.
  static let usual = [length, buses]

  /// What stands at the top of a rig, by how the heading and the key begin; the longest beginning counts.
  static let contexts: [String: [String]] = [
    "A rig|fleet": [length], "fleet": [length], "A rig|expect": [length, buses, reader],
    "buses|physical": ["clock: real"], "expect": [length, buses, reader],
    "expect, that: beside": [length, buses, "pipeline: {compare: {defects: [p9-unsigned]}}"],
    "expect, that: faults": [length, buses, reader, "faults: [{kind: nack-address}]"],
    "expect, that: uart": [length, buses, sensor], "expect, that: energy": [length, buses, sensor],
    "expect, that: flash": [length, buses, sensor], "expect, that: ram": [length, buses, sensor],
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

  /// What stands at the top of a rig whose device is in a module of a cabin.
  static let inCabin = [length, cabin]

  /// Values that no shape can know, by heading (or its first words, before a comma) and key, or by the key alone.
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

  /// What else a group needs for a key, by heading and key, or by the heading for all its keys.
  static let companions: [String: [String]] = [
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
  ]
}
