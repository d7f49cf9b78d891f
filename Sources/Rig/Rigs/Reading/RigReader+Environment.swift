package import Environment
import I2C
import Parts
package import Schema
import Support

extension RigReader {
  /// Reads the air of a rig.
  ///
  /// Default: 1013.25 hPa, 21 °C, 50 %.
  package mutating func environment(_ value: CheckedValue?, duration: Int64?) -> RigEnvironment {
    let standard = scripted([(0, .standard)], .linear)
    guard value?.isSound != false else { return standard }
    if let constant = value?["constant"] {
      return scripted([(0, Air.keys.value(constant, &checker) ?? .standard)], .linear)
    }
    if let given = value?["ramp"], var ramp = AirRamp.keys.value(given, &checker) {
      ramp.to = ramp.from
      if let end = given["to"] { Air.endKeys.read(end, into: &ramp.to, &checker) }
      return scripted(
        [(ramp.begin, ramp.from), (ramp.begin + ramp.length, ramp.to)], .linear)
    }
    if let steps = value?["steps"] { return self.steps(steps) }
    if let value = value?["cabin"] { return cabin(value).map(RigEnvironment.cabin) ?? standard }
    if let value = value?["series"], let series = series(value, duration: duration) {
      return .series(series)
    }
    return standard
  }

  private mutating func steps(_ value: CheckedValue) -> RigEnvironment {
    var points: [(Int64, Air)] = []
    var step = AirStep()
    for given in value.list {
      AirStep.keys.read(given, into: &step, &checker)
      if let last = points.last, step.time <= last.0 {
        checker.note("the step is not after the previous one", at: given.position)
      } else if points.isEmpty, step.time != 0 {
        checker.note("the first step must be at 0s", at: given.position)
      }
      points.append((step.time, step.air))
    }
    return scripted(points, .held)
  }

  private func scripted(
    _ points: [(time: Int64, air: Air)], _ interpolation: Profile.Interpolation
  ) -> RigEnvironment {
    func track(_ quantity: KeyPath<Air, Double>) -> Profile {
      Profile(
        points.map { Profile.Point(time: $0.time, value: $0.air[keyPath: quantity]) },
        interpolation: interpolation)
    }
    return .scripted(
      pressure: track(\.pressure), temperature: track(\.temperature), humidity: track(\.humidity))
  }

  private mutating func series(_ value: CheckedValue, duration: Int64?) -> WeatherSeries? {
    let position = value["file"]?.position
    guard let path = document.named(value["file"]?.text, .weather, at: position) else { return nil }
    let table = WeatherTable(
      path: path,
      time: value["time"]?.text ?? "",
      start: value["start"]?.nanoseconds,
      duration: duration,
      columns: columns(value["columns"]),
      missing: value["missing"]?.text,
      longestGap: value["gaps"]?["interpolate"]?.nanoseconds)
    do throws(Failure) {
      return try table.read()
    } catch {
      document.fail(error, at: position)
      return nil
    }
  }

  /// Reads the columns of a weather table.
  private func columns(_ value: CheckedValue?) -> [WeatherTable.Column] {
    var columns: [WeatherTable.Column] = []
    for quantity in [QuantityKind.pressure, .temperature, .humidity] {
      let column = value?[quantity.rawValue]
      if let name = column?["name"]?.text, let unit = quantity.unit(column?["unit"]?.text ?? "") {
        columns.append(WeatherTable.Column(name: name, quantity: quantity, unit: unit))
      }
    }
    return columns
  }
}

