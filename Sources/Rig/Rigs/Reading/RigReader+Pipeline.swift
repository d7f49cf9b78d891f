import Barometry
import Chips
import Diagnosis
package import Environment
import I2C
import Parts
import PlainHTTP
package import Schema
import Support
import VirtualI2C

extension RigReader {
  /// Reads the pipeline of a rig, and checks that the samples fit into a cycle.
  package mutating func pipeline(_ value: CheckedValue) -> Pipeline? {
    let sensors = sensors(value)
    var pipeline = Pipeline()
    Pipeline.keys.read(value, into: &pipeline, &checker)
    pipeline.sensors = sensors
    pipeline.settings = settings(value, of: sensors)
    pipeline.requests = pipeline.requests.inOrder()
    pipeline.history = value["history"]?.text.map { document.named($0) }
    pipeline.altitude = altitude(value["altitude"])
    if let given = value["altitude"]?["temperature"] {
      pipeline.reductionTemperature =
        given.text == "standard" ? .standard : given.number.map { .fixed($0) } ?? .measured
    }
    pipeline.comparedProgram = comparedProgram(value["compare"], samples: pipeline.samples)
    pipeline.backup = backup(value["backup"])
    pipeline.thermometerOffset = value["board"]?["thermometer"].map { $0["offset"]?.number ?? 0 }
    check(pipeline, at: value.position)
    return pipeline
  }

  private mutating func check(_ pipeline: Pipeline, at position: Position) {
    let settings = pipeline.settings.values
    let measurement = settings.map(\.measurementTime).max() ?? 0
    // In floating point, because the integer product of two large settings would trap.
    let needed = Double(pipeline.samples - 1) * Double(pipeline.sampleInterval)
    if needed + Double(measurement) >= Double(pipeline.cycle) {
      checker.note(
        "\(pipeline.samples) samples every \(Decimal.duration(pipeline.sampleInterval)) do not "
          + "fit into a cycle of \(Decimal.duration(pipeline.cycle))", at: position)
    }
    // Sensors are read one after the other, which takes long enough to matter only in a fleet.
    let round = Double(pipeline.sensors.count) * Double(measurement)
    let interval = pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle
    if hasFleet, round > Double(interval) {
      checker.note(
        "\(pipeline.sensors.count) sensors, one after the other, take "
          + "\(Decimal.duration(UInt64(round))) for one sample each, longer than the interval of "
          + "\(Decimal.duration(interval))", at: position)
    }
    if !pipeline.forecasters.isEmpty {
      if !settings.allSatisfy({ $0.measuresTemperature && $0.measuresPressure }) {
        checker.note("a forecast needs temperature and pressure", at: position)
      }
      if pipeline.retention < pipeline.minimumSpan {
        checker.note(
          "a forecast needs a history of \(Decimal.duration(UInt64(pipeline.minimumSpan))), but 'keep' "
            + "is shorter; increase 'keep' or reduce 'minimum_span'", at: position)
      }
      for forecaster in pipeline.forecasters where forecaster != .thesis {
        check(forecaster, of: pipeline, at: position)
      }
    }
    if pipeline.leak != nil, pipeline.samples > 1 || pipeline.cycle > 10 * UInt64(TimeSpan.second) {
      checker.note("leak detection needs 'samples: 1' and a cycle of at most 10s", at: position)
    }
    if pipeline.leak != nil, !settings.allSatisfy(\.measuresPressure) {
      checker.note("leak detection needs pressure", at: position)
    }
    if pipeline.leak != nil,
      settings.contains(where: { $0.isContinuous && $0.filterCoefficient > 1 })
    {
      checker.note(
        "leak detection supports 'filter' only with 'mode: forced'; remove 'filter'",
        at: position)
    }
    if pipeline.backup != nil, pipeline.sensors.count > 1 {
      checker.note("'backup' supports one sensor, not several", at: position)
    }
    if pipeline.history != nil, pipeline.sensors.count > 1 {
      checker.note("'history' supports one sensor, not several", at: position)
    }
  }

  private mutating func check(
    _ forecaster: Pipeline.Forecaster, of pipeline: Pipeline, at position: Position
  ) {
    if forecaster == .note {
      if pipeline.cycle != UInt64(TimeSpan.minute) {
        checker.note("an3914 needs a pressure every minute: set 'cycle: 1min'", at: position)
      }
    } else if pipeline.retention < PressureTendency.span {
      checker.note(
        "\(forecaster.rawValue) needs averages of three hours: set 'keep: 3h' or longer",
        at: position
      )
    }
  }

  private mutating func sensors(_ value: CheckedValue) -> [Rig.SensorID] {
    if let sensors = value["sensors"] {
      if let other = value["bus"] ?? value["address"] {
        checker.note("'sensors' excludes 'bus' and 'address'", at: other.position)
      }
      if sensors.text == "all" { return sensorIDs }
      return sensors.list.compactMap { sensorID(bus: $0["bus"], address: $0["address"], at: $0) }
    }
    return sensorID(bus: value["bus"], address: value["address"], at: value).map { [$0] } ?? []
  }

