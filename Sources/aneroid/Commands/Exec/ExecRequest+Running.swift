import Bench
import Files
import Glibc
import I2C
import I2CTrace
import Interposer
import Reports
import Rigs
import Runs
import Text
import TraceTools

extension ExecRequest {
  /// Runs the program to its end.
  ///
  /// - Returns: the status with which this process is to end; why it is another one than the program's has been said.
  func run() -> Int32 {
    if let parent, !Interposer.ends(with: parent) {
      return Failure.Kind.unavailable.rawValue
    }
    var events: EventOutput?
    let text = ProgramReport(explanation: explanation) { sentence in
      if !silent || events?.keepsOlder ?? true { StandardError.say(sentence) }
    }
    let report = { (event: RunEvent) in
      text.take(event)
      events?.take(event)
    }
    // What a program has printed must not be lost with it.
    if limit != nil { setenv("PYTHONUNBUFFERED", "1", 0) }
    do throws(Failure) {
      let places = try OutputPlace.check([self.events, trace], reading: inputs)
      if let place = places[0] { events = try EventOutput(place) }
      let rig = bus == nil || namedRig != nil ? try plannedRig() : nil
      do throws(Failure) {
        try OutputPlace.check([self.events, trace], reading: rig?.files ?? [])
      } catch {
        // Nothing is written over what is read, not even why.
        events = nil
        throw error
      }
      // An audit reads its traces at once.
      let output = places[1].map { TraceOutput($0, mayGather: false, isKept: parent == nil) }
      defer { output?.closeAfterFailure() }
      return close(output, events, try bench(rig, output, report).run(program))
    } catch {
      report(.failure(RunEvent.RunFailure(error)))
      return error.exitStatus
    }
  }

  /// Puts what was written in its place.
  ///
  /// - Returns: the status of the program, or why not all was written after one that went well; it is said in any case.
  private func close(_ trace: TraceOutput?, _ events: EventOutput?, _ status: Int32) -> Int32 {
    do throws(Failure) {
      try trace?.close()
      try events?.close()
      return status
    } catch {
      error.messages.forEach(StandardError.say)
      return status == 0 ? error.exitStatus : status
    }
  }

  /// What explains the errors of the program: a trace of it, which may be that of another run.
  private var explanation: String {
    guard let trace else {
      return "the same again with --trace t.i2ctrace, then aneroid diagnose t.i2ctrace"
    }
    return ShellCommand.text(["aneroid", "diagnose", trace])
  }

  /// What the command line itself names to be read.
  private var inputs: [String] {
    guard let bus, namedRig == nil else { return [namedRig].compactMap { $0 } }
    if case .trace(let file, _) = BusReference(bus) { return [file] }
    return []
  }

  /// The rig with what is planned in addition.
  private func plannedRig() throws(Failure) -> Rig {
    var rig = if let namedRig { try Rig(path: namedRig) } else { Rig.builtIn(at: address) }
    if let frequency { rig.setFrequency(frequency.hertz) }
    for fault in fault { try rig.plan(fault: fault) }
    return rig
  }

  private func bench(
    _ rig: Rig?, _ output: TraceOutput?, _ report: @escaping (RunEvent) -> Void
  ) throws(Failure) -> ProgramBench {
    var options = ProgramBench.Options()
    options.mode = fast ? .fast : .full
    if log { options.log = StandardError.say }
    options.isTimeVirtual = clock == .virtual
    if let steps { options.mayPass = StepMark.question(over: steps) }
    options.patience = stall.nanoseconds == 0 ? nil : stall.nanoseconds
    options.board = board
    options.limit = limit?.nanoseconds
    options.graceSeconds = Double(grace.nanoseconds) / 1e9
    options.replay = ReplayOptions(replay, pace: times)
    options.trace = output
    options.remarks = !quiet
    if let rig {
      options.numbers = try numbers(in: rig)
      return try ProgramBench(rig, options: options, report: report)
    }
    options.faults = fault
    let bus = bus ?? ""
    switch BusReference(bus) {
    case .rig:
      throw Failure(.unavailable, "bus '\(bus)': for the buses of a rig say --rig FILE")
    case .trace(let file, let traced):
      return try ProgramBench(
        trace: file, bus: traced, number: number, options: options, report: report)
    case .adapter(let adapter):
      return try ProgramBench(
        adapter: adapter, number: number ?? 1, options: options, report: report)
    }
  }

  /// The numbers that the program sees instead of those of the rig.
  private func numbers(in rig: Rig) throws(Failure) -> [Int: Int] {
    guard let number else {
      return Dictionary(uniqueKeysWithValues: map.map { ($0.from, $0.to) })
    }
    guard rig.buses.count == 1 else {
      throw Failure(
        .unavailable, "\(rig.file): it has \(rig.buses.count) buses; say --map OLD=NEW")
    }
    return [rig.buses[0].number: number]
  }
}
