import BuiltIn
package import Environment
import Files
import Parts
package import Schema
import WeatherTables

extension RigReader {
  /// Reads the air of a rig; standard air when it says nothing.
  package mutating func environment(_ value: CheckedValue?, duration: Int64?) -> EnvironmentPlan {
    let standard = scripted([(0, .standard)], .linear)
    guard value?.isSound != false else { return standard }
    if let constant = value?["constant"] {
      return scripted([(0, air(constant))], .linear)
    }
    if let ramp = value?["ramp"] {
      let begin = ramp["begin"]?.nanoseconds ?? 0
      let over = max(ramp["over"]?.nanoseconds ?? 0, 1)
      return scripted([(begin, air(ramp["from"])), (begin + over, air(ramp["to"]))], .linear)
    }
    if let steps = value?["steps"] { return self.steps(steps) }
    if let value = value?["cabin"] { return cabin(value).map(EnvironmentPlan.cabin) ?? standard }
    if let value = value?["series"], let series = series(value, duration: duration) {
      return .series(series)
    }
    return standard
  }

  package func air(_ value: CheckedValue?, otherwise: Air = .standard) -> Air {
    Air(
      pressure: value?["pressure"]?.number ?? otherwise.pressure,
      temperature: value?["temperature"]?.number ?? otherwise.temperature,
      humidity: value?["humidity"]?.number ?? otherwise.humidity)
  }

  private mutating func steps(_ value: CheckedValue) -> EnvironmentPlan {
    var points: [(Int64, Air)] = []
    for step in value.list {
      let time = step["at"]?.nanoseconds ?? 0
      if let last = points.last, time <= last.0 {
        checker.note("the step is not after the one before", at: step.position)
      } else if points.isEmpty, time != 0 {
        checker.note("the first step must be at 0s", at: step.position)
      }
      points.append((time, air(step, otherwise: points.last?.1 ?? .standard)))
    }
    return scripted(points, .held)
  }

  private func scripted(
    _ points: [(time: Int64, air: Air)], _ interpolation: Profile.Interpolation
  ) -> EnvironmentPlan {
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

  /// The columns that a table has.
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
