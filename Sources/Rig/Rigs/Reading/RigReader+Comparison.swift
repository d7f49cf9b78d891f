package import DriverDefects
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

  /// The program with defects.
  package mutating func comparedProgram(_ value: CheckedValue?) -> FaultyDecoder? {
    guard let value, value.isSound else { return nil }
    let formula = value["formula"]?.text ?? "datasheet-int32"
    let names = value["defects"]?.list.compactMap(\.text) ?? []
    if let decoder = FaultyDecoder(defects: names, formula: formula) { return decoder }
    checker.note("one of these defects cannot be in the formula \(formula)", at: value.position)
    return nil
  }
}
