import Barometry
import I2C
package import Plots
import Reports
package import Rigs
import Runs
import Text
import VirtualI2C

/// The pictures of a run.
package struct PagePlots {
  private let record: PageRecorder
  private let rig: Rig
  private let duration: Double

  package init(_ record: PageRecorder, _ rig: Rig) {
    self.record = record
    self.rig = rig
    duration = Double(rig.duration ?? 0) / 1e9
  }

  /// All that have something to show.
  package var all: [Plot] {
    var plots: [Plot] = []
    let places = record.lines.keys.sorted {
      ($0.bus, $0.address.rawValue) < ($1.bus, $1.address.rawValue)
    }
    for place in places {
      guard let lines = record.lines[place] else { continue }
      let suffix = places.count > 1 ? " of \(place.address) on bus \(place.bus)" : ""
      let key = places.count > 1 ? "-\(place.bus)-\(place.address)" : ""
      var pressure = plot(
        "pressure" + key, "Pressure" + suffix, "hPa",
        [lines.pressure, lines.air, lines.wrongPressure])
      pressure.bands = bands
      pressure.marks = marks(at: place)
      plots.append(pressure)
      var rate = plot("rate" + key, "Change of pressure" + suffix, "hPa/h", [lines.rate])
      rate.bands = bands
      plots.append(rate)
      var leak = plot(
        "leak" + key, "Rate at constant temperature, 30 s" + suffix, "mmHg/min", [lines.leak])
      leak.bands = bands
      leak.marks = marks(at: place)
      plots.append(leak)
      plots.append(
        plot(
          "temperature" + key, "Temperature" + suffix, "C",
          [lines.temperature, lines.airTemperature, lines.wrongTemperature]))
      // A part that measures no humidity has no picture of it, whatever the air holds.
      if !lines.humidity.points.isEmpty {
        plots.append(
          plot(
            "humidity" + key, "Relative humidity" + suffix, "%",
            [lines.humidity, lines.water, lines.wrongHumidity]))
      }
      plots.append(plot("charge" + key, "Charge drawn" + suffix, "mA s", [lines.charge]))
    }
    let activity = record.activity.sorted { $0.key < $1.key }.map(\.value)
    plots.append(plot("activity", "Transfers a minute", "1/min", activity))
    return plots.filter { !$0.isEmpty }
  }

  private func plot(_ name: String, _ title: String, _ unit: String, _ series: [Plot.Series])
    -> Plot
  {
    let start = record.startMoment
    return Plot(
      name: name, title: title, unit: unit, series: series.filter { !$0.points.isEmpty },
      duration: duration, clock: { Self.clock($0, start) })
  }

  private var bands: [Plot.Band] {
    var bands: [Plot.Band] = []
    for (index, entry) in record.trends.enumerated() {
      let end = index + 1 < record.trends.count ? record.trends[index + 1].time : rig.duration ?? 0
      let name = "\(entry.trend.name)"
      bands.append(
        Plot.Band(
          start: Double(entry.time) / 1e9, end: Double(end) / 1e9, label: name, look: name))
    }
    bands += record.leaks.map { leak in
      Plot.Band(
        start: Double(leak.start) / 1e9, end: Double(leak.end ?? rig.duration ?? 0) / 1e9,
        label: "leak", look: "leak")
    }
    return bands
  }

  /// What happened to a sensor: faults of its bus and address from their first to their last firing, and hatches.
  private func marks(at place: Rig.SensorID) -> [Plot.Mark] {
    let faults = record.faults.filter { report in
      report.fault.bus == place.bus
        && (report.fault.plan.address == nil || report.fault.plan.address == place.address)
    }
    var marks = faults.flatMap { report -> [Plot.Mark] in
      guard let span = report.span else { return [] }
      let label = "fault \(report.fault.name)"
      guard span.last > span.first else {
        return [Plot.Mark(time: Double(span.first) / 1e9, label: label)]
      }
      return [
        Plot.Mark(time: Double(span.first) / 1e9, label: "\(label), first of \(report.count)"),
        Plot.Mark(time: Double(span.last) / 1e9, label: "\(label), last of \(report.count)"),
      ]
    }
    marks += record.marks.map {
      Plot.Mark(time: Double($0.time) / 1e9, label: $0.text)
    }
    return marks.sorted { $0.time < $1.time }
  }

  /// A time of a run: as a moment where one is known, else since the start.
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
