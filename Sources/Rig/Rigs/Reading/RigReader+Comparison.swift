import DriverDefects
package import Environment
package import Schema

extension RigReader {
  /// How high the sensor is.
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

  /// The program with defects, and its later builds; each is as the one before unless it says otherwise.
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
          "the changes of a program stand in the order of their times", at: plan.position)
      }
      if lost >= samples {
        checker.note(
          "\(lost) of \(samples) samples cannot be lost: one is needed", at: plan.position)
      }
      guard let decoder = FaultyDecoder(defects: names, formula: formula) else {
        checker.note(
          "one of these defects cannot be in the formula \(formula)", at: plan.position)
        return nil
      }
      let isAnew = builds.isEmpty || plan["defects"] != nil || plan["formula"] != nil
      builds.append(
        ComparedProgram.Build(start: start, decoder: decoder, lost: lost, isAnew: isAnew))
    }
    return ComparedProgram(builds)
  }
}
