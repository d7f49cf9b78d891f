import Barometry
import I2C
import Quantities
package import Rigs
import Runs
import Support
import VirtualI2C

/// The plots of a run.
package struct PagePlots {
  private let record: PageRecorder
  private let rig: Rig
  private let duration: Double

  package init(_ record: PageRecorder, _ rig: Rig) {
    self.record = record
    self.rig = rig
    duration = Double(rig.duration ?? 0) / 1e9
  }

  /// The maximum number of sensors for which the page contains separate plots.
  private static let mostAlone = 2

  /// The plots of each sensor and of the bus activity, without empty plots.
  package var all: [Plot] { (sensorIDs.flatMap(plots) + [activity]).filter { !$0.isEmpty } }

  /// The plots displayed on the page.
  ///
  /// If there are more than two sensors, their lines share one plot for each quantity.
  package var shown: [Plot] {
    let sensorIDs = sensorIDs
    guard sensorIDs.count > Self.mostAlone else { return all }
    let each = sensorIDs.map { plots(at: $0).filter { !$0.isEmpty } }
    var kinds: [String] = []
    for plot in each.joined() where !kinds.contains(kind(plot)) { kinds.append(kind(plot)) }
    return kinds.compactMap { kind in
      overlaid(
        zip(sensorIDs, each).compactMap { sensorID, plots in
          plots.first { self.kind($0) == kind }.map { (sensorID, $0) }
        }, as: kind)
    } + [activity].filter { !$0.isEmpty }
  }

  private var sensorIDs: [Rig.SensorID] {
    record.lines.keys.inOrder { ($0.bus, $0.address.rawValue) < ($1.bus, $1.address.rawValue) }
  }

  /// Returns the kind of a plot, such as `pressure`, by which the plots of different sensors are
  /// matched.
  private func kind(_ plot: Plot) -> String {
    String(plot.name.prefix { $0 != "-" }) + (plot.allowed == nil ? "" : "-difference")
  }

  private func overlaid(_ plots: [(sensorID: Rig.SensorID, plot: Plot)], as kind: String) -> Plot? {
    guard let first = plots.first?.plot else { return nil }
    var series = plots.compactMap { sensorID, plot in
      plot.series.first?.named("\(sensorID.address) on bus \(sensorID.bus)")
    }
    if let air = first.series.dropFirst().first, series.count < Plot.mostNames {
      series.append(air)
    }
    let title = first.title.prefix { $0 != "," && $0 != ":" }
    let subject = first.allowed == nil ? "" : ": sensor minus air"
    var all = plot(kind, "\(title)\(subject), \(plots.count) sensors", first.unit, series)
    all.allowed = first.allowed
    all.bands = first.bands
    all.marks = plots.flatMap { sensorID, plot in
      plot.marks.map {
        Plot.Mark(time: $0.time, label: "\(sensorID.address) on bus \(sensorID.bus), \($0.label)")
      }
    }.inOrder { $0.time < $1.time }
    return all
  }

  /// Returns the plots of one sensor.
  private func plots(at sensorID: Rig.SensorID) -> [Plot] {
    guard let lines = record.lines[sensorID] else { return [] }
    let isAlone = record.lines.count == 1
    let suffix = isAlone ? "" : ", \(sensorID.address) on bus \(sensorID.bus)"
    let key = isAlone ? "" : "-\(sensorID.bus)-\(sensorID.address)"
    var pressure = plot(
      "pressure" + key, "Pressure" + suffix, "hPa",
      [lines.pressure, lines.air, lines.wrongPressure])
    var rate = plot("rate" + key, "Change of pressure" + suffix, "hPa/h", [lines.rate])
    var leak = plot(
      "leak" + key, "Rate at constant temperature over 30 s" + suffix, "mmHg/min", [lines.leak])
    let bands = bands
    (pressure.bands, rate.bands, leak.bands) = (bands, bands, bands)
    pressure.bands += outside(.pressure, lines)
    pressure.marks = marks(at: sensorID)
    leak.marks = marks(at: sensorID)
    var temperature = plot(
      "temperature" + key, "Temperature" + suffix, "°C",
      [lines.temperature, lines.airTemperature, lines.wrongTemperature, lines.board])
    // A part without a humidity sensor has no humidity plot, even if the air has a humidity.
    var humidity = plot(
      "humidity" + key, "Relative humidity" + suffix, "%",
      lines.humidity.points.isEmpty ? [] : [lines.humidity, lines.water, lines.wrongHumidity])
    temperature.bands = outside(.temperature, lines)
    humidity.bands = outside(.humidity, lines)
    let charge = plot("charge" + key, "Charge drawn" + suffix, "µAh", [lines.charge])
    func differing(_ quantity: Quantity, _ name: String, _ title: String, _ unit: String) -> Plot {
      difference(
        lines, quantity, "\(name)-difference\(key)", "\(title): sensor minus air\(suffix)", unit,
        sensorID)
    }
    return [
      pressure, differing(.pressure, "pressure", "Pressure", "Pa"), rate, leak, temperature,
      differing(.temperature, "temperature", "Temperature", "°C"), humidity,
      differing(.humidity, "humidity", "Relative humidity", "%"), charge,
    ]
  }

  /// Returns the plot of the sensor's value minus the air's value, with the limits that
  /// expectations set; empty if no expectation limits this difference.
  private func difference(
    _ lines: PageRecorder.Lines, _ quantity: Quantity, _ name: String, _ title: String,
    _ unit: String, _ sensorID: Rig.SensorID
  ) -> Plot {
    let limits = rig.expectations.compactMap { $0.limit(of: quantity, at: sensorID) }
    guard let limit = limits.min() else { return plot(name, title, unit, []) }
    var plot = plot(name, title, unit, [lines.deviations[quantity]])
    plot.allowed = -limit...limit
    return plot
  }

  /// Returns the intervals in which a quantity is outside the part's specified range.
  private func outside(_ quantity: Quantity, _ lines: PageRecorder.Lines) -> [Plot.Band] {
    lines.outside[quantity].map {
      Plot.Band(
        start: $0.start, end: $0.end, label: "outside the specified range", look: "outside")
    }
  }

  private var activity: Plot {
    // A line of one or two points adds nothing to the list of events.
    let lines = record.activity.inOrder { $0.key < $1.key }.map(\.value).filter {
      $0.points.count > 2
    }
    return plot("activity", "Transfers per minute", "1/min", lines)
  }

  private func plot(
    _ name: String, _ title: String, _ unit: String, _ series: [Plot.Series]
  ) -> Plot {
    let start = record.startMoment
    return Plot(
      name: name, title: title, unit: unit, series: series.filter { !$0.points.isEmpty },
      duration: duration, clock: { Self.clock($0, start) })
  }

  private var bands: [Plot.Band] {
    var bands: [Plot.Band] = []
    for (index, entry) in record.trends.enumerated() {
      guard let trend = entry.trend else { continue }
      let end = index + 1 < record.trends.count ? record.trends[index + 1].time : rig.duration ?? 0
      bands.append(
        Plot.Band(
          start: Double(entry.time) / 1e9, end: Double(end) / 1e9,
          label: PageText.words("\(trend.name)"), look: "\(trend.name)"))
    }
    bands += record.leaks.map { leak in
      Plot.Band(
        start: Double(leak.start) / 1e9, end: Double(leak.end ?? rig.duration ?? 0) / 1e9,
        label: "leak", look: "leak")
    }
    return bands
  }

  /// Returns the times to mark in the plots of a sensor: the first and last firing of the sensor's
  /// faults, and events of the whole run, such as hatch moves.
  private func marks(at sensorID: Rig.SensorID) -> [Plot.Mark] {
    let faults = record.faults.filter { report in
      report.fault.bus == sensorID.bus
        && (report.fault.plan.address == nil || report.fault.plan.address == sensorID.address)
    }
    var marks = faults.flatMap { report -> [Plot.Mark] in
      guard let span = report.fault.plan.span else { return [] }
      let label = "fault \(report.fault.name)"
      guard span.last > span.first else {
        return [Plot.Mark(time: Double(span.first) / 1e9, label: label)]
      }
      return [
        Plot.Mark(
          time: Double(span.first) / 1e9, label: "\(label), first of \(report.count)"),
        Plot.Mark(
          time: Double(span.last) / 1e9, label: "\(label), last of \(report.count)"),
      ]
    }
    marks += record.marks.map {
      Plot.Mark(time: Double($0.time) / 1e9, label: $0.text)
    }
    return marks.inOrder { $0.time < $1.time }
  }

  /// Formats a time in a run as calendar time if that is known, otherwise as the time since the
  /// start.
  package static func clock(_ seconds: Double, _ start: Int64) -> String {
    guard start == 0 else {
      let text = UTCTime.text(start + Int64(seconds) * 1_000_000_000)
      return String(text.dropFirst(5).dropLast(3))
    }
    let whole = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }
}

extension Expectation {
  /// Returns the tolerance that the expectation sets for single readings of a quantity.
  ///
  /// - Parameters:
  ///   - quantity: the quantity.
  ///   - sensorID: the sensor; `nil` for any sensor.
  /// - Returns: the tolerance in the quantity's stored unit; `nil` for other expectations.
  func limit(of quantity: Quantity, at sensorID: Rig.SensorID? = nil) -> Double? {
    guard case .agreement(let wanted) = condition, wanted.channel == quantity, wanted.value == nil,
      !wanted.selection.concernsMeans
    else { return nil }
    guard let sensorID else { return wanted.tolerance }
    let selection = wanted.selection
    let isMeant =
      (selection.bus ?? sensorID.bus) == sensorID.bus
      && (selection.address ?? sensorID.address) == sensorID.address
    return isMeant ? wanted.tolerance : nil
  }
}
