import Bench
package import Files
import I2C
import I2CTrace
package import Interposer
import LinuxI2C
import Parts
package import Rigs
import Text
package import TraceTools
import VirtualI2C

/// A bench whose buses another program uses as its /dev/i2c-N.
package struct ProgramBench {
  /// How the buses are shown.
  package struct Options {
    /// The numbers that programs see instead of those of the rig.
    package var numbers: [Int: Int] = [:]
    /// Which system calls are asked about.
    package var mode = InterposerMode.full
    /// How long programs may outlive the one that was started, in seconds.
    package var graceSeconds = 10.0
    /// After how much of its time the program is asked to end, in nanoseconds; `nil` for never.
    package var limit: UInt64?
    /// The board that programs believe to be on; `nil` for the machine.
    package var board: Board?
    /// Whether programs have virtual time instead of the machine's.
    package var isTimeVirtual = false
    /// After how long programs with virtual time that wait for each other are ended, in nanoseconds of the machine; `nil`
    /// for never.
    package var patience: UInt64? = VirtualTime.usualPatience
    /// Asked before virtual time jumps, while all programs sleep; `false` keeps it where it is.
    package var mayPass: (UInt64) -> Bool = { _ in true }
    /// Takes a line about each transfer; `nil` where nobody wants to read them.
    package var log: ((String) -> Void)?
    /// Whether it is listened for what a program does wrong on a bus, and for addresses at which nothing answers.
    package var remarks = true
    /// Failures that are planned on a bus without a rig, each with the keys of one.
    package var faults: [String] = []

    /// Records every transfer.
    package var trace: TraceOutput?
    /// How a trace is replayed.
    package var replay = ReplayOptions(.lenient)

    /// Creates options: the rig's own numbers, everything asked about, nothing logged.
    package init() {}
  }

  /// How long before the program begins the power was switched on: 10 ms at least, in nanoseconds.
  ///
  /// No program of a user begins together with its sensors: where one starts for longer by its datasheet, it has
  /// had that time and 5 ms. Who wants to meet a part that still starts gives it a longer start (`unknown`).
  private static let powerLead: UInt64 = 10_000_000

  private static func powerLead(of rig: Rig) -> UInt64 {
    let starts = rig.buses.flatMap(\.devices).map(\.part.model.startTime)
    return max(powerLead, (starts.max() ?? 0) + 5_000_000)
  }

  /// How long before the program begins another one wrote to a sensor that was left by one: a second, in nanoseconds.
  ///
  /// - Parameter rig: the rig.
  /// - Returns: that time; `nil` where no sensor was left.
  package static func earlierLead(of rig: Rig) -> UInt64? {
    let isLeft = rig.buses.contains { $0.devices.contains(where: \.part.wasUsed) }
    return isLeft ? 1_000_000_000 : nil
  }

  private let interposer: Interposer
  private let clock: any I2CClock
  /// The clock, where it goes by itself from the moment in which the program begins.
  private let live: LiveClock?
  private let report: (RunEvent) -> Void
  private let trace: TraceOutput?
  /// What happens before the program begins.
  private var atStart: [RunEvent] = []
  /// What is told at a time, when the program has ended.
  private var atEnd: (UInt64) -> [RunEvent] = { _ in [] }

  /// Puts the parts of a rig together for programs.
  ///
  /// Its power was switched on 10 ms ago (longer for parts that start for longer), or a second ago where an earlier program has left its registers.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - options: how its buses are shown.
  ///   - report: takes each event.
  /// - Throws: `Failure` when the rig cannot be put together, or a number names no bus or two.
  package init(
    _ rig: Rig, options: Options = Options(), report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    let lead = Self.earlierLead(of: rig) ?? Self.powerLead(of: rig)
    let live = options.isTimeVirtual ? nil : LiveClock(nanoseconds: lead)
    let clock: any I2CClock = live ?? VirtualClock(nanoseconds: lead)
    let bench = try Bench(rig, clock: clock, trace: options.trace)
    if options.isTimeVirtual, let real = bench.buses.first(where: \.isPhysical) {
      throw Failure(
        .unavailable, "\(rig.file): bus \(real.number) is real, and its time cannot be virtual")
    }
    let watch = AirWatch(rig, report: report)
    var buses: [InterposedBus] = []
    var numbers: Set<Int> = []
    var listeners: [ProgramListener] = []
    var silences: [SilenceListener] = []
    for bus in bench.buses {
      var adapter: any I2CAdapter =
        bus.isPhysical
        ? bus.adapter
        : NotifyingAdapter(bus.adapter) { watch.look(at: clock.nanoseconds) }
      let number = options.numbers[bus.number] ?? bus.number
      if options.remarks, !bus.isPhysical {
        let listener = ProgramListener(bus, node: number)
        listeners.append(listener)
        adapter = listener.hearing(adapter, clock: clock)
        let silence = SilenceListener(bus, node: number, isBuiltIn: rig.isBuiltIn)
        silences.append(silence)
        adapter = silence.hearing(adapter, clock: clock)
      }
      guard numbers.insert(number).inserted else {
        throw Failure(.unavailable, "\(rig.file): two buses would be number \(number)")
      }
      let shown = Self.logged(adapter, bus: number, clock, options)
      buses.append(
        InterposedBus(
          number: number, name: "aneroid \(rig.name.visible) bus \(number)",
          node: I2CDeviceNode(adapter: shown, boundAddresses: bus.boundAddresses),
          boundNames: Dictionary(bus.sensors.map { ($0.address, $0.model.name) }) { one, _ in one },
          isSlow: bus.isPhysical,
          freeMoment: live.map { clock in { clock.freeMoment } }))
    }
    for number in options.numbers.keys.sorted() where bench.bus(number) == nil {
      let known = bench.buses.map { "\($0.number)" }.joined(separator: ", ")
      throw Failure(
        .unavailable,
        "\(rig.file): there is no bus \(number); the rig has \(bench.buses.count == 1 ? "bus" : "buses") \(known)"
      )
    }
    self.clock = clock
    self.live = live
    self.report = report
    trace = options.trace
    var told = rig
    told.clock = options.isTimeVirtual ? .virtual : .real
    atStart = [.began(told, startMoment: bench.startMoment)]
    atEnd = { time in
      bench.ending(at: time) + listeners.flatMap { $0.remarks(at: time) }
        + silences.compactMap { $0.notice(at: time) }
    }
    interposer = Interposer(
      buses, mode: options.mode,
      time: options.isTimeVirtual
        ? VirtualTime(
          clock: clock, epoch: rig.firstMoment, patience: options.patience,
          mayPass: options.mayPass) : nil,
      board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// Passes a real adapter through, so that what programs do with it can be seen.
  ///
  /// - Parameters:
  ///   - text: its path or its name.
  ///   - number: N in the /dev/i2c-N that programs see.
  ///   - options: how it is shown.
  ///   - report: takes each event.
  /// - Throws: `Failure` when it cannot be used.
  package init(
    adapter text: String, number: Int, options: Options = Options(),
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    if let failure = BusReference.unknown(text) { throw failure }
    let real = try LinuxI2CAdapter.opened(text)
    let clock = WallClock()
    let faults = try BusFaults(options.faults, on: number)
    var adapter = faults.over(real, clock)
    if let trace = options.trace {
      adapter = try trace.recording(adapter, number: number, clock, name: real.path)
    }
    adapter = Self.logged(adapter, bus: number, clock, options)
    let bus = InterposedBus(
      number: number, name: "aneroid pass-through of \(real.path.visible)",
      node: I2CDeviceNode(adapter: adapter), isSlow: true)
    self.clock = clock
    live = nil
    self.report = report
    trace = options.trace
    atEnd = { time in faults.records.map { .fault(RunEvent.FaultReport($0, at: time)) } }
    interposer = Interposer(
      [bus], mode: options.mode, board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// Replays a bus of a trace for programs.
  ///
  /// - Parameters:
  ///   - file: the trace.
  ///   - traced: N of the bus in the trace; its only one when `nil`.
  ///   - number: N in the /dev/i2c-N that programs see; that of the trace when `nil`.
  ///   - options: how it is shown.
  ///   - report: takes each event.
  /// - Throws: `Failure` when it cannot be used.
  package init(
    trace file: String, bus traced: Int?, number: Int?, options: Options = Options(),
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    // A model has a time of its own, which goes on between transfers; a replay moves from one to the next.
    let live =
      options.replay.mode == .model && !options.isTimeVirtual
      ? LiveClock(nanoseconds: Self.powerLead) : nil
    let replayed = try ReplayedBus(file, number: traced, options.replay, clock: live)
    let shown = number ?? replayed.number
    let faults = try BusFaults(options.faults, on: shown)
    let faulty = faults.over(replayed.adapter, replayed.clock)
    let adapter = Self.logged(faulty, bus: shown, replayed.clock, options)
    let bus = InterposedBus(
      number: shown, name: "aneroid replay of \(file.visible)",
      node: I2CDeviceNode(adapter: adapter),
      freeMoment: live.map { clock in { clock.freeMoment } })
    clock = replayed.clock
    self.live = live
    self.report = report
    trace = options.trace
    atEnd = { time in
      let notices = (replayed.replay?.report(file) ?? []).map {
        RunEvent.notice(RunEvent.Notice(time: time, subject: .replay, text: $0))
      }
      return faults.records.map { .fault(RunEvent.FaultReport($0, at: time)) } + notices
    }
    interposer = Interposer(
      [bus], mode: options.mode,
      time: options.isTimeVirtual
        ? VirtualTime(
          clock: replayed.clock, epoch: Rig.defaultMoment, patience: options.patience,
          mayPass: options.mayPass)
        : nil,
      board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// An adapter each of whose transfers is logged, where somebody wants to read them.
  private static func logged(
    _ adapter: any I2CAdapter, bus: Int, _ clock: any I2CClock, _ options: Options
  ) -> any I2CAdapter {
    guard let log = options.log else { return adapter }
    return ObservedAdapter(adapter, bus: bus, clock: clock) { log($0.logged) }
  }

  /// Runs a program on the bench.
  ///
  /// - Parameter arguments: the program and its arguments.
  /// - Returns: its exit status, 128 + n if signal n ended it, 127 if there is no such program, 126 if
  ///   it cannot be run.
  /// - Throws: `Failure` of kind unavailable where programs cannot be shown a bus.
  package func run(_ arguments: [String]) throws(Failure) -> Int32 {
    atStart.forEach(report)
    // The time in which a large bench was put together is no time of its buses.
    live?.begin()
    do throws(InterposerError) {
      let status = try interposer.run(arguments) { notice in
        report(.notice(RunEvent.Notice(notice, at: clock.nanoseconds)))
      }
      let time = clock.nanoseconds
      atEnd(time).forEach(report)
      report(.ended(RunEvent.ProgramEnd(time: time, status: status)))
      return status
    } catch {
      let status: Int32
      switch error {
      case .unavailable: throw Failure(.unavailable, "\(error)")
      case .notFound, .noInterpreter: status = 127
      case .notRunnable: status = 126
      }
      report(.failure(RunEvent.RunFailure(status: status, messages: ["\(error)"])))
      // Where nothing ran there is nothing to record, and an older trace stays.
      trace?.closeAfterFailure()
      return status
    }
  }
}

/// Says once that the air is no longer known and its last value holds.
private final class AirWatch {
  private let rig: Rig
  private let report: (RunEvent) -> Void
  private var hasTold = false

  init(_ rig: Rig, report: @escaping (RunEvent) -> Void) {
    self.rig = rig
    self.report = report
  }

  func look(at time: UInt64) {
    guard !hasTold, let known = rig.environment.knownTime, time > known else { return }
    hasTold = true
    report(.notice(RunEvent.Notice(time: time, subject: .air, text: rig.endOfAir(known))))
  }
}
