import Faults
package import Schema
import Text
import VirtualI2C

extension RigReader {
  /// Creates the planned failures of a rig.
  package mutating func faults(_ value: CheckedValue?) -> [Fault] {
    var faults: [Fault] = []
    for value in value?.list ?? [] where value.isSound {
      guard let model = value["kind"]?.text.flatMap(FaultModel.named), let bus = faultBus(value),
        canHappen(model, on: bus, value)
      else { continue }
      faults.append(Fault(name: model.name, bus: bus, plan: model.planned(value)))
    }
    return faults
  }

  /// Whether a bus has what a fault acts on; if not, that is a mistake.
  private mutating func canHappen(
    _ model: FaultModel, on bus: Int, _ value: CheckedValue
  ) -> Bool {
    switch model.reach {
    case .wire: return true
    case .bridge where bridgedBuses.contains(bus): return true
    case .bridge:
      checker.note("there is no bridge on bus \(bus)", at: value.position)
    case .target where !foreignBuses.contains(bus): return true
    case .target:
      let others = FaultModel.all.filter { $0.reach == .wire }.map(\.name).joined(separator: ", ")
      checker.note(
        "'\(model.name)' acts within a virtual part, and bus \(bus) has none; "
          + "what happens on any wire: \(others)", at: value.position)
    }
    return false
  }

  private mutating func faultBus(_ value: CheckedValue) -> Int? {
    let numbers = Set(places.map(\.bus)).inOrder()
    if let bus = value["bus"] {
      if let number = bus.integer,
        numbers.contains(number) || foreignBuses.contains(number) || !knowsAllPlaces
      {
        return number
      }
      checker.note("there is no such bus", at: bus.position)
      return nil
    }
    if numbers.count == 1 { return numbers[0] }
    if numbers.isEmpty, foreignBuses.count == 1 { return foreignBuses[0] }
    checker.note(
      "on which bus? there are \((numbers + foreignBuses).inOrder().lazy.map(String.init).shortened)",
      at: value.position)
    return nil
  }
}
