package import Environment
package import Schema
import Text

extension RigReader {
  /// Reads a cabin; `nil` where its parts do not fit together, which has been noted.
  package mutating func cabin(_ value: CheckedValue) -> CabinPlan? {
    let modules = (value["modules"]?.list ?? []).map { module in
      CabinPlan.Module(
        name: module["name"]?.text ?? "", volume: module["volume"]?.number ?? 1)
    }
    if Set(modules.map(\.name)).count != modules.count {
      checker.note("two modules have the same name", at: value.position)
      return nil
    }
    var plan = CabinPlan(modules: modules, air: air(value["air"]))
    for hatch in value["hatches"]?.list ?? [] {
      guard let ends = ends(hatch, in: plan) else { return nil }
      plan.hatches.append(
        CabinPlan.Hatch(ends.one, ends.other, isOpen: hatch["closed"]?.boolean != true))
    }
    plan.process = CabinPlan.Process(rawValue: value["process"]?.text ?? "") ?? .isothermal
    if let leak = value["leak"] {
      guard let module = module(leak["module"], in: plan) else { return nil }
      plan.leak = CabinPlan.Leak(
        module: module, diameter: leak["hole"]?.number ?? 0,
        discharge: leak["discharge"]?.number ?? 0.85, start: UInt64(leak["at"]?.nanoseconds ?? 0))
    }
    for operation in value["operations"]?.list ?? [] {
      guard let action = action(operation, in: plan) else { return nil }
      plan.operations.append(
        CabinPlan.Operation(at: UInt64(operation["at"]?.nanoseconds ?? 0), action))
    }
    plan.operations = plan.operations.inOrder { $0.time < $1.time }
    if let swing = value["swing"] {
      plan.temperatureDrift.amplitude = swing["amplitude"]?.number ?? 0
      if let period = swing["period"]?.nanoseconds {
        plan.temperatureDrift.period = UInt64(max(period, 1))
      }
    }
    if let warming = value["warming"] {
      plan.temperatureDrift.rise = warming["by"]?.number ?? 0
      plan.temperatureDrift.begin = UInt64(warming["begin"]?.nanoseconds ?? 0)
      plan.temperatureDrift.length = UInt64(max(warming["over"]?.nanoseconds ?? 1, 1))
    }
    return plan
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
        checker.note("there is no hatch between these modules", at: value.position)
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
      checker.note("a hatch is between two modules", at: value.position)
      return nil
    }
    guard let one = module(names[0], in: plan), let other = module(names[1], in: plan) else {
      return nil
    }
    guard one != other else {
      checker.note(
        "a hatch is between two modules, and '\(names[0].text ?? "")' is one", at: value.position)
      return nil
    }
    return (one, other)
  }

  /// The index of a module, by its name.
  private mutating func module(_ value: CheckedValue?, in plan: CabinPlan) -> Int? {
    guard let value, let name = value.text else { return nil }
    let names = plan.modules.map(\.name)
    if let index = names.firstIndex(of: name) { return index }
    checker.note(
      "there is no module '\(name)'" + NearestWord.hint(name, among: names), at: value.position)
    return nil
  }

  /// Checks that the modules of devices are there, once the environment is known.
  package mutating func checkModules(of value: CheckedValue, _ environment: EnvironmentPlan) {
    // A cabin with a mistake is one all the same.
    if case .cabin = environment {} else if value["environment"]?["cabin"] != nil { return }
    let devices = (value["buses"]?.list ?? []).flatMap { $0["devices"]?.list ?? [] }
    let template = value["fleet"]?["template"].map { [$0] } ?? []
    for device in devices + template {
      guard let name = device["module"] else { continue }
      guard case .cabin(let plan) = environment else {
        checker.note(
          "a module is a room of a cabin: environment: {cabin: ...}", at: name.position)
        continue
      }
      _ = module(name, in: plan)
    }
  }
}
