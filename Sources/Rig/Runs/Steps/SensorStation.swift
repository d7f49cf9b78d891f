package import Barometry
import Chips
import Diagnosis
package import Environment
import I2C
package import Parts
import Quantities
package import Rigs

/// A sensor of a pipeline: its driver, the samples of the cycle, and its history.
package final class SensorStation {
  package let sensorID: Rig.SensorID
  package let driver: any SensorDriver
  package let sensor: (any VirtualPart)?
  /// The ranges of the measured values that the part's datasheet specifies.
  package let ranges: SampleRanges
  /// `true` if the pressure of the last average is outside the specified range.
  package var isOutside = false
  package var history: PressureHistory
  package var lastTrend: PressureTrend?
  /// The search for a leak; `nil` without leak detection.
  package var search: LeakSearch?
  package var cabinLog = CabinLog()
  package var haven = SafeHaven()
  package var crew: SearchCrew?
  /// The modules on the side of closed hatches on which the pressure falls, once reported.
  package var lastSide: [String]?
  /// The modules to which the leak was narrowed down when the search ended.
  package var lastSuspects: [String]?
  /// The last difference between the sensor and the backup source, in Pa; `nil` if unknown.
  package var backupOffset: Double?
  /// The times of those pressures in the history that came from the backup source, in nanoseconds
  /// since 1970.
  package var standInTimes: [Int64] = []
  /// The comparison of the sensor's results with those of a faulty program and with the board's
  /// thermometer.
  package var comparing: Comparing
  /// The AN3914 forecaster.
  package var minutes = MinuteForecaster()

  /// The number of consecutive failed samples.
  private var failures = 0
  /// `true` if the sensor is lost.
  private(set) var isMissing = false

  private var samples: [(sample: Sample, air: Air)] = []
  private var reported = Saturations()

  package init(
    sensorID: Rig.SensorID, driver: any SensorDriver, sensor: (any VirtualPart)?,
    ranges: SampleRanges, history: PressureHistory, comparing: Comparing
  ) {
    self.ranges = ranges
    self.comparing = comparing
    self.sensorID = sensorID
    self.driver = driver
    self.sensor = sensor
    self.history = history
  }

  /// Drops expired averages from the history.
  package func dropExpired(at now: Int64) {
    history.dropExpired(at: now)
    guard !standInTimes.isEmpty else { return }
    let first = history.points.first?.time ?? .max
    standInTimes.removeAll { $0 < first }
  }

  /// Returns the number of pressures from the backup source among some points of the history.
  package func standIns(in points: ArraySlice<PressurePoint>) -> Int {
    guard !standInTimes.isEmpty else { return 0 }
    return points.count { standInTimes.contains($0.time) }
  }

  /// Starts a cycle without samples.
  package func beginCycle() {
    samples.removeAll(keepingCapacity: true)
    comparing.beginCycle()
  }

  /// Adds a sample with the air at its time.
  package func take(_ sample: Sample, in air: Air) { samples.append((sample, air)) }

  /// Counts a failed sample; returns `true` if the sensor is now lost, after `count` consecutive failures.
  package func isLost(after count: Int) -> Bool {
    failures += 1
    guard failures >= count, !isMissing else { return false }
    isMissing = true
    return true
  }

  /// Resets the count of failed samples; returns whether the sensor was lost.
  package func isFound() -> Bool {
    defer { (failures, isMissing) = (0, false) }
    return isMissing
  }

  /// Returns the average of the cycle; `nil` if fewer than half of the `wanted` samples were read.
  package func average(
    of wanted: Int, from start: UInt64, to time: UInt64
  ) -> RunEvent.Average? {
    guard 2 * samples.count >= wanted else { return nil }
    return RunEvent.Average(
      time: time, start: start, sensorID: sensorID, samples: samples.count,
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

  /// Returns an event for each quantity in which the air has left the output range of the part
  /// since the last call.
  package func newSaturations(at time: UInt64) -> [RunEvent.SaturatedReading] {
    guard let found = sensor?.saturations else { return [] }
    defer { reported = found }
    return [Quantity.pressure, .temperature, .humidity].compactMap { quantity in
      guard reported[quantity] == nil, let saturation = found[quantity] else { return nil }
      return RunEvent.SaturatedReading(
        time: time, sensorID: sensorID, channel: quantity, shortfall: saturation)
    }
  }
}

/// The comparison of a sensor's results with those of a faulty program and with the board's
/// thermometer.
package struct Comparing {
  private let program: ComparedProgram?
  private let thermometerOffset: Double?
  private var build = 0
  private var memory = FaultyDecoder.Memory()
  /// The comparisons of the cycle so far.
  private var cycle: [RunEvent.Comparison] = []

  /// Creates the comparison of a pipeline.
  package init(_ pipeline: Pipeline) {
    (program, thermometerOffset) = (pipeline.comparedProgram, pipeline.thermometerOffset)
  }

  /// Starts a cycle.
  package mutating func beginCycle() { cycle.removeAll(keepingCapacity: true) }

  /// Compares a result; returns `nil` if the rig configures no comparison.
  package mutating func comparison(
    with reading: RunEvent.Reading, readBy driver: any SensorDriver
  ) -> RunEvent.Comparison? {
    var shown: FaultyDecoder.Result?
    if let program {
      let now = program.build(at: reading.time)
      if now != build {
        if program.builds[(build + 1)...now].contains(where: \.isRestart) {
          memory = FaultyDecoder.Memory()
        }
        build = now
      }
      let decoder = program.builds[now].decoder
      shown = reading.sample.withCalibration(of: driver).map {
        decoder.shows($0.raw, of: $0.calibration, &memory)
      }
    }
    let board = thermometerOffset.flatMap { offset in reading.air.map { $0.temperature + offset } }
    guard shown != nil || board != nil else { return nil }
    let comparison = RunEvent.Comparison(reading: reading, shown: shown, board: board)
    cycle.append(comparison)
    return comparison
  }

  /// The means of the compared values of the cycle; `nil` if nothing was compared.
  package var means: RunEvent.ComparedMeans? {
    guard !cycle.isEmpty else { return nil }
    let shown = cycle.compactMap { $0.shown?.values }
    let pressures = shown.compactMap(\.pressure)
    let lost = program?.builds[build].lost ?? 0
    func mean(_ values: [Double]) -> Double? {
      values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
    let pressure =
      pressures.isEmpty ? nil : pressures.dropLast(lost).reduce(0, +) / Double(pressures.count)
    return RunEvent.ComparedMeans(
      shown: AirReading(
        temperature: mean(shown.compactMap(\.temperature)), pressure: pressure,
        humidity: mean(shown.compactMap(\.humidity))),
      wouldTrap: cycle.contains { $0.shown?.wouldTrap == true },
      board: mean(cycle.compactMap(\.board)))
  }
}
