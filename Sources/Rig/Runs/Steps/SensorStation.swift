package import Barometry
package import Environment
import I2C
package import Parts
import Quantities
package import Rigs

/// One sensor of a pipeline: its driver, the samples of the cycle, and its history.
package final class SensorStation {
  package let place: Rig.SensorID
  package let driver: any SensorDriver
  package let sensor: (any VirtualPart)?
  /// What its part is specified for.
  package let ranges: SampleRanges
  /// Whether the last average has a pressure for which the part is not specified.
  package var isOutside = false
  package var history: PressureHistory
  package var lastTrend: PressureTrend?
  /// The crew that watches for leaks, and what it has said.
  package var search: LeakSearch?
  package var cabinLog = CabinLog()
  package var haven = SafeHaven()
  package var crew: SearchCrew?
  /// The modules among which the search has ended.
  package var lastSuspects: [String]?
  /// By how much the sensor differed from the backup source when both were known, in Pa.
  package var backupOffset: Double?
  /// When the pressures in its history that stand in for the sensor's were taken, in nanoseconds since 1970.
  package var standInTimes: [Int64] = []
  /// What is compared with its results.
  package var comparing: Comparing
  /// The forecaster of AN3914.
  package var minutes = MinuteForecaster()

  /// How many samples in a row have failed.
  private var failures = 0
  /// Whether the sensor counts as lost.
  private(set) var isMissing = false

  private var samples: [(sample: Sample, air: Air)] = []
  private var reported = Saturations()

  package init(
    place: Rig.SensorID, driver: any SensorDriver, sensor: (any VirtualPart)?,
    ranges: SampleRanges, history: PressureHistory, comparing: Comparing
  ) {
    self.ranges = ranges
    self.comparing = comparing
    self.place = place
    self.driver = driver
    self.sensor = sensor
    self.history = history
  }

  /// Drops what is too old from the history.
  package func dropExpired(at now: Int64) {
    history.dropExpired(at: now)
    guard !standInTimes.isEmpty else { return }
    let first = history.points.first?.time ?? .max
    standInTimes.removeAll { $0 < first }
  }

  /// How many of some pressures of the history stand in for the sensor's.
  package func standIns(in points: ArraySlice<PressurePoint>) -> Int {
    guard !standInTimes.isEmpty else { return 0 }
    return points.count { standInTimes.contains($0.time) }
  }

  /// Begins a cycle without samples.
  package func beginCycle() {
    samples.removeAll(keepingCapacity: true)
    comparing.beginCycle()
  }

  /// Takes a sample and the air at its time.
  package func take(_ sample: Sample, in air: Air) { samples.append((sample, air)) }

  /// Notes a sample that failed; whether the sensor is lost with it, as no sample of so many in a row has come.
  package func isLost(after count: Int) -> Bool {
    failures += 1
    guard failures >= count, !isMissing else { return false }
    isMissing = true
    return true
  }

  /// Notes a sample that came; whether the sensor was lost until then.
  package func isFound() -> Bool {
    defer { (failures, isMissing) = (0, false) }
    return isMissing
  }

  /// The average of the cycle, if at least half of the wanted samples came.
  package func average(
    of wanted: Int, from start: UInt64, to time: UInt64
  ) -> RunEvent.Average? {
    guard 2 * samples.count >= wanted else { return nil }
    return RunEvent.Average(
      time: time, start: start, place: place, samples: samples.count,
      means: PerQuantity(
        temperature: mean(.temperature), pressure: mean(.pressure), humidity: mean(.humidity)),
      outside: Quantity.allCases.filter { quantity in
        samples.contains { ranges.outside($0.sample).contains(quantity) }
      },
      compared: comparing.means)
  }

  private func mean(_ quantity: Quantity) -> RunEvent.Mean? {
    let values = samples.compactMap { $0.sample[quantity] }
    guard !values.isEmpty, values.count == samples.count else { return nil }
    let count = Double(values.count)
    return RunEvent.Mean(
      measured: values.reduce(0, +) / count,
      air: samples.map { $0.air[quantity] }.reduce(0, +) / count)
  }

  /// What the sensor could not express and nobody has been told yet.
  package func newSaturations(at time: UInt64) -> [RunEvent.SaturatedReading] {
    guard let found = sensor?.saturations else { return [] }
    defer { reported = found }
    return [Quantity.pressure, .temperature, .humidity].compactMap { quantity in
      guard reported[quantity] == nil, let saturation = found[quantity] else { return nil }
      return RunEvent.SaturatedReading(
        time: time, place: place, channel: quantity, shortfall: saturation)
    }
  }
}
