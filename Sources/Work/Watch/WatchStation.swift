package import Barometry
package import Environment
import Quantities
package import Rigs
import Runs

/// The station of a rig as far as a watch follows it: its cycles of samples, their averages and its forecasts.
///
/// The samples of the watch take the place of those that a run takes, each at the time at which the run would take it, so that
/// both forecast alike. Times are in nanoseconds of the sensor's clock; those of a recording of before lie below 0.
package struct WatchStation {
  /// A running or coming cycle: its start, and which of its samples is the next.
  private struct Cycle {
    var start: Int64
    var sample = 0
    var readings: [AirReading] = []
    var isOutside = false
  }

  /// The forecasters, and how high the sensor is.
  let forecasters: Forecasters
  /// Whether a rig asks for these forecasters; else Zambretti's is shown for any sensor.
  let isOfRig: Bool
  /// The samples of a cycle, and the time from one to the next.
  private let samples: Int, interval: Int64
  private let requests: [UInt64]
  private(set) var history: PressureHistory
  private(set) var minutes = MinuteForecaster()
  /// `nil` before the first sample.
  private var schedule: CycleSchedule?
  private var cycle = Cycle(start: 0)
  /// When the last cycle ended, and whether its pressure was outside of what the sensor is specified for.
  private(set) var end: Int64?
  private(set) var isOutside = false

  /// Follows the station of a rig.
  ///
  /// - Parameters:
  ///   - pipeline: the rig's, with forecasters.
  ///   - past: the averages of its history file, with times of the sensor's clock.
  package init(_ pipeline: Pipeline, past: [PressurePoint] = []) {
    forecasters = Forecasters(pipeline)
    isOfRig = true
    samples = pipeline.samples
    interval = Int64(clamping: pipeline.sampleInterval)
    requests = pipeline.requests
    history = PressureHistory(retention: pipeline.retention)
    for point in past { try? history.append(point) }
  }

  /// Forecasts for a sensor that no rig describes: by Zambretti's instrument, with a pressure a minute.
  ///
  /// - Parameter altitude: the altitude of the sensor in m over its time; `nil` if it is unknown.
  package init(altitude: Profile? = nil) {
    forecasters = Forecasters(zambrettiEvery: UInt64(TimeSpan.minute), altitude: altitude)
    isOfRig = false
    (samples, interval, requests) = (1, TimeSpan.minute, [])
    history = PressureHistory(retention: 4 * TimeSpan.hour)
  }

  /// The altitude in m at a time in seconds; `nil` if it is unknown.
  func altitude(at seconds: Double) -> Double? {
    forecasters.altitude?.value(at: Int64(seconds * 1e9))
  }

  /// How long a cycle takes.
  var length: Int64 { Int64(samples - 1) * interval }
  /// When the next sample of a cycle is due.
  private var due: Int64 { cycle.start + Int64(cycle.sample) * interval }

  /// When the running or coming cycle begins, and when it ends; `nil` before the first sample.
  var nextStart: Int64? { schedule == nil ? nil : cycle.start }
  var nextEnd: Int64? { nextStart.map { $0 + length } }
  /// How many samples of the running cycle have been taken, and of how many.
  var progress: (taken: Int, of: Int) { (cycle.sample, samples) }

  /// The start of the first cycle at a time or later, as far as it is planned.
  func start(atOrAfter time: Int64) -> Int64 {
    cycle.start >= time ? cycle.start : schedule?.firstPlanned(atOrAfter: time) ?? time
  }

  /// When the station takes its next sample; `nil` before the first.
  package var nextSample: UInt64? { schedule == nil ? nil : UInt64(clamping: due) }

  /// Takes a sample, or notes that there was none.
  ///
  /// - Parameters:
  ///   - reading: the sample; `nil` if it failed.
  ///   - outside: the quantities for which the sensor is not specified there.
  ///   - time: when.
  mutating func take(_ reading: AirReading?, outside: [Quantity] = [], at time: Int64) {
    if schedule == nil {
      guard reading != nil else { return }
      var schedule = CycleSchedule(every: forecasters.cycle, requests: requests, from: time)
      cycle = Cycle(start: schedule.next(after: nil).start)
      self.schedule = schedule
    }
    pass(to: time)
    guard time >= due else { return }
    if let reading {
      cycle.readings.append(reading)
      cycle.isOutside = cycle.isOutside || outside.contains(.pressure)
    }
    advance(at: time)
  }

  /// Lets time pass: samples whose time is over are missing.
  mutating func pass(to time: Int64) {
    guard schedule != nil else { return }
    let length = length
    let window = samples > 1 ? interval : Int64(clamping: forecasters.cycle)
    while time - due >= window {
      let missed = due
      if cycle.sample == 0 { schedule?.skip(to: time, length: length) }
      advance(at: missed)
    }
  }

  /// Goes on to the next sample, after the last one of a cycle to the next cycle.
  private mutating func advance(at time: Int64) {
    cycle.sample += 1
    guard cycle.sample == samples else { return }
    conclude(at: time)
    cycle = Cycle(start: schedule?.next(after: time).start ?? time)
  }

  /// Keeps the average of a cycle if at least half of its samples came.
  private mutating func conclude(at time: Int64) {
    history.dropExpired(at: cycle.start)
    end = time
    isOutside = cycle.isOutside
    let pressures = cycle.readings.compactMap(\.pressure)
    let temperatures = cycle.readings.compactMap(\.temperature)
    guard 2 * pressures.count >= samples, !isOutside, !temperatures.isEmpty else { return }
    let pressure = pressures.reduce(0, +) / Double(pressures.count)
    let celsius = temperatures.reduce(0, +) / Double(temperatures.count)
    let point = PressurePoint(
      time: cycle.start, pascals: forecasters.reduced(pressure, at: cycle.start, celsius))
    guard (try? history.append(point)) != nil else { return }
    if forecasters.methods.contains(.note) { minutes.take(point) }
  }
}
