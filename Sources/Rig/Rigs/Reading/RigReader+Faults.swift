import Faults
package import Schema
import Text
import VirtualI2C

extension RigReader {
  /// Creates the planned failures of a rig.
  ///
  /// - Parameters:
  ///   - value: the list of faults, as far as it is sound.
  ///   - timeline: the run that the times of the faults must lie in.
  /// - Returns: the failures without errors.
  package mutating func faults(_ value: CheckedValue?, in timeline: Timeline) -> [Fault] {
    var faults: [Fault] = []
    for value in value?.list ?? [] where value.isSound {
      guard let model = value["kind"]?.text.flatMap(FaultModel.named), let bus = faultBus(value),
        canHappen(model, on: bus, value), let start = start(of: value, in: timeline)
      else { continue }
      faults.append(Fault(name: model.name, bus: bus, plan: model.planned(value, from: start)))
    }
    return faults
  }

  /// The time from which a fault may happen, in nanoseconds since the start of the run.
  ///
  /// - Returns: `nil`, with the error noted, if the fault could never happen.
  private mutating func start(of value: CheckedValue, in timeline: Timeline) -> UInt64? {
    guard let at = value["at"] else { return 0 }
    let time: Int64
    if let moment = at.integer {
      guard let start = timeline.start else {
        checker.note(
          "the rig has no dates: 'at' takes a duration such as 10s, unless the air is a 'series' "
            + "with a 'start'", at: at.position)
        return nil
      }
      let (difference, overflow) = Int64(moment).subtractingReportingOverflow(start)
      guard !overflow, difference >= 0 else {
        checker.note("the run starts after that, at \(UTCTime.text(start))", at: at.position)
        return nil
      }
      time = difference
    } else {
      time = at.nanoseconds ?? 0
    }
    guard timeline.duration.map({ time < $0 }) ?? true else {
      checker.note("the run is over by then", at: at.position)
      return nil
    }
    return UInt64(time)
  }

  /// When a run starts and how long it lasts, as far as its rig says so.
  package struct Timeline {
    /// The date at the start of the run, in nanoseconds since 1970; `nil` if the rig has no dates.
    package var start: Int64?
    /// The length of the run in nanoseconds; `nil` if it has no end.
    package var duration: Int64?
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
    // The errors of the buses are reported already.
    if numbers.isEmpty, foreignBuses.isEmpty, !knowsAllPlaces { return nil }
    checker.note(
      "on which bus? there are \((numbers + foreignBuses).inOrder().lazy.map(String.init).shortened)",
      at: value.position)
    return nil
  }
}