  /// Finds the only sensor with a bus and an address; either may be omitted if only one sensor matches without it.
  private mutating func sensorID(
    bus: CheckedValue?, address: CheckedValue?, at value: CheckedValue
  ) -> Rig.SensorID? {
    let found = sensorIDs.filter { sensorID in
      (bus?.integer.map { $0 == sensorID.bus } ?? true)
        && (address?.integer.map { $0 == Int(sensorID.address.rawValue) } ?? true)
    }
    if found.count == 1 { return found[0] }
    let number = bus?.integer ?? (foreignBuses.count == 1 ? foreignBuses[0] : nil)
    if found.isEmpty, let number, foreignBuses.contains(number) {
      let address = address?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
      return (address ?? Catalogue.defaultAddress).map { Rig.SensorID(bus: number, address: $0) }
    }
    guard knowsAllSensors else { return nil }
    let position = (address ?? bus ?? value).position
    if found.isEmpty {
      checker.note("no sensor at this address (accepted: \(list(sensorIDs)))", at: position)
    } else {
      checker.note(
        "several sensors match: \(list(found)); "
          + "set 'bus' and 'address', or 'sensors: all'", at: position)
    }
    return nil
  }

  private func list(_ sensorIDs: [Rig.SensorID]) -> String {
    sensorIDs.lazy.map { "\($0.address) on bus \($0.bus)" }.shortened
  }

  /// Reads the driver settings of each model among the sensors; a key that none of their drivers accepts is an error.
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
      guard let unexpected = value[key.name] else { continue }
      let names = found.keys.inOrder().joined(separator: ", ")
      checker.note("'\(key.name)' is not a valid key of a \(names)", at: unexpected.position)
    }
    return found
  }

  /// Returns the model at a location of the rig; for a bus with unknown devices, one model of each
  /// family with that address.
  private func models(at sensorID: Rig.SensorID) -> [any PartModel] {
    models[sensorID].map { [$0] } ?? Catalogue.families(at: sensorID.address)
  }

  // MARK: Notifications

  /// Reads the notifications of a rig.
  package mutating func notifications(_ value: CheckedValue?, pipeline: Pipeline?) -> [Rig
    .Notification]
  {
    (value?.list ?? []).filter(\.isSound).map { value in
      let event = value["on"]?.text ?? ""
      if event == "forecast-change", pipeline?.forecasters.contains(.thesis) != true {
        checker.note(
          "'on: forecast-change' needs 'forecast: thesis' in the pipeline", at: value.position)
      }
      return Rig.Notification(
        event: event, command: value["run"]?.list.compactMap(\.text) ?? [])
    }
  }
}

extension RigReader {
  /// Reads the source that replaces a lost sensor.
  package mutating func backup(_ value: CheckedValue?) -> BackupSource? {
    guard let value, value.isSound else { return nil }
    if let path = value["file"]?.text { return .file(document.named(path)) }
    guard let url = value["url"], let text = url.text else { return nil }
    do throws(Failure) {
      return .server(try HTTPAddress(text))
    } catch {
      checker.note(error.findings.first?.message ?? "not a valid URL", at: url.position)
      return nil
    }
  }
}

extension RigReader {
  /// Reads the altitude of the sensor as a function of time.
  package func altitude(_ value: CheckedValue?) -> Profile? {
    guard let value, let from = value["from"]?.number else { return nil }
    let begin = value["begin"]?.nanoseconds ?? 0
    return Profile(
      [
        Profile.Point(time: begin, value: from),
        Profile.Point(
          time: begin + (value["over"]?.nanoseconds ?? 0), value: value["to"]?.number ?? from),
      ], interpolation: .linear)
  }

  /// Reads the program with defects and its later builds; a key that a build omits keeps the value
  /// of the previous build.
  package mutating func comparedProgram(_ value: CheckedValue?, samples: Int) -> ComparedProgram? {
    guard let value, value.isSound else { return nil }
    var builds: [ComparedProgram.Build] = []
    var (formula, names, lost) = ("datasheet-int32", [String](), 0)
    for plan in [value] + (value["changes"]?.list ?? []) {
      formula = plan["formula"]?.text ?? formula
      names = plan["defects"].map { $0.list.compactMap(\.text) } ?? names
      lost = plan["lost"]?.integer ?? lost
      let start = UInt64(plan["at"]?.nanoseconds ?? 0)
      if let last = builds.last, start <= last.start {
        checker.note(
          "the changes of a program must be in order of time", at: plan.position)
      }
      if lost >= samples {
        checker.note(
          "'lost: \(lost)' is not less than the number of samples, \(samples)", at: plan.position)
      }
      guard let decoder = FaultyDecoder(defects: names, formula: formula) else {
        checker.note(
          "the formula '\(formula)' cannot have one of these defects", at: plan.position)
        return nil
      }
      let isRestart = builds.isEmpty || plan["defects"] != nil || plan["formula"] != nil
      builds.append(
        ComparedProgram.Build(start: start, decoder: decoder, lost: lost, isRestart: isRestart))
    }
    return ComparedProgram(builds)
  }
}
