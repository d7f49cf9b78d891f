import Chips
import DriverDefects
import Environment
package import Parts
import Quantities
package import Rigs

/// What is compared with the results of one sensor: a program with defects, and the board's thermometer.
package struct Comparing {
  private let program: ComparedProgram?
  private let thermometerOffset: Double?
  private var build = 0
  private var memory = FaultyDecoder.Memory()
  /// What was compared with the samples of the cycle so far.
  private var cycle: [RunEvent.Comparison] = []

  /// Compares what a pipeline wants compared.
  package init(_ pipeline: Pipeline) {
    (program, thermometerOffset) = (pipeline.comparedProgram, pipeline.thermometerOffset)
  }

  /// Begins a cycle.
  package mutating func beginCycle() { cycle.removeAll(keepingCapacity: true) }

  /// What is compared with a result; `nil` where nothing is.
  package mutating func comparison(
    with reading: RunEvent.Reading, readBy driver: any SensorDriver
  ) -> RunEvent.Comparison? {
    var shown: FaultyDecoder.Result?
    if let program {
      let now = program.build(at: reading.time)
      if now != build {
        if program.builds[(build + 1)...now].contains(where: \.isAnew) {
          memory = FaultyDecoder.Memory()
        }
        build = now
      }
      shown = program.builds[now].decoder.shows(reading.sample, readBy: driver, &memory)
    }
    let board = thermometerOffset.flatMap { offset in reading.air.map { $0.temperature + offset } }
    guard shown != nil || board != nil else { return nil }
    let comparison = RunEvent.Comparison(reading: reading, shown: shown, board: board)
    cycle.append(comparison)
    return comparison
  }

  /// The averages of what was compared with the cycle; `nil` where nothing was.
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
