import ArgumentParser
import Barometry
import Bench
import Environment
import Files
import I2C
import Quantities
import Recordings
import TraceTools
import Watch

extension WatchState.Purpose: ExpressibleByArgument {}

/// `aneroid watch`: a live screen of one sensor.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch one sensor on a live screen: pressure, its rate, and the time that is left.",
    discussion: """
      EXAMPLES
        aneroid watch --bus /dev/i2c-1 --as weather --altitude 1609m
        aneroid watch iss-leak --as cabin
        aneroid watch rigs/iss-leak.yaml --as cabin --speed 60
        aneroid watch /dev/i2c-1 --as cabin --record --trace cabin.i2ctrace

      The keys stand at the foot of the screen; '?' explains them and the words. Only a cabin leaks: its reserve \
      time is shown while the pressure falls significantly, and is what is left at least if neither the hole nor a \
      hatch changes. T1mm is the time in seconds in which the pressure falls by 1 mmHg. A sample older than two \
      periods crosses out the number. 'p' pauses and goes on with the same measurement; 'x' stops it, and 'b' begins \
      another. 'h' says that a hatch was moved, and asks which where they are known: the slopes begin anew. 'g' leads \
      through the hatches to the leak: which to close, when to open it again at the latest, what it has told. SAFE HAVEN stands \
      first, with the bell, as soon as less than ten minutes are left. Weather is shown over \
      three hours, with its tendency and the forecasts of the rig's own forecasters, reduced to sea level if the altitude is \
      known; as long as one has too little to go by, the screen says when it can forecast. Digits, zoom, scrolling, layout, unit and rate stay from one \
      watch to the next.
      """)

  @Argument(
    help: .value("bus", "The bus, as --bus names it; one of both is given."),
    completion: Completions.buses)
  var reference: String?

  @Option(
    help: """
      The bus: a rig (a file or a built-in name) or a trace, with #NUMBER where it has several; /dev/i2c-N or \
      the name of an adapter.
      """, completion: Completions.buses)
  var bus: String?

  @Option(
    name: .customLong("as"),
    help: .value(
      "purpose",
      """
      What is watched for: cabin (does it leak?) or weather. A rig with a cabin or a watch for leaks is a cabin \
      unless said, everything else is weather.
      """))
  var purpose: WatchState.Purpose?

  @Option(help: "The sensor's address; the first on the bus unless given.")
  var address: Address?

  @Option(
    help: .value(
      "mmHg",
      "For a cabin: the pressure in mmHg at which the crew leaves; that of the rig, or 490, unless given."
    ))
  var limit: Double?

  @Option(
    help: .value(
      "pairs",
      """
      For a cabin of a real sensor: its hatches by the modules that they join, for example \
      node-service,service-cargo. 'g' then leads the crew to the leak.
      """))
  var hatches: String?

  @Option(
    help: .value(
      "name", "With --hatches: the module that the sensor is in; the first named unless given."))
  var module: String?

  @Option(
    help: .value(
      "height",
      """
      For the weather at a sensor that no rig describes: its altitude, such as 1609m or 5280ft. Zambretti's forecast takes \
      the pressure at sea level; a rig states its own altitude.
      """),
    transform: Altitude.read)
  var altitude: Altitude?

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Flag(
    help: """
      Record each sample in a file that survives a crash; 'aneroid recording' exports it. A recording of \
      the same sensor goes on.
      """)
  var record = false

  @Option(help: .value("factor", "How many times as fast the time of a rig goes."))
  var speed = 1.0

  func validate() throws {
    try address?.validate()
    guard (reference == nil) != (bus == nil) else {
      throw ValidationError(
        bus == nil
          ? "a bus is missing: a rig, a trace or an adapter, such as /dev/i2c-1"
          : "the bus is given twice: '\(reference ?? "")' and --bus '\(bus ?? "")'")
    }
    if let pascals, !LeakAnalysis.limits.contains(pascals) {
      throw ValidationError(
        "--limit must be a pressure from 7.5 to 785 mmHg, above which a cabin has too much")
    }
    guard speed >= 0.1, speed <= 3600 else {
      throw ValidationError("--speed must be from 0.1 to 3600")
    }
  }

  /// The limit in Pa, where it is given.
  private var pascals: Double? { limit.map { $0 * PressureUnit.millimetreOfMercury.pascals } }

  func run() throws {
    do throws(Failure) {
      let trace = if let path = trace { try TraceOutput(path) } else { nil as TraceOutput? }
      defer { trace?.closeAfterFailure() }
      try watch(
        WatchedSensor(
          BusReference(bus ?? reference ?? ""), address: address?.address, trace: trace))
      try trace?.close()
    } catch {
      throw StandardError.exit(error)
    }
  }

  private func watch(_ sensor: WatchedSensor) throws(Failure) {
    let purpose = purpose ?? sensor.purpose
    if altitude != nil, purpose == .cabin {
      throw Failure(.usage, "--altitude is for the weather, and this is watched as a cabin")
    }
    let path = WatchSettings.path(ProgramEnvironment.variables, for: purpose)
    var state = WatchState(
      purpose, of: sensor.name, WatchSettings(path: path, for: purpose),
      limit: pascals ?? sensor.limit, hasDate: sensor.hasDate,
      cabin: try hatchPlan(of: sensor) ?? sensor.cabin, specified: sensor.specified,
      haven: sensor.haven, station: try sensor.station(altitude: altitude?.metres))
    try LiveScreen.check()
    let recording = try openRecording(of: sensor.name)
    // The time of a rig begins anew with each watch: its past is none of this one's.
    if let recording, !sensor.isVirtual {
      state.recall(
        recording.past.map {
          (Double($0.moment - sensor.startMoment) / 1e9, $0.values, $0.mark)
        })
    }
    let watch = LiveWatch(
      sensor, state, recording, settings: path, speed: sensor.isVirtual ? speed : 1,
      on: try LiveScreen())
    watch.run()
    watch.close()
  }

  /// The modules and hatches that were named, and the module of the sensor.
  private func hatchPlan(
    of sensor: WatchedSensor
  ) throws(Failure) -> (plan: CabinPlan, module: Int)? {
    guard let hatches else {
      guard module == nil else { throw Failure(.usage, "--module needs --hatches") }
      return nil
    }
    if let reason = sensor.reasonAgainstHatches {
      throw Failure(.usage, "--hatches: \(reason); --hatches is for the cabin of a real sensor")
    }
    return try HatchList(hatches, sensor: module).plan
  }

  private func openRecording(of name: String) throws(Failure) -> Recording? {
    guard record else { return nil }
    guard let path = Recording.path(ProgramEnvironment.variables) else {
      throw Failure(.unavailable, "neither XDG_STATE_HOME nor HOME says where recordings lie")
    }
    return try Recording(path, of: name)
  }
}