extension RigReader {
  /// Reads a cabin; notes errors and returns `nil` if it is inconsistent.
  package mutating func cabin(_ value: CheckedValue) -> CabinPlan? {
    var plan = CabinPlan.keys.standard
    CabinPlan.keys.read(value, into: &plan, &checker)
    if Set(plan.modules.map(\.name)).count != plan.modules.count {
      checker.note("duplicate module name", at: value.position)
      return nil
    }
    for hatch in value["hatches"]?.list ?? [] {
      guard let ends = ends(hatch, in: plan) else { return nil }
      plan.hatches.append(
        CabinPlan.Hatch(ends.one, ends.other, isOpen: hatch["closed"]?.boolean != true))
    }
    if let given = value["leak"] {
      guard let module = module(given["module"], in: plan) else { return nil }
      plan.leak = CabinPlan.Leak.keys.value(given, &checker)
      plan.leak?.module = module
    }
    for operation in value["operations"]?.list ?? [] {
      guard let action = action(operation, in: plan) else { return nil }
      plan.operations.append(
        CabinPlan.Operation(at: UInt64(operation["at"]?.nanoseconds ?? 0), action))
    }
    plan.operations = plan.operations.inOrder { $0.time < $1.time }
    check(plan.panel, of: plan, at: value["panel"]?.position ?? value.position)
    return plan
  }

  private mutating func check(
    _ panel: CabinPlan.Panel?, of plan: CabinPlan, at position: Position
  ) {
    guard let panel else { return }
    let isUsed = sensorIDs.contains {
      $0.bus == panel.bus && Int($0.address.rawValue) == panel.address
    }
    if isUsed {
      checker.note(
        "the address 0x\(String(panel.address, radix: 16)) of the panel is that of a device on bus \(panel.bus)",
        at: position)
    }
  }

  private mutating func action(
    _ value: CheckedValue, in plan: CabinPlan
  ) -> CabinPlan.Action? {
    switch value["do"]?.text {
    case "mend": return .mend
    case "repressurise":
      return module(value["module"], in: plan).map {
        .repressurise(
          module: $0, rate: value["rate"]?.number ?? 0,
          length: UInt64(value["for"]?.nanoseconds ?? 0))
      }
    default:
      guard let ends = ends(value, in: plan) else { return nil }
      let hatch = plan.hatches.firstIndex {
        Set([$0.one, $0.other]) == Set([ends.one, ends.other])
      }
      guard let hatch else {
        checker.note("no hatch between these modules", at: value.position)
        return nil
      }
      return value["do"]?.text == "open" ? .open(hatch) : .close(hatch)
    }
  }

  private mutating func ends(
    _ value: CheckedValue, in plan: CabinPlan
  ) -> (one: Int, other: Int)? {
    let names = value["between"]?.list ?? []
    guard names.count == 2 else {
      checker.note("'between' must have two modules", at: value.position)
      return nil
    }
    guard let one = module(names[0], in: plan), let other = module(names[1], in: plan) else {
      return nil
    }
    guard one != other else {
      checker.note(
        "'between' must have two different modules, not '\(names[0].text ?? "")' twice",
        at: value.position)
      return nil
    }
    return (one, other)
  }

  /// Finds the index of a module by its name; notes an error if there is none.
  private mutating func module(_ value: CheckedValue?, in plan: CabinPlan) -> Int? {
    guard let value, let name = value.text else { return nil }
    let names = plan.modules.map(\.name)
    if let index = names.firstIndex(of: name) { return index }
    checker.note(
      "unknown module '\(name)'" + NearestWord.hint(name, among: names), at: value.position)
    return nil
  }

  /// Checks that the cabin modules to which devices are assigned exist; called after the
  /// environment has been read.
  package mutating func checkModules(of value: CheckedValue, _ environment: RigEnvironment) {
    // Do not report missing modules of an invalid cabin.
    if case .cabin = environment {} else if value["environment"]?["cabin"] != nil { return }
    let devices = (value["buses"]?.list ?? []).flatMap { $0["devices"]?.list ?? [] }
    let template = value["fleet"]?["template"].map { [$0] } ?? []
    for device in devices + template {
      guard let name = device["module"] else { continue }
      guard case .cabin(let plan) = environment else {
        checker.note(
          "'module' needs a cabin: environment: {cabin: ...}", at: name.position)
        continue
      }
      _ = module(name, in: plan)
    }
  }
}
