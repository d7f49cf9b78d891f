import Bench
import I2C
import I2CTrace
package import Interposer
import LinuxI2C
import Parts
package import Rigs
package import Support
package import TraceTools
import VirtualI2C

/// A bench whose buses a user's program uses as `/dev/i2c-N`.
package struct ProgramBench {
  /// Options of the program and its view of the buses.
  package struct Options {
    /// For each bus number in the rig, the number N of the `/dev/i2c-N` that programs use.
    ///
    /// Default: the numbers in the rig.
    package var numbers: [Int: Int] = [:]
    /// The system calls to intercept.
    ///
    /// Default: `full`.
    package var mode = InterposerMode.full
    /// The time that child programs may outlive the program, in seconds.
    ///
    /// Default: 10 s.
    package var graceSeconds = 10.0
    /// The time limit of the program on its own clock, in nanoseconds; `nil` for none.
    ///
    /// Default: none.
    package var limit: UInt64?
    /// The board whose system files programs see; `nil` for the files of this machine.
    ///
    /// Default: `nil`.
    package var board: Board?
    /// `true` if programs have virtual time.
    ///
    /// Default: `false`.
    package var isTimeVirtual = false
    /// The real time in nanoseconds after which deadlocked programs with virtual time are
    /// terminated; `nil` for no limit.
    package var standstillTimeout: UInt64? = VirtualTime.defaultStallTimeout
    /// Called while all programs sleep, before virtual time advances to the given time; returning
    /// `false` stops the time.
    ///
    /// Default: returns `true`.
    package var mayPass: (UInt64) -> Bool = { _ in true }
    /// Receives a line about each transfer; `nil` for no log.
    ///
    /// Default: `nil`.
    package var log: ((String) -> Void)?
    /// `true` to warn about driver errors and about addresses without a device.
    ///
    /// Default: `true`.
    package var warnings = true
    /// Faults to inject on a bus that belongs to no rig, each written with the keys of a fault in a
    /// rig.
    ///
    /// Default: none.
    package var faults: [String] = []

    /// Records every transfer.
    ///
    /// Default: no recording.
    package var trace: TraceOutput?
    /// The options for replaying a trace.
    ///
    /// Default: lenient.
    package var replay = ReplayOptions(.lenient)

    package init() {}
  }

  /// The time from power-on to the start of the program, in nanoseconds: at least 10 ms.
  ///
  /// Real programs do not start at the moment of power-on. For parts with a longer start-up time in
  /// the datasheet, or that hold a first result later, the lead time is that time plus 5 ms. To test a
  /// part that is still starting, set a longer start-up time in the rig (below the key `unknown`), or
  /// use the fault `power-loss`.
  private static let powerOnLead: UInt64 = 10_000_000

  private static func powerOnLead(of rig: Rig) -> UInt64 {
    let models = rig.buses.flatMap(\.devices).map(\.part.model)
    let starts = models.map { max($0.startTime, $0.firstResultTime) }
    return max(powerOnLead, (starts.max() ?? 0) + 5_000_000)
  }

  /// Returns the time from an earlier program's use of the sensors to the start of the program, in
  /// nanoseconds: 1 s.
  ///
  /// - Parameter rig: the rig.
  /// - Returns: that time; `nil` if no sensor of the rig has been used by an earlier program.
  package static func earlierProgramLead(of rig: Rig) -> UInt64? {
    let isLeft = rig.buses.contains { $0.devices.contains(where: \.part.wasUsed) }
    return isLeft ? 1_000_000_000 : nil
  }

  private let interposer: Interposer
  private let clock: any I2CClock
  /// The clock in real time, which starts with the program; `nil` for virtual time.
  private let live: LiveClock?
  private let report: (RunEvent) -> Void
  private let trace: TraceOutput?
  /// The events before the start of the program.
  private var atStart: [RunEvent] = []
  /// Creates the events to report after the program has ended at the given time.
  private var atEnd: (UInt64) -> [RunEvent] = { _ in [] }
  /// Returns the failure of a part that is a program; `nil` if there is none.
  private var programFailure: () -> Failure? = { nil }

  /// Assembles the parts of a rig for programs.
  ///
  /// Power-on is 10 ms before the start of the program (more for parts with a longer start-up time), or 1 s if an
  /// earlier program has used a sensor.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - options: the options.
  ///   - report: receives each event.
  /// - Throws: `Failure` if the rig cannot be assembled, or a bus number is unknown or used twice.
  package init(
    _ rig: Rig, options: Options = Options(), report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    let lead = Self.earlierProgramLead(of: rig) ?? Self.powerOnLead(of: rig)
    let live = options.isTimeVirtual ? nil : LiveClock(nanoseconds: lead)
    let clock: any I2CClock = live ?? VirtualClock(nanoseconds: lead)
    let bench = try Bench(rig, clock: clock, trace: options.trace)
    if options.isTimeVirtual, let real = bench.buses.first(where: \.isPhysical) {
      throw Failure(
        .unavailable,
        "\(rig.file): bus \(real.number) is a physical bus and cannot run in virtual time")
    }
    let numbers = try Self.numbers(of: bench, in: rig, options)
    let watch = BenchWatch(rig, report: report)
    var listeners = Listeners()
    let names = Self.names(of: bench, in: rig, options)
    let buses = zip(bench.buses, numbers).map { bus, number in
      var adapter: any I2CAdapter =
        bus.isPhysical
        ? bus.adapter
        : NotifyingAdapter(bus.adapter) { watch.look(at: clock.nanoseconds, bench) }
      if options.warnings, !bus.isPhysical {
        adapter = listeners.observing(adapter, of: bus, in: rig, node: number, clock)
      }
      let shown = Self.logged(adapter, bus: number, clock, options)
      return InterposedBus(
        number: number, name: names[bus.number] ?? "",
        node: I2CDeviceNode(adapter: shown, boundAddresses: bus.boundAddresses),
        boundNames: Dictionary(bus.sensors.map { ($0.address, $0.model.name) }) { one, _ in one },
        isSlow: bus.isPhysical,
        freeMoment: live.map { clock in { clock.freeMoment } })
    }
    self.clock = clock
    self.live = live
    self.report = report
    trace = options.trace
    var reported = rig
    reported.clock = options.isTimeVirtual ? .virtual : .real
    atStart = [.began(reported, startMoment: bench.startMoment)]
    programFailure = { bench.programFailure }
    atEnd = { [listeners] time in
      bench.ending(at: time) + listeners.ending(at: time)
    }
    interposer = Interposer(
      buses, mode: options.mode,
      time: options.isTimeVirtual
        ? VirtualTime(
          clock: clock, epoch: rig.firstMoment, stallTimeout: options.standstillTimeout,
          mayAdvance: options.mayPass,
          steps: rig.clockSteps.map {
            .init(time: UInt64(max($0.time, 0)), length: $0.length)
          }) : nil,
      board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// Returns the name of each bus's adapter; that of a multiplexer's channel is as Linux's driver gives it.
  private static func names(of bench: Bench, in rig: Rig, _ options: Options) -> [Int: String] {
    func shown(_ number: Int) -> Int { options.numbers[number] ?? number }
    let channels = rig.channels
    return Dictionary(
      bench.buses.map { bus in
        let channel = channels[bus.number].map {
          "i2c-\(shown($0.bus))-mux (chan_id \($0.number))"
        }
        return (bus.number, channel ?? "aneroid \(rig.name.visible) bus \(shown(bus.number))")
      }, uniquingKeysWith: { one, _ in one })
  }

  /// Returns the number N of `/dev/i2c-N` of each bus, in the rig's order.
  private static func numbers(
    of bench: Bench, in rig: Rig, _ options: Options
  ) throws(Failure) -> [Int] {
    for number in options.numbers.keys.sorted() where bench.bus(number) == nil {
      let known = bench.buses.map { "\($0.number)" }.joined(separator: ", ")
      throw Failure(.unavailable, "\(rig.file): unknown bus '\(number)' (accepted: \(known))")
    }
    let numbers = bench.buses.map { options.numbers[$0.number] ?? $0.number }
    if let twice = numbers.indices.first(where: { numbers[..<$0].contains(numbers[$0]) }) {
      throw Failure(.unavailable, "\(rig.file): duplicate bus number \(numbers[twice])")
    }
    return numbers
  }

  /// Passes the transfers of programs on to a real adapter, so that they can be observed.
  ///
  /// - Parameters:
  ///   - text: the path or the name of the adapter.
  ///   - number: N of the `/dev/i2c-N` that programs use.
  ///   - options: the options.
  ///   - report: receives each event.
  /// - Throws: `Failure` if the adapter cannot be opened.
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
    atEnd = { time in faults.faults.map { .fault(RunEvent.FaultReport(time: time, fault: $0)) } }
    interposer = Interposer(
      [bus], mode: options.mode, board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// Replays a bus of a trace for programs.
  ///
  /// - Parameters:
  ///   - file: the trace.
  ///   - traced: the number of the bus in the trace; `nil` for the only bus in it.
  ///   - number: N of the `/dev/i2c-N` that programs use; `nil` for the number in the trace.
  ///   - options: the options.
  ///   - report: receives each event.
  /// - Throws: `Failure` if the trace cannot be used.
  package init(
    trace file: String, bus traced: Int?, number: Int?, options: Options = Options(),
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    // For a model, time also advances between transfers; for a replay, it jumps from one transfer
    // to the next.
    let live =
      options.replay.mode == .model && !options.isTimeVirtual
      ? LiveClock(nanoseconds: Self.powerOnLead) : nil
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
      return faults.faults.map { .fault(RunEvent.FaultReport(time: time, fault: $0)) } + notices
    }
    interposer = Interposer(
      [bus], mode: options.mode,
      time: options.isTimeVirtual
        ? VirtualTime(
          clock: replayed.clock, epoch: Rig.defaultMoment, stallTimeout: options.standstillTimeout,
          mayAdvance: options.mayPass)
        : nil,
      board: options.board, graceSeconds: options.graceSeconds,
      limit: options.limit)
  }

  /// Wraps an adapter so that its transfers are logged; returns it unchanged without a log.
  private static func logged(
    _ adapter: any I2CAdapter, bus: Int, _ clock: any I2CClock, _ options: Options
  ) -> any I2CAdapter {
    guard let log = options.log else { return adapter }
    return ObservedAdapter(adapter, bus: bus, clock: clock) { log($0.logged) }
  }

  /// Runs a program on the bench.
  ///
  /// - Parameter arguments: the program and its arguments.
  /// - Returns: the exit status of the program, 128 + n if signal n ended it, 127 if there is no
  ///   such program, 126 if it cannot be run, and 69 instead of 0 if a part that is a program failed.
  /// - Throws: `Failure` of kind unavailable if the interposer does not work on this machine.
  package func run(_ arguments: [String]) throws(Failure) -> Int32 {
    atStart.forEach(report)
    // The time to assemble a large bench does not count.
    live?.begin()
    do throws(InterposerError) {
      let status = try interposer.run(arguments) { notice in
        report(.notice(RunEvent.Notice(notice, at: clock.nanoseconds)))
      }
      let time = clock.nanoseconds
      atEnd(time).forEach(report)
      // A reader that tolerates a part without an answer did not run on the bench of the rig.
      let ending = status == 0 ? programFailure()?.exitStatus ?? 0 : status
      report(.ended(RunEvent.ProgramEnd(time: time, status: ending)))
      return ending
    } catch {
      let status: Int32
      switch error {
      case .unavailable: throw Failure(.unavailable, "\(error)")
      case .notFound, .noInterpreter: status = 127
      case .notRunnable: status = 126
      }
      report(.failure(RunEvent.RunFailure(status: status, messages: ["\(error)"])))
      // No program ran, so there is nothing to record, and an existing trace is kept.
      trace?.closeAfterFailure()
      return status
    }
  }
}

/// The listeners on the buses of a bench, which observe the transfers of programs.
private struct Listeners {
  private var conduct: [ProgramListener] = []
  private var silences: [SilenceListener] = []

  /// Returns the adapter of a bus with its listeners.
  mutating func observing(
    _ adapter: any I2CAdapter, of bus: Bench.Bus, in rig: Rig, node: Int, _ clock: any I2CClock
  ) -> any I2CAdapter {
    let listener = ProgramListener(bus, node: node)
    conduct.append(listener)
    let observed = listener.observing(adapter, clock: clock)
    // What answers on a bus with a multiplexer depends on its channels.
    guard !rig.hasMultiplexer(on: bus.number) else { return observed }
    let silence = SilenceListener(bus, node: node, isBuiltIn: rig.isBuiltIn)
    silences.append(silence)
    return silence.observing(observed, clock: clock)
  }

  /// Returns the warnings and hints at the end of the program.
  func ending(at time: UInt64) -> [RunEvent] {
    conduct.flatMap { $0.warnings(at: time) } + silences.compactMap { $0.notice(at: time) }
  }
}

/// Reports the end of the weather data, and the failure of a part that is a program, once each.
private final class BenchWatch {
  private let rig: Rig
  private let report: (RunEvent) -> Void
  private var hasReported = false
  private var hasFailed = false

  init(_ rig: Rig, report: @escaping (RunEvent) -> Void) {
    self.rig = rig
    self.report = report
  }

  func look(at time: UInt64, _ bench: Bench) {
    if !hasFailed, let failure = bench.programFailure {
      hasFailed = true
      for text in failure.messages {
        report(.notice(RunEvent.Notice(time: time, subject: .part, text: text)))
      }
    }
    guard !hasReported, let known = rig.environment.knownTime, time > known else { return }
    hasReported = true
    report(.notice(RunEvent.Notice(time: time, subject: .air, text: rig.endOfAir(known))))
  }
}

extension Bench {
  /// Creates the traffic reports of all buses at the end time.
  package func traffic(at time: UInt64) -> [RunEvent] {
    buses.map {
      .traffic(
        RunEvent.TrafficReport(
          time: time, bus: $0.number, transfers: $0.meter.transfers, errors: $0.meter.errors,
          isFinal: true))
    }
  }

  /// Creates the events of the bench at the end of a program: faults, boards, and the charge of each sensor.
  package func ending(at time: UInt64) -> [RunEvent] {
    let faults = self.faults.map { RunEvent.fault(RunEvent.FaultReport(time: time, fault: $0)) }
    let boards = buses.compactMap { bus in
      bus.board.map { RunEvent.board($0.report(bus: bus.number, at: time)) }
    }
    let charges = buses.flatMap { bus in
      bus.sensors.compactMap { sensor in
        sensor.part.chargeUsed(at: time).map {
          let sensorID = Rig.SensorID(bus: bus.number, address: sensor.address)
          return RunEvent.charge(
            RunEvent.ChargeReport(
              time: time, sensorID: rig.fleet?.named(sensorID) ?? sensorID, microcoulombs: $0))
        }
      }
    }
    return faults + boards + charges
  }
}
