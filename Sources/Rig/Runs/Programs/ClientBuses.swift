import Bench
package import Bridges
import BusServers
import Environment
package import I2C
import I2CTrace
import LinuxI2C
import Parts
package import Rigs
package import Support
import TraceTools
import VirtualI2C

/// The buses of a rig, of a real adapter or of a trace, as foreign clients use them: programs with `exec`, kernels and
/// virtual machines with `serve`.
package struct ClientBuses {
  /// One bus, with the layers that log and judge what the clients do.
  package struct Bus {
    /// N in the `/dev/i2c-N` of programs.
    package let number: Int
    /// The name of the adapter.
    package let name: String
    /// The adapter that clients use.
    package let adapter: any I2CAdapter
    /// The addresses that a kernel driver owns.
    var boundAddresses: [I2CAddress] = []
    /// The names of the parts at their addresses.
    var boundNames: [I2CAddress: String] = [:]
    /// `true` for a real adapter, whose transfers take real time.
    var isPhysical = false
    /// The connection of the adapter; `nil` if it is never unplugged.
    var connection: AdapterConnection?
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

  /// The clock of all buses.
  package let clock: any I2CClock
  /// The clock in real time, which starts with the clients; `nil` for virtual time, for a real adapter and for a replay.
  let live: LiveClock?
  /// The buses, in the order of the rig.
  package let buses: [Bus]
  /// The events before the start of the clients.
  let atStart: [RunEvent]
  /// Creates the events to report after the clients have ended at the given time.
  let atEnd: (UInt64) -> [RunEvent]
  /// The cabin that the sensors are in; `nil` without a cabin.
  let cabin: Cabin?
  /// Returns the failure of a part that is a program; `nil` if there is none.
  let programFailure: () -> Failure?

  /// Assembles the parts of a rig.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - options: the options.
  ///   - report: receives the events during the run.
  /// - Throws: `Failure` if the rig cannot be assembled, or a bus number is unknown or used twice.
  package init(
    _ rig: Rig, _ options: ProgramBench.Options, report: @escaping (RunEvent) -> Void
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
    buses = zip(bench.buses, numbers).map { bus, number in
      var adapter: any I2CAdapter =
        bus.isPhysical
        ? bus.adapter
        : NotifyingAdapter(bus.adapter) { watch.look(at: clock.nanoseconds, bench) }
      if options.warnings, !bus.isPhysical {
        adapter = listeners.observing(adapter, of: bus, in: rig, node: number, clock)
      }
      return Bus(
        number: number, name: names[bus.number] ?? "",
        adapter: Self.logged(adapter, bus: number, clock, options),
        boundAddresses: bus.boundAddresses,
        boundNames: Dictionary(bus.sensors.map { ($0.address, $0.model.name) }) { one, _ in one },
        isPhysical: bus.isPhysical,
        connection: (bench.bus(rig.busesAbove(bus.number).last ?? bus.number) ?? bus).faults
          .connection(clock))
    }
    self.clock = clock
    self.live = live
    var reported = rig
    reported.clock = options.isTimeVirtual ? .virtual : .real
    atStart = [.began(reported, startMoment: bench.startMoment)]
    cabin = bench.cabin
    programFailure = { bench.programFailure }
    atEnd = { [listeners] time in
      bench.ending(at: time) + listeners.ending(at: time)
    }
  }

  /// Returns the name of each bus's adapter; that of a multiplexer's channel is as Linux's driver gives it.
  private static func names(
    of bench: Bench, in rig: Rig, _ options: ProgramBench.Options
  ) -> [Int: String] {
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
    of bench: Bench, in rig: Rig, _ options: ProgramBench.Options
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

  /// Opens a real adapter, whose transfers are observed.
  ///
  /// - Parameters:
  ///   - text: the path or the name of the adapter.
  ///   - number: N of the `/dev/i2c-N` that programs use.
  ///   - options: the options.
  /// - Throws: `Failure` if the adapter cannot be opened.
  package init(
    adapter text: String, number: Int, _ options: ProgramBench.Options
  ) throws(Failure) {
    if let failure = BusReference.unknown(text) { throw failure }
    let real = try RealAdapter(text)
    let clock = WallClock()
    let faults = try BusFaults(options.faults, on: number)
    var adapter = faults.over(real.adapter, clock)
    if let trace = options.trace {
      adapter = try trace.recording(adapter, number: number, clock, name: real.path)
    }
    buses = [
      Bus(
        number: number, name: "aneroid pass-through of \(real.path.visible)",
        adapter: Self.logged(adapter, bus: number, clock, options),
        boundAddresses: real.boundAddresses, isPhysical: true,
        connection: faults.connection(clock))
    ]
    self.clock = clock
    live = nil
    atStart = []
    atEnd = { time in faults.faults.map { .fault(RunEvent.FaultReport(time: time, fault: $0)) } }
    programFailure = { nil }
    cabin = nil
  }

  /// Opens a bus of a trace for replay.
  ///
  /// - Parameters:
  ///   - file: the trace.
  ///   - traced: the number of the bus in the trace; `nil` for the only bus in it.
  ///   - number: N of the `/dev/i2c-N` that programs use; `nil` for the number in the trace.
  ///   - options: the options.
  /// - Throws: `Failure` if the trace cannot be used.
  package init(
    trace file: String, bus traced: Int?, number: Int?, _ options: ProgramBench.Options
  ) throws(Failure) {
    // For a model, time also advances between transfers; for a replay, it jumps from one transfer
    // to the next.
    let live =
      options.replay.mode == .model && !options.isTimeVirtual
      ? LiveClock(nanoseconds: Self.powerOnLead) : nil
    // Power-on is before the start of the program, as on the buses of a rig.
    let model: (any I2CClock)? =
      options.replay.mode == .model
      ? live as (any I2CClock)? ?? VirtualClock(nanoseconds: Self.powerOnLead) : nil
    let replayed = try ReplayedBus(file, number: traced, options.replay, clock: model)
    let shown = number ?? replayed.number
    let faults = try BusFaults(options.faults, on: shown)
    let faulty = faults.over(replayed.adapter, replayed.clock)
    buses = [
      Bus(
        number: shown, name: "aneroid replay of \(file.visible)",
        adapter: Self.logged(faulty, bus: shown, replayed.clock, options),
        connection: faults.connection(replayed.clock))
    ]
    clock = replayed.clock
    self.live = live
    atStart = []
    atEnd = { time in
      let notices = (replayed.replay?.report(file) ?? []).map {
        RunEvent.notice(RunEvent.Notice(time: time, subject: .replay, text: $0))
      }
      return faults.faults.map { .fault(RunEvent.FaultReport(time: time, fault: $0)) } + notices
    }
    programFailure = { nil }
    cabin = nil
  }

  /// Wraps an adapter so that its transfers are logged; returns it unchanged without a log.
  private static func logged(
    _ adapter: any I2CAdapter, bus: Int, _ clock: any I2CClock, _ options: ProgramBench.Options
  ) -> any I2CAdapter {
    guard let log = options.log else { return adapter }
    return ObservedAdapter(adapter, bus: bus, clock: clock) { log($0.logged) }
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

/// A bench of which one bus is served to clients outside this machine's kernel: virtual machines, kernels and clients of
/// boards.
package final class ServedBench {
  /// The transports through which clients reach the bus; at least one.
  package struct Transports: Hashable, Sendable {
    /// The path of a socket for QEMU's device usb-redir.
    package var usbRedirection: String?
    /// The loopback address and port for USB/IP.
    package var usbip: String?
    /// The path of a socket for QEMU's device vhost-user-i2c-pci.
    package var vhostUser: String?
    /// The path of a link to the serial port of a board with Firmata.
    package var firmata: String?
    /// The board of a bridge on the air, and its radio: a Bumble transport, or `air:` and one.
    package var bridge: Bridge?

    package init() {}

    /// `true` without a transport.
    package var isEmpty: Bool { self == Transports() }
  }

  /// A board on the air and its radio.
  package struct Bridge: Hashable, Sendable {
    package let model: BoardModel
    package let radio: String

    package init(_ model: BoardModel, radio: String) { (self.model, self.radio) = (model, radio) }

    /// The name of the adapter with which a client on a virtual radio or another computer reaches the board.
    package var clientName: String {
      let name = "\(model.name):ble"
      guard radio.hasPrefix(BridgePort.airPrefix) else { return name }
      return name + "@"
        + radio.dropFirst(BridgePort.airPrefix.utf8.count).replacing("-server:", with: "-client:")
    }
  }

  /// Where clients find an opened transport.
  package enum Access: Hashable, Sendable {
    case usbRedirection(path: String)
    case usbip(address: String, port: UInt16)
    case vhostUser(path: String)
    case firmata(path: String)
    case bridge(Bridge)
  }

  /// Where clients find the transports.
  package let accesses: [Access]

  private let buses: ClientBuses
  private let server: BusServer
  private let limit: UInt64?
  private let report: (RunEvent) -> Void

  /// Opens the transports of a bus.
  ///
  /// - Parameters:
  ///   - buses: the buses of the bench.
  ///   - number: the number of the bus; `nil` for the only one.
  ///   - transports: the transports.
  ///   - limit: the time after which serving ends, in nanoseconds; `nil` for none.
  ///   - report: receives each event.
  /// - Throws: `Failure` if there is no such bus or a transport cannot be opened.
  package init(
    _ buses: ClientBuses, number: Int?, _ transports: Transports, limit: UInt64?,
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    let bus = try Self.bus(number, of: buses)
    let (clock, live) = (buses.clock, buses.live)
    let served = ServedBus(bus.adapter, clock, settle: { live?.settle() })
    let notices = RepeatedNotices { text in
      report(.notice(RunEvent.Notice(time: clock.nanoseconds, subject: .client, text: text)))
    }
    var opened: [any BusTransport] = []
    var accesses: [Access] = []
    do throws(Failure) {
      if let path = transports.usbRedirection {
        let listener = try SocketListener(path: path)
        opened.append(StreamServer.usbRedirection(listener, served, notice: notices.take))
        accesses.append(.usbRedirection(path: path))
      }
      if let address = transports.usbip {
        let listener = try SocketListener(loopback: address, option: "--usbip")
        opened.append(StreamServer.usbip(listener, served, notice: notices.take))
        let host = address.prefix { $0 != ":" }
        accesses.append(.usbip(address: String(host), port: listener.port))
      }
      if let path = transports.vhostUser {
        opened.append(VhostUser(try SocketListener(path: path), served, notice: notices.take))
        accesses.append(.vhostUser(path: path))
      }
      if let path = transports.firmata {
        opened.append(try FirmataPort(path: path, served, notice: notices.take))
        accesses.append(.firmata(path: path))
      }
      if let bridge = transports.bridge {
        opened.append(
          try BridgePort(bridge.model, radio: bridge.radio, served, notice: notices.take))
        accesses.append(.bridge(bridge))
      }
    } catch {
      for transport in opened { transport.close() }
      throw error
    }
    self.buses = buses
    self.accesses = accesses
    self.limit = limit
    self.report = report
    server = BusServer(
      served, opened, connection: bus.connection,
      didChange: { change in
        let text = "the adapter \(change.predicate)"
        report(.notice(RunEvent.Notice(time: change.time, subject: .connection, text: text)))
      }, notices: notices)
  }

  private static func bus(
    _ number: Int?, of buses: ClientBuses
  ) throws(Failure) -> ClientBuses.Bus {
    let numbers = buses.buses.map(\.number)
    let list = numbers.lazy.map(String.init).shortened
    guard let wanted = number ?? (numbers.count == 1 ? numbers[0] : nil) else {
      throw Failure(
        .unavailable,
        "the rig has several buses, \(list); select one, for example --number \(numbers[0])")
    }
    if let bus = buses.buses.first(where: { $0.number == wanted }) { return bus }
    throw Failure(.unavailable, "unknown bus '\(wanted)' (accepted: \(list))")
  }

  /// Ends the transports without serving clients.
  package func close() { server.close() }

  /// Serves clients until the time limit is reached, or until `isInterrupted` returns `true`.
  ///
  /// - Returns: the exit status: 0, or 69 if a transport or a part that is a program failed.
  package func run(until isInterrupted: () -> Bool) -> Int32 {
    buses.atStart.forEach(report)
    // The time to assemble a large bench does not count.
    buses.live?.begin()
    let end = limit.map { MachineTime.monotonic() + $0 }
    let isWhole = server.run {
      isInterrupted() || end.map { MachineTime.monotonic() >= $0 } ?? false
    }
    let time = buses.clock.nanoseconds
    buses.atEnd(time).forEach(report)
    let failed = isWhole ? 0 : Failure.Kind.unavailable.rawValue
    let status = buses.programFailure()?.exitStatus ?? failed
    report(.ended(RunEvent.ProgramEnd(time: time, status: status)))
    return status
  }
}
