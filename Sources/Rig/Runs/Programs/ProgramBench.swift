import Bench
import Chips
package import Environment
import Glibc
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

  /// The cabin that the sensors are in, whose hatches the program may move; `nil` without a cabin.
  package var cabin: Cabin? { buses.cabin }

  private let interposer: Interposer
  private let buses: ClientBuses
  private let report: (RunEvent) -> Void
  private let trace: TraceOutput?

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
    let buses = try ClientBuses(rig, options, report: report)
    let steps = rig.clockSteps.map {
      VirtualTime.Step(time: UInt64(max($0.time, 0)), length: $0.length)
    }
    self.init(buses, options, epoch: rig.firstMoment, steps: steps, report: report)
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
    self.init(try ClientBuses(adapter: text, number: number, options), options, report: report)
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
    let buses = try ClientBuses(trace: file, bus: traced, number: number, options)
    self.init(buses, options, report: report)
  }

  private init(
    _ buses: ClientBuses, _ options: Options, epoch: Int64 = Rig.defaultMoment,
    steps: [VirtualTime.Step] = [], report: @escaping (RunEvent) -> Void
  ) {
    self.buses = buses
    self.report = report
    trace = options.trace
    let live = buses.live
    let interposed = buses.buses.map { bus in
      InterposedBus(
        number: bus.number, name: bus.name,
        node: I2CDeviceNode(adapter: bus.adapter, boundAddresses: bus.boundAddresses),
        boundNames: bus.boundNames, isSlow: bus.isPhysical,
        freeMoment: live.map { clock in { clock.freeMoment } },
        connection: bus.connection)
    }
    let time =
      options.isTimeVirtual
      ? VirtualTime(
        clock: buses.clock, epoch: epoch, stallTimeout: options.standstillTimeout,
        mayAdvance: options.mayPass, steps: steps) : nil
    interposer = Interposer(
      interposed, mode: options.mode, time: time, board: options.board,
      graceSeconds: options.graceSeconds, limit: options.limit)
  }

  /// Runs a program on the bench.
  ///
  /// - Parameter arguments: the program and its arguments.
  /// - Returns: the exit status, as `run(_:)` of a launched program does.
  /// - Throws: `Failure` of kind unavailable if the interposer does not work on this machine.
  package func run(_ arguments: [String]) throws(Failure) -> Int32 {
    try run(interposer.launch(arguments))
  }

  /// Runs a program on the bench that was launched before.
  ///
  /// - Parameter launch: the launch, with the mode and the kind of time of this bench.
  /// - Returns: the exit status of the program, 128 + n if signal n ended it, 127 if there is no
  ///   such program, 126 if it cannot be run, and 69 instead of 0 if a part that is a program failed.
  /// - Throws: `Failure` of kind unavailable if the interposer does not work on this machine.
  package func run(_ launch: ProgramLaunch) throws(Failure) -> Int32 {
    buses.atStart.forEach(report)
    // The time to assemble a large bench does not count.
    buses.live?.begin()
    do throws(InterposerError) {
      let status = try interposer.run(launch) { notice in
        report(.notice(RunEvent.Notice(notice, at: buses.clock.nanoseconds)))
      }
      let time = buses.clock.nanoseconds
      buses.atEnd(time).forEach(report)
      // A reader that tolerates a part without an answer did not run on the bench of the rig.
      let ending = status == 0 ? buses.programFailure()?.exitStatus ?? 0 : status
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
    let screens = displays.map { display in
      RunEvent.screen(
        RunEvent.Screen(
          time: time, bus: display.bus, address: display.panel.address,
          isLit: display.panel.isLit, pixels: display.panel.pixels))
    }
    return faults + boards + charges + screens
  }
}

/// Lets the reader of a program's output control whether its virtual time advances.
///
/// When all programs sleep, a mark is written to their output, after everything that they have
/// printed, and then a response is read from a socket. The reader can thus stop the programs at a
/// virtual time that does not depend on the speed of the reader or of the programs.
package enum StepMark {
  /// The beginning of a mark: an application program command (APC, ECMA-48), which terminals do not
  /// display.
  package static let prefix: [UInt8] = Array("\u{1B}_aneroid ".utf8)
  /// The end of a mark, which follows the virtual time in nanoseconds, in decimal.
  package static let suffix: [UInt8] = Array("\u{1B}\\".utf8)

  /// Creates the mark of a virtual time, in nanoseconds.
  package static func bytes(at time: UInt64) -> [UInt8] { prefix + Array("\(time)".utf8) + suffix }

  /// Creates a function that requests permission to advance the time, and waits for the response.
  ///
  /// - Parameter socket: the socket from which responses are read. A byte permits the advance; an
  ///   end of file does not. Programs do not inherit the socket.
  /// - Returns: the function; it returns whether the time may advance.
  package static func request(over socket: Int32) -> (UInt64) -> Bool {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return { request(over: socket, at: $0) }
  }

  private static func request(over socket: Int32, at time: UInt64) -> Bool {
    guard writeAll(bytes(at: time), to: STDOUT_FILENO) == 0 else { return false }
    var response: UInt8 = 0
    while true {
      let count = read(socket, &response, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1
    }
  }
}
