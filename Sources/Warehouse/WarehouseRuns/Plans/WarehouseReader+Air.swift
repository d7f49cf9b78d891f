import Environment
import Files
import Quantities
import Schema
import WeatherTables

extension WarehouseReader {
  mutating func course(_ value: CheckedValue?) -> WarehouseRig.Course {
    var points: [(time: Int64, temperature: Double, humidity: Double)] = []
    for point in value?.list ?? [] {
      let time = point["at"]?.nanoseconds ?? 0
      if let last = points.last, time <= last.time {
        checker.note("air: this is not after the one before", at: point.position)
      } else if points.isEmpty, time != 0 {
        checker.note("air: the first must be at 0s", at: point.position)
      }
      let last = points.last ?? (0, 21, 50)
      points.append(
        (
          time, point["temperature"]?.number ?? last.temperature,
          point["humidity"]?.number ?? last.humidity
        ))
    }
    if points.isEmpty { points = [(0, 21, 50)] }
    return WarehouseRig.Course(
      temperature: Profile(
        points.map { Profile.Point(time: $0.time, value: $0.temperature) }, interpolation: .linear),
      humidity: Profile(
        points.map { Profile.Point(time: $0.time, value: $0.humidity) }, interpolation: .linear))
  }

  /// The air of a table.
  func log(
    _ value: CheckedValue, start: Int64?, duration: Int64
  ) throws(Failure) -> WeatherSeries {
    func column(_ quantity: QuantityKind) -> WeatherTable.Column? {
      let column = value[quantity.rawValue]
      return column?["name"]?.text.flatMap { name in
        quantity.unit(column?["unit"]?.text ?? "").map {
          WeatherTable.Column(name: name, quantity: quantity, unit: $0)
        }
      }
    }
    let path = TextFile.resolve(value["file"]?.text ?? "", beside: file)
    let table = WeatherTable(
      path: path, time: value["time"]?.text ?? "", start: start, duration: duration,
      columns: [column(.temperature), column(.humidity)].compactMap { $0 },
      missing: value["missing"]?.text, longestGap: value["gaps"]?.nanoseconds)
    return try table.read()
  }
}
