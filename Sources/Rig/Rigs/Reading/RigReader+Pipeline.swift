import Barometry
import Chips
import I2C
import Parts
package import Schema
import Text
import VirtualI2C

extension RigReader {
  /// Reads the pipeline of a rig, and checks that a cycle has room for its samples.
  package mutating func pipeline(_ value: CheckedValue) -> Pipeline? {
    let sensors = sensors(value)
    let pipeline = Pipeline(
      sensors: sensors,
      settings: settings(value, of: sensors),
      samples: value["samples"]?.integer ?? 5,
      sampleInterval: UInt64(value["sample_every"]?.nanoseconds ?? 10 * TimeSpan.second),
      cycle: UInt64(value["cycle"]?.nanoseconds ?? 30 * TimeSpan.minute),
      retention: value["keep"]?.nanoseconds ?? 2 * TimeSpan.hour,
      maximumGap: value["max_gap"]?.nanoseconds ?? TimeSpan.hour,
      forecasters: forecasters(value["forecast"]),
      zambretti: Zambretti(hemisphere: value["hemisphere"]?.text == "south" ? .south : .north),
      wind: value["wind"]?.text.flatMap(RigSchema.winds.firstIndex).map { Double($0) * 22.5 },
      leak: leakWatch(value["leak"]),
      history: value["history"]?.text.map { document.named($0) },
      requests: (value["requests"]?.list ?? []).compactMap { $0.nanoseconds.map(UInt64.init) }
        .inOrder(),
      altitude: altitude(value["altitude"]),
      comparedProgram: comparedProgram(
        value["compare"], samples: value["samples"]?.integer ?? 5),
      backup: backup(value["backup"]),
      thermometerOffset: value["board"]?["thermometer"].map { $0["offset"]?.number ?? 0 })
    check(pipeline, at: value.position)
    return pipeline
  }

  private mutating func check(_ pipeline: Pipeline, at position: Position) {
    let settings = pipeline.settings.values
    let measurement = settings.map(\.measurementTime).max() ?? 0
    // In floating point: the product of two large settings must not trap.
    let needed = Double(pipeline.samples - 1) * Double(pipeline.sampleInterval)
    if needed + Double(measurement) >= Double(pipeline.cycle) {
      checker.note(
        "\(pipeline.samples) samples every \(Decimal.duration(pipeline.sampleInterval)) do not "
          + "fit into a cycle of \(Decimal.duration(pipeline.cycle))", at: position)
    }
    // Sensors are read one after the other: a few hardly matter, those of a fleet do.
    let round = Double(pipeline.sensors.count) * Double(measurement)
    let interval = pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle
    if hasFleet, round > Double(interval) {
      checker.note(
        "\(pipeline.sensors.count) sensors, one after the other, take "
          + "\(Decimal.duration(UInt64(round))) for a sample each, longer than the "
          + "\(Decimal.duration(interval)) until the next", at: position)
    }
    if !pipeline.forecasters.isEmpty {
      if !settings.allSatisfy({ $0.measuresTemperature && $0.measuresPressure }) {
        checker.note("a forecast needs temperature and pressure", at: position)
      }
      if pipeline.retention < ThesisForecaster().minimumSpan {
        checker.note("a forecast needs averages kept for at least 30min", at: position)
      }
      for forecaster in pipeline.forecasters where forecaster != .thesis {
        check(forecaster, of: pipeline, at: position)
      }
    }
    if pipeline.leak != nil, pipeline.samples > 1 || pipeline.cycle > 10 * UInt64(TimeSpan.second) {
      checker.note("a watch for leaks takes 'samples: 1' and a cycle of 10s at most", at: position)
    }
    if pipeline.leak != nil, !settings.allSatisfy(\.measuresPressure) {
      checker.note("a watch for leaks needs pressure", at: position)
    }
    if pipeline.leak != nil,
      settings.contains(where: { $0.isContinuous && $0.filterCoefficient > 1 })
    {
      checker.note(
        "a watch for leaks looks through a filter in 'mode: forced' only: leave 'filter' out",
        at: position)
    }
    if pipeline.backup != nil, pipeline.sensors.count > 1 {
      checker.note("a backup stands in for one sensor, not for several", at: position)
    }
    if pipeline.history != nil, pipeline.sensors.count > 1 {
      checker.note("a history file holds one sensor's averages, not several", at: position)
    }
  }

