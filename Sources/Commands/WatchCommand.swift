import ArgumentParser
import Barometry
import Bench
import Environment
import I2C
import Quantities
import Support
import Tables
import TraceTools
import Watch

extension WatchState.Purpose: ExpressibleByArgument {}

/// A unit of pressure on the command line, by its symbol.
struct WatchUnit: ExpressibleByArgument {
  let unit: PressureUnit

  init?(argument: String) {
    guard let unit = PressureUnit.allCases.first(where: { "\($0.symbol)" == argument }) else {
      return nil
    }
    self.unit = unit
  }

  static var allValueStrings: [String] { PressureUnit.allCases.map { "\($0.symbol)" } }
}

/// `aneroid watch`: a live screen of one sensor.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch one sensor on a live screen: pressure, its rate and the reserve time.",
    discussion: """
      EXAMPLES
        aneroid watch --bus /dev/i2c-1 --as weather --altitude 1609m
        aneroid watch iss-leak --as cabin
        aneroid watch rigs/iss-leak.yaml --as cabin --speed 60
        aneroid watch /dev/i2c-1 --as cabin --record --trace cabin.i2ctrace

      The foot of the screen lists the keys; '?' explains them and the terms. The reserve time of a \
      cabin is shown while its pressure falls significantly; it is the minimum time left if neither \
      the hole nor a hatch changes. T1mm is the time in seconds in which the pressure falls by \
      1 mmHg. The number is crossed out if the last sample is older than two periods. 'p' pauses \
      and resumes the measurement; 'x' stops it, and 'b' starts a new one. 'h' records that a hatch \
      was moved (and asks which, if the hatches are known) and restarts the slopes. 'g' guides the \
      search for the leak hatch by hatch: which to close, when to reopen it at the latest, and what \
      the last test showed. SAFE HAVEN appears first, with the bell, when less than ten minutes \
      are left. Weather shows the last three hours with the tendency and the forecasts of the \
      rig's forecasters, reduced to sea level if the altitude is known; a forecaster without \
      enough data shows when it can forecast. Digits, zoom, scrolling, layout, unit and rate are \
      saved for the next watch.
      """)

  @Argument(
    help: .value("bus", "The bus; same as --bus. Exactly one of both is required."),
    completion: Completions.buses)
  var reference: String?

  @Option(
    help: """
      The bus: a rig (a file or a built-in name) or a trace, followed by #NUMBER if it has several \
      buses; or a real adapter: \(RealAdapter.names).
      """, completion: Completions.buses)
  var bus: String?

  @Option(
    name: .customLong("as"),
    help: .value(
      "purpose",
      """
      Purpose: cabin (leak detection) or weather. Default: cabin for a rig with a cabin or a leak \
      watch, else weather.
      """))
  var purpose: WatchState.Purpose?

  @Option(help: "Address of the sensor. Default: the first sensor found on the bus.")
  var address: Address?

  @Option(
    help: .value(
      "mmHg",
      "For a cabin: evacuation pressure in mmHg. Default: the rig's, or 490."
    ))
  var limit: Double?

  @Option(
    help: .value(
      "pairs",
      """
      For a cabin with a real sensor: its hatches, each as two connected modules, for example \
      node-service,service-cargo. 'g' then guides the crew to the leak.
      """))
  var hatches: String?

  @Option(
    help: .value(
      "name", "With --hatches: module of the sensor. Default: the first module named."))
  var module: String?

  @Option(
    help: .value(
      "height",
      """
      For weather with a sensor without a rig: its altitude, such as 1609m or 5280ft. Zambretti's \
      forecast uses the pressure at sea level. A rig states its own altitude.
      """),
    transform: Altitude.read)
  var altitude: Altitude?

  @Option(
    help: .value(
      "unit", "Unit of pressure. Default: the last one chosen by the key 'u'."))
  var unit: WatchUnit?

  @Option(
    help: .value(
      "table",
      """
      For weather: the hourly weather over which 'aneroid score' counts how often rain followed each \
      forecast, shown as its odds; 'none' to show none.
      """), completion: Completions.weather)
  var odds = "jfk-2013"

  @Option(
    help: .value(
      "file",
      "For weather in real time: socket for 'aneroid ask'. Default: named after the sensor, in the user's runtime folder."
    ))
  var socket: String?

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Flag(
    help: """
      Record each sample in a crash-safe file, for 'aneroid recording'. An existing recording of the \
      same sensor is continued.
      """)
  var record = false

  @Option(help: .value("factor", "Speed of a rig's time, as a multiple of real time."))
  var speed = 1.0

  @OptionGroup var permission: ProgramPermission

  func validate() throws {
    try address?.validate()
    guard (reference == nil) != (bus == nil) else {
      throw ValidationError(
        bus == nil
          ? "no bus given: a rig, a trace or an adapter such as /dev/i2c-1 is required"
          : "two buses given: '\(reference ?? "")' and --bus '\(bus ?? "")'; name only one")
    }
    if let pascals, !LeakAnalysis.limits.contains(pascals) {
      throw ValidationError(
        "--limit must be from 7.5 to 785 mmHg; above that a cabin has overpressure")
    }
    guard speed >= 0.1, speed <= 3600 else {
      throw ValidationError("--speed must be from 0.1 to 3600")
    }
  }

  /// The value of `--limit` in Pa; `nil` without it.
  private var pascals: Double? { limit.map { $0 * PressureUnit.millimetreOfMercury.pascals } }

  func run() throws {
    do throws(Failure) {
      let trace = if let path = trace { try TraceOutput(path) } else { nil as TraceOutput? }
      defer { trace?.closeAfterFailure() }
      try watch(
        WatchedSensor(
          BusReference(bus ?? reference ?? ""), address: address?.address, trace: trace,
          allowsPrograms: permission.allowRun))
      try trace?.close()
    } catch {
      throw StandardError.exit(error)
    }
  }

  private func watch(_ sensor: WatchedSensor) throws(Failure) {
    let purpose = purpose ?? sensor.purpose
    if altitude != nil, purpose == .cabin {
      throw Failure(.usage, "--altitude requires --as weather; this sensor is watched as a cabin")
    }
    let path = WatchSettings.path(ProgramEnvironment.variables, for: purpose)
    var state = WatchState(
      purpose, of: sensor.name, WatchSettings(path: path, for: purpose),
      limit: pascals ?? sensor.limit, hasDate: sensor.hasDate,
      cabin: try hatchPlan(of: sensor) ?? sensor.cabin, specified: sensor.specified,
      haven: sensor.haven, station: try sensor.station(altitude: altitude?.metres))
    state.knowsVolumes = hatches == nil
    state.expectsNoise = sensor.expectsNoise
    if purpose == .weather { state.historyNotice = sensor.historyNotice }
    if let unit { state.settings.unit = "\(unit.unit.symbol)" }
    if purpose == .weather, odds != "none" {
      let score = try ForecastScore(odds)
      state.odds = { score.odds(of: $0, $1) }
    }
    try LiveScreen.check()
    let recording = try openRecording(of: sensor.name)
    // The time of a rig restarts with each watch, so an earlier recording is not part of its past.
    if let recording, !sensor.isVirtual {
      state.recall(
        recording.past.map {
          (Double($0.moment - sensor.startMoment) / 1e9, $0.values, $0.mark)
        })
    }
    let requests = purpose == .weather ? try StationSocket(of: sensor.station, at: socket) : nil
    defer { requests?.close() }
    let watch = LiveWatch(
      sensor, state, recording, settings: path, speed: sensor.isVirtual ? speed : 1,
      on: try LiveScreen(), requests: requests)
    watch.run()
    watch.close()
  }

  /// Returns the modules and hatches that `--hatches` gives, and the module of the sensor.
  private func hatchPlan(
    of sensor: WatchedSensor
  ) throws(Failure) -> (plan: CabinPlan, module: Int)? {
    guard let hatches else {
      guard module == nil else { throw Failure(.usage, "--module requires --hatches") }
      return nil
    }
    if let reason = sensor.reasonAgainstHatches {
      throw Failure(
        .usage, "--hatches: \(reason); --hatches is only for a cabin with a real sensor")
    }
    return try HatchList(hatches, sensor: module).plan
  }

  private func openRecording(of name: String) throws(Failure) -> Recording? {
    guard record else { return nil }
    guard let path = Recording.path(ProgramEnvironment.variables) else {
      throw Failure(
        .unavailable, "no folder for recordings: neither XDG_STATE_HOME nor HOME is set")
    }
    return try Recording(path, of: name)
  }
}
