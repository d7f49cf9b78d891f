import ArgumentParser
import Bench
import Environment
import Glibc
import Rigs
import Runs
import Support
import Watch

/// `aneroid drill`: rehearses a leak in a living cabin.
struct DrillCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drill",
    abstract: "Rehearse the search for a leak in a simulated cabin, and score it.",
    discussion: """
      EXAMPLES
        aneroid drill iss-leak
        aneroid drill iss-leak --seed 7 --speed 10
        aneroid drill iss-leak --seed 7 -- python3 my-search.py

      A hole opens in a random module, not that of the barometer, one to five minutes after the start; module and size depend on \
      the seed only. Without a program, the screen of 'aneroid watch' is shown: 'g' guides the \
      search, 'h' moves a hatch, 'y' confirms an advised move, 'v' draws the cabin, 'q' ends the \
      drill. The moves change the air. The drill ends by itself a minute after the leak is shut off.

      A program has virtual time. It reads the barometer on /dev/i2c-1 and moves the hatches through \
      a port, by default at 0x20: bit n of the byte written is hatch n in the order of the rig, 1 for \
      open; a read returns the states.

      The score is the reserve time, in minutes, that the leak has used until it is shut off, beyond \
      that of the best possible search, which closes the right hatches first.

      Exit status: 0 if the leak was shut off; 1 if not.
      """)

  @Argument(
    help: "The rig with the cabin: a file or a built-in name.", completion: Completions.rigs)
  var rig: String

  @Option(help: .value("number", "Seed of the leak and of the noise. Default: the rig's 'seed'."))
  var seed: UInt64?

  @Option(help: .value("factor", "Speed of the rig's time, without a program."))
  var speed = 1.0

  @Option(
    help: .value(
      "time",
      """
      The time that a crew needs to reach a hatch, for the searches that the score compares with. \
      Default: 30s; 0s for a program.
      """),
    transform: Interval.read)
  var reach: Interval?

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
  var program: [String] = []

  func validate() throws {
    guard speed >= 0.1, speed <= 3600 else {
      throw ValidationError("--speed must be from 0.1 to 3600")
    }
  }

  func run() throws {
    try TraceCommand.finish { output throws(Failure) in
      var drill = try CabinDrill(rig, seed: seed)
      let course = program.isEmpty ? try watched(drill) : try programmed(&drill)
      // A program moves the hatches at once.
      let reach = reach?.nanoseconds ?? (program.isEmpty ? 30_000_000_000 : 0)
      for line in try drill.report(course, reach: reach) { output.write(line.visible + "\n") }
      return course.isolated != nil
    }
  }

  /// Lets the crew at the terminal search.
  private func watched(_ drill: CabinDrill) throws(Failure) -> CabinDrill.Course {
    let sensor = try WatchedSensor(
      .rig(file: rig, number: nil), address: nil, replacing: drill.rig)
    let path = WatchSettings.path(ProgramEnvironment.variables, for: .cabin)
    var state = WatchState(
      .cabin, of: "drill \(drill.rig.name)", WatchSettings(path: path, for: .cabin),
      limit: sensor.limit, hasDate: sensor.hasDate, cabin: sensor.cabin,
      specified: sensor.specified, haven: sensor.haven)
    state.knowsVolumes = true
    state.expectsNoise = sensor.expectsNoise
    let watch = LiveWatch(
      sensor, state, nil, settings: path, speed: speed, on: try LiveScreen())
    watch.isOver = {
      let now = UInt64(max(sensor.now, 0) * 1e9)
      let isolated = drill.course(sensor.operations, until: now).isolated
      // The crew sees that the pressure has stopped falling, for at least 15 s of its own time.
      let grace = UInt64(max(60, 15 * speed) * 1e9)
      return isolated.map { now > $0 + grace } ?? false
        || now >= drill.rig.duration ?? .max
    }
    watch.run()
    watch.close()
    return drill.course(sensor.operations, until: UInt64(max(sensor.now, 0) * 1e9))
  }

  /// Lets a program search.
  private func programmed(_ drill: inout CabinDrill) throws(Failure) -> CabinDrill.Course {
    let panel = drill.addPanel()
    let names = drill.plan.hatches.enumerated().map { index, hatch in
      "\(index) \(drill.plan.modules[hatch.one].name)-\(drill.plan.modules[hatch.other].name)"
    }
    StandardError.say(
      "hatches: the bits of the port at 0x\(String(panel.address, radix: 16)) on /dev/i2c-\(panel.bus): "
        + names.joined(separator: ", "))
    var options = ProgramBench.Options()
    options.isTimeVirtual = true
    options.warnings = false
    options.limit = drill.rig.duration
    var end: UInt64 = 0
    var failure: [String] = []
    let bench = try ProgramBench(drill.rig, options: options) { event in
      if case .ended(let ended) = event { end = ended.time }
      if case .failure(let found) = event { failure = found.messages }
    }
    let status = try bench.run(program)
    if !failure.isEmpty { throw Failure(.unavailable, failure) }
    if status != 0 { StandardError.say("the program ended with status \(status)") }
    return drill.course(bench.cabin?.plan.operations ?? [], until: end)
  }
}