  private mutating func leakWatch(_ value: CheckedValue?) -> Pipeline.LeakWatch? {
    if let limit = value?["limit"], let pascals = limit.number,
      !LeakAnalysis.limits.contains(pascals)
    {
      checker.note(
        "limit: \(limit.written ?? "this") is no pressure at which a crew leaves: "
          + "7.5mmHg to 785mmHg, above which a cabin has too much; 490mmHg as flown",
        at: limit.position)
    }
    return value.map {
      Pipeline.LeakWatch(
        limit: $0["limit"]?.number ?? LeakAnalysis().limit,
        haven: UInt64($0["haven"]?.nanoseconds ?? 10 * TimeSpan.minute),
        search: $0["search"]?.nanoseconds.map { UInt64($0) })
    }
  }

  private mutating func check(
    _ forecaster: Pipeline.Forecaster, of pipeline: Pipeline, at position: Position
  ) {
    if forecaster == .note {
      if pipeline.cycle != UInt64(TimeSpan.minute) {
        checker.note("an3914 takes a pressure a minute: it needs 'cycle: 1min'", at: position)
      }
    } else if pipeline.retention < PressureTendency.span {
      checker.note(
        "\(forecaster.rawValue) looks back three hours: it needs 'keep: 3h' or longer", at: position
      )
    }
  }

  private func forecasters(_ value: CheckedValue?) -> [Pipeline.Forecaster] {
    let names = value?.text.map { [$0] } ?? value?.list.compactMap(\.text) ?? []
    return names.compactMap(Pipeline.Forecaster.init(rawValue:))
  }

  private mutating func sensors(_ value: CheckedValue) -> [Rig.SensorID] {
    if let sensors = value["sensors"] {
      if let other = value["bus"] ?? value["address"] {
        checker.note("'sensors' stands instead of 'bus' and 'address'", at: other.position)
      }
      if sensors.text == "all" { return places }
      return sensors.list.compactMap { place(bus: $0["bus"], address: $0["address"], at: $0) }
    }
    return place(bus: value["bus"], address: value["address"], at: value).map { [$0] } ?? []
  }

  /// The one sensor that a bus and an address name, each only where there is a choice.
  private mutating func place(
    bus: CheckedValue?, address: CheckedValue?, at value: CheckedValue
  ) -> Rig.SensorID? {
    let found = places.filter { place in
      (bus?.integer.map { $0 == place.bus } ?? true)
        && (address?.integer.map { $0 == Int(place.address.rawValue) } ?? true)
    }
    if found.count == 1 { return found[0] }
    let number = bus?.integer ?? (foreignBuses.count == 1 ? foreignBuses[0] : nil)
    if found.isEmpty, let number, foreignBuses.contains(number) {
      let address = address?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
      return (address ?? Catalogue.usualAddress).map { Rig.SensorID(bus: number, address: $0) }
    }
    guard knowsAllPlaces else { return nil }
    let position = (address ?? bus ?? value).position
    if found.isEmpty {
      checker.note("no sensor is there (\(list(places)))", at: position)
    } else {
      checker.note(
        "which sensor is meant? there are \(list(found)); "
          + "say 'bus' and 'address', or 'sensors: all'", at: position)
    }
    return nil
  }

  private func list(_ places: [Rig.SensorID]) -> String {
    places.lazy.map { "\($0.address) on bus \($0.bus)" }.shortened
  }

  /// How each model among the sensors measures; a key that none of their drivers takes is a mistake.
  private mutating func settings(
    _ value: CheckedValue, of sensors: [Rig.SensorID]
  ) -> [String: any DriverSettings] {
    var found: [String: any DriverSettings] = [:]
    var taken: Set<String> = []
    for model in sensors.flatMap(models(at:)) where found[model.name] == nil {
      found[model.name] = model.settings(value, &checker)
      taken.formUnion(model.driverKeys.map(\.name))
    }
    guard !found.isEmpty else { return found }
    for key in Catalogue.driverKeys where !taken.contains(key.name) {
      guard let stranger = value[key.name] else { continue }
      let names = found.keys.inOrder().joined(separator: ", ")
      checker.note("'\(key.name)' is no key of a \(names)", at: stranger.position)
    }
    return found
  }

  /// The model at a place: the rig's, or on a bus that it does not describe one of each family that can answer there.
  private func models(at place: Rig.SensorID) -> [any PartModel] {
    models[place].map { [$0] } ?? Catalogue.families(at: place.address)
  }

  // MARK: Notifications

  /// Reads the notifications of a rig.
  package mutating func notifications(_ value: CheckedValue?, pipeline: Pipeline?) -> [Rig
    .Notification]
  {
    (value?.list ?? []).filter(\.isSound).map { value in
      let event = value["on"]?.text ?? ""
      if event == "forecast-change", pipeline?.forecasters.contains(.thesis) != true {
        checker.note("there is no forecast to tell of: the pipeline makes none", at: value.position)
      }
      return Rig.Notification(
        event: event, command: value["run"]?.list.compactMap(\.text) ?? [])
    }
  }
}
