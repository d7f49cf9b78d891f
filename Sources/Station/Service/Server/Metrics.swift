import Forecasts
import Readings
import Synchronization

/// What Prometheus asks for.
final class Metrics: Sendable {
  private struct Key: Hashable {
    let route: String
    let status: Int
  }

  private let counts = Mutex<[Key: Int]>([:])

  /// Counts an answer; paths that are not known share one name.
  func count(_ route: String, _ status: Int) {
    counts.withLock { $0[Key(route: route, status: status), default: 0] += 1 }
  }

  /// The text, in Prometheus's format 0.0.4.
  func text(_ core: StationCore, _ source: ForecastSource, now: Int) -> String {
    var lines = [
      "# HELP aneroid_requests_total Requests answered, by route and status.",
      "# TYPE aneroid_requests_total counter",
    ]
    let all = counts.withLock { $0 }
    for (key, count) in all.sorted(by: {
      ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
    }) {
      lines.append(
        "aneroid_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
    }
    func gauge(_ name: String, _ help: String, _ value: Double?) {
      guard let value else { return }
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(value)"]
    }
    let reading = core.snapshot().state.reading
    gauge("aneroid_temperature_celsius", "The station's last temperature.", reading?.celsius)
    gauge("aneroid_humidity_percent", "The station's last relative humidity.", reading?.humidity)
    gauge("aneroid_pressure_pascals", "The station's last pressure.", reading?.pascals)
    gauge(
      "aneroid_reading_age_seconds", "The age of the last reading.",
      core.age().map(Double.init))
    gauge("aneroid_forecast_runs", "Model runs that are known.", Double(source.set.files.count))
    gauge(
      "aneroid_forecast_run_age_seconds", "The age of the newest run.",
      source.set.files.first.map { Double(now - $0.reference) })
    return lines.joined(separator: "\n") + "\n"
  }
}
