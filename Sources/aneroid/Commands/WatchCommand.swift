import ArgumentParser
import Barometry
import Bench
import Environment
import Files
import I2C
import Parts
import Quantities
import Recordings
import Runs
import Watch

extension WatchState.Purpose: ExpressibleByArgument {}

/// `aneroid watch`: a live screen of one sensor.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch one sensor on a live screen: pressure, its rate, and the time that is left.",
    discussion: """
      EXAMPLES
        aneroid watch /dev/i2c-1 --as weather
        aneroid watch iss-leak --as cabin
        aneroid watch rigs/iss-leak.yaml --as cabin --speed 60
        aneroid watch /dev/i2c-1 --as cabin --record

      The keys stand at the foot of the screen; '?' explains them and the words. Only a cabin leaks: its reserve \
      time is shown while the pressure falls significantly, and is what is left at least if neither the hole nor a \
      hatch changes. T1mm is the time in seconds in which the pressure falls by 1 mmHg. A sample older than two \
      periods crosses out the number. 'p' pauses and goes on with the same measurement; 'x' stops it, and 'b' begins \
      another. 'h' says that a hatch was moved, and asks which where they are known: the slopes begin anew. 'g' leads \
      through the hatches to the leak: which to close, when to open it again at the latest, what it has told. SAFE HAVEN stands \
      first, with the bell, as soon as less than ten minutes are left. Weather is shown over \
      three hours, with its tendency and a forecast. Digits, zoom, scrolling, layout, unit and rate stay from one \
      watch to the next.
      """)

  @Argument(
    help: "A rig (a file or a built-in name), a trace, or an adapter (/dev/i2c-N or its name).",
    completion: Completions.buses)
  var bus: String

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
      try watch(WatchedSensor(BusReference(bus), address: address?.address))
    } catch {
      throw StandardError.exit(error)
    }
  }

  private func watch(_ sensor: WatchedSensor) throws(Failure) {
    let purpose = purpose ?? sensor.purpose
    let path = WatchSettings.path(ProgramEnvironment.variables, for: purpose)
    var state = WatchState(
      purpose, of: sensor.name, WatchSettings(path: path, for: purpose),
      limit: pascals ?? sensor.limit, hasDate: sensor.hasDate,
      cabin: try hatchPlan(of: sensor) ?? sensor.cabin, specified: sensor.specified,
      haven: sensor.haven)
    try LiveScreen.check()
    var recording = try openRecording(of: sensor.name)
    // The time of a rig begins anew with each watch: its past is none of this one's.
    if let recording, !sensor.isVirtual {
      state.recall(
        recording.past.map {
          (Double($0.moment - sensor.startMoment) / 1e9, $0.values, $0.mark)
        })
    }
    let screen = try LiveScreen()
    var unsaved: Failure?
    defer {
      screen.close()
      tell(unsaved, recording)
    }
    let clock = WallClock()
    var due = 0.0
    var drawing = DrawingPace()
    let pace = sensor.isVirtual ? speed : 1
    while !screen.mustEnd {
      let wall = Double(clock.nanoseconds) / 1e9
      if wall >= due {
        if sensor.isVirtual { sensor.pass(seconds: max(wall * pace - sensor.now, 0)) }
        if state.isRunning { sample(sensor, &state, recording) }
        due = max(due + Double(state.settings.period) / pace, wall)
      }
      let now = max(sensor.isVirtual ? wall * pace : sensor.now, sensor.now)
      state.pass(to: now, moment: sensor.startMoment + Int64(now * 1e9))
      if state.takeBell() {
        screen.ring()
        drawing.hurry()
      }
      if drawing.isDue(at: wall) {
        let size = screen.size
        screen.show(
          WatchScreen(state, columns: size.columns, rows: size.rows, style: Output.style).lines)
      }
      // A sample may be waiting to be drawn.
      guard let key = screen.key(within: min(due - wall, DrawingPace.interval)) else { continue }
      drawing.hurry()
      switch state.press(key) {
      case .quit: return
      case .settings:
        due = min(due, Double(clock.nanoseconds) / 1e9 + Double(state.settings.period) / pace)
        unsaved = save(state.settings, path)
      case .moved(let action): sensor.perform(action)
      case .export(let ends): export(&recording, &state, ends: ends)
      case .leads: sensor.perform(nil)
      case .redraw, .nothing: break
      }
    }
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

  /// Keeps the settings; a watch goes on where that fails.
  private func save(_ settings: WatchSettings, _ path: String?) -> Failure? {
    guard let path else { return nil }
    do throws(Failure) {
      try settings.save(path)
      return nil
    } catch {
      return error
    }
  }

  /// Says what the screen could not, once it is gone.
  private func tell(_ unsaved: Failure?, _ recording: Recording?) {
    if let unsaved {
      unsaved.messages.forEach(StandardError.say)
      StandardError.say("the settings held for this watch and are not kept")
    }
    if let recording, let damage = recording.damage {
      StandardError.say("\(recording.path): \(damage)")
    }
    if let recording, let failure = recording.failure {
      StandardError.say("\(recording.path): the last rows were not recorded: \(failure)")
    }
  }

  /// Writes the recording as a table in this folder, and says so on the screen.
  private func export(_ recording: inout Recording?, _ state: inout WatchState, ends: Bool) {
    guard let open = recording else { return }
    do throws(Failure) {
      let (table, result) = try open.export(ends: ends)
      let hasEnded = ends && result.stays == nil
      state.exported(
        "exported \(table): \(result.sentence)"
          + (result.stays.map { "; \($0): the recording stays" } ?? ""),
        isFailure: result.stays != nil, hasEnded: hasEnded)
      if hasEnded { recording = nil }
    } catch {
      state.exported(
        "EXPORT FAILS: \(error.messages.joined(separator: "; "))", isFailure: true, hasEnded: false)
    }
  }

  private func openRecording(of name: String) throws(Failure) -> Recording? {
    guard record else { return nil }
    guard let path = Recording.path(ProgramEnvironment.variables) else {
      throw Failure(.unavailable, "neither XDG_STATE_HOME nor HOME says where recordings lie")
    }
    return try Recording(path, of: name)
  }

  private func sample(
    _ sensor: WatchedSensor, _ state: inout WatchState, _ recording: Recording?
  ) {
    let event = sensor.next()
    state.take(event)
    guard let recording, case .reading(let reading) = event,
      reading.sample.pascals != nil, reading.sample.celsius != nil
    else { return }
    recording.take(
      Recording.Row(
        moment: sensor.startMoment + Int64(reading.time), reading.sample.values,
        mark: state.takeMark()))
    state.recorded(recording.rows, runs: recording.runs, recording.failure)
  }
}
