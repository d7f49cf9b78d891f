package import Bridges
package import Chips
package import Environment
import Glibc
package import I2C
package import I2CTrace
import LinuxI2C
package import Parts
package import Rigs
package import Support
package import TraceTools
package import VirtualI2C

/// The assembled parts of a rig: clock, air, buses, adapters and virtual parts.
package final class Bench {
  /// One bus of a bench.
  package struct Bus {
    /// N in /dev/i2c-N.
    package let number: Int
    /// The adapter that drivers use.
    package let adapter: any I2CAdapter
    /// The adapter layer that counts the transfers on the bus.
    package let meter: TransferMeter
    /// The faults injected on the bus, with the number of times each has fired.
    package let faults: BusFaults
    /// The sensors on the bus, in the order of the rig file.
    package let sensors: [Sensor]
    /// The addresses that a kernel driver owns.
    package let boundAddresses: [I2CAddress]
    /// `true` for the bus of a real adapter, whose transfers take real time.
    package let isPhysical: Bool
    /// The Bluetooth board through which programs reach the bus; `nil` if there is none.
    package let board: Rig.Bridge.Assembly?
    /// The replayed trace; `nil` if the bus has devices.
    package let replay: Replay?
    /// The file of the replayed trace and the number that the bus has in it; `nil` if the bus has devices.
    package let trace: (file: String, bus: Int)?
    /// The bus frequency in Hz.
    package let frequency: UInt64

    /// The description of the bus for the header of a trace.
    package var traced: TraceHeader.Bus {
      TraceHeader.Bus(
        number: number, frequency: frequency,
        functionality: adapter.functionality, quirks: adapter.quirks)
    }

    /// Creates the same bus with an adapter that records each transfer.
    package func recorded(by recorder: TraceRecorder, _ clock: any I2CClock) -> Bus {
      Bus(
        number: number,
        adapter: TracingAdapter(adapter, bus: number, clock: clock, recorder: recorder),
        meter: meter, faults: faults, sensors: sensors, boundAddresses: boundAddresses,
        isPhysical: isPhysical, board: board, replay: replay, trace: trace, frequency: frequency)
    }
  }

  /// A virtual sensor on a bus.
  package struct Sensor {
    package let model: any PartModel
    package let part: any VirtualPart

    /// The bus address.
    package var address: I2CAddress { part.address }
  }

  /// A display on a bus.
  package struct Display {
    /// The number of the bus.
    package let bus: Int
    package let panel: VirtualSSD1306
  }

  /// The rig that the bench was assembled from.
  package let rig: Rig
  /// The clock that all buses of the bench share.
  package let clock: any I2CClock
  /// The air around the sensors; in a cabin, the air of the first module.
  package let air: any AirSource
  /// The air, if the run may change it; `nil` if it may not, and in a cabin.
  package let drivenAir: DrivenAir?
  /// The cabin, whose hatches can be moved; `nil` if the rig has no cabin.
  package let cabin: Cabin?
  /// The buses, in the order of the rig.
  package let buses: [Bus]
  /// The displays on the buses.
  package let displays: [Display]
  /// The index of each bus in `buses`, by bus number.
  private let indices: [Int: Int]
  /// The date at time 0 of the clock, in nanoseconds since 1970.
  package let startMoment: Int64
  /// The parts that are programs.
  private let programs: [any VirtualPart]

  /// Assembles the parts of a rig and switches their power on.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - trace: records every transfer. Default: no recording.
  /// - Throws: `Failure` if two devices have the same address, or an adapter or trace cannot be opened.
  package convenience init(_ rig: Rig, trace: TraceOutput? = nil) throws(Failure) {
    try self.init(rig, clock: rig.clock == .real ? WallClock() : VirtualClock(), trace: trace)
  }

  /// Assembles the parts of a rig on a given clock, which replaces the clock that the rig selects.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - clock: the clock.
  ///   - trace: records every transfer. Default: no recording.
  ///   - changesAir: whether the run may change the air. Default: `false`.
  /// - Throws: `Failure` if two devices have the same address, or an adapter or trace cannot be opened.
  package init(
    _ rig: Rig, clock: any I2CClock, trace: TraceOutput? = nil, changesAir: Bool = false
  ) throws(Failure) {
    try rig.checkPrograms()
    self.rig = rig
    let cabin = rig.environment.cabin()
    drivenAir = changesAir && cabin == nil ? DrivenAir(rig.environment.source()) : nil
    let air: any AirSource =
      cabin.map { CabinAir($0, module: 0) } ?? drivenAir ?? rig.environment.source()
    let buses: [Bus]
    (buses, displays) = try BenchAssembly(rig, clock, air, cabin).buses()
    let hasPrograms =
      rig.allowsPrograms
      && rig.buses.contains { bus in
        bus.devices.contains { $0.part.program != nil }
      }
    programs = hasPrograms ? buses.flatMap(\.sensors).map(\.part) : []
    if let failure = programs.lazy.compactMap(\.failure).first { throw failure }
    (self.clock, self.air, self.cabin) = (clock, air, cabin)
    let isVirtual = !(clock is WallClock || clock is LiveClock)
    let start = isVirtual ? rig.environment.start : MachineTime.sinceEpoch
    startMoment = start
    let recorder = try trace.map { trace throws(Failure) in
      try trace.begin(
        TraceHeader(
          rig, clock: isVirtual ? "virtual" : "real", start: start, buses: buses.map(\.traced)),
        reading: rig.files)
    }
    self.buses =
      recorder.map { recorder in buses.map { $0.recorded(by: recorder, clock) } } ?? buses
    indices = Dictionary(
      buses.indices.map { (buses[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The failure of a part that is a program; `nil` if there is none.
  package var programFailure: Failure? { programs.lazy.compactMap(\.failure).first }

  package func bus(_ number: Int) -> Bus? { indices[number].map { buses[$0] } }

  /// Returns the virtual sensor at a location; `nil` if there is none.
  package func sensor(at sensorID: Rig.SensorID) -> (any VirtualPart)? {
    bus(sensorID.bus)?.sensors.first { $0.address == sensorID.address }?.part
  }

  /// Returns the air around a sensor; in a cabin, the air of the sensor's module.
  package func air(at sensorID: Rig.SensorID) -> any AirSource {
    sensor(at: sensorID)?.air ?? air
  }
}

extension Rig.Bridge {
  /// A board with its connection and the adapter on the client side.
  package struct Assembly {
    package let adapter: any I2CAdapter
    package let board: any BridgeBoard
    package let link: SimulatedGATTLink
    fileprivate let radio: RadioBoard?

    /// The statistics of the Bluetooth stack; `nil` for a simulated link.
    package var frames: BoardRadios.Account? { radio?.account }
  }

  /// Connects a board to an adapter, so that programs access the adapter through the board.
  ///
  /// - Throws: `Failure` of kind unavailable if the Bluetooth stack of a ble link cannot be started.
  package func assembled(
    over adapter: any I2CAdapter, _ clock: any I2CClock, faults: FaultPlan, seed: UInt64
  ) throws(Failure) -> Assembly {
    let board = model.board(adapter, settings.limit)
    var radio: RadioBoard?
    if let radios { radio = try RadioBoard(board, model.profile, radios) }
    let link = SimulatedGATTLink(
      to: radio.map { $0 as any GATTServer } ?? board, clock: clock, options: self.link,
      faults: faults, seed: seed)
    board.battery = { [weak link] in link?.battery ?? 0 }
    return Assembly(
      adapter: model.client(link, clock, settings), board: board, link: link, radio: radio)
  }
}

extension TraceHeader {
  /// Creates the header of a trace that records the buses of a rig.
  init(_ rig: Rig, clock: String, start: Int64, buses: [Bus]) {
    self.init(
      generator: "aneroid \(Version.text)", clock: clock, seed: rig.seed,
      start: start == 0 ? nil : UTCTime.stamp(start), rigDigest: rig.digest, buses: buses,
      note: "rig \(rig.name)")
  }
}

/// An adapter that counts the transfers of another adapter.
package final class TransferMeter: ObservingAdapter {
  /// The number of transfers.
  package private(set) var transfers = 0
  /// The number of failed transfers.
  package private(set) var errors = 0

  /// Creates a meter on an adapter.
  package init(_ adapter: any I2CAdapter) { super.init(observing: adapter) }

  /// Counts a transfer.
  package override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    transfers += 1
    if error != nil { errors += 1 }
  }
}

/// An adapter that calls a closure after each transfer.
package final class NotifyingAdapter: ObservingAdapter {
  private let then: () -> Void

  package init(_ adapter: any I2CAdapter, then: @escaping () -> Void) {
    self.then = then
    super.init(observing: adapter)
  }

  /// Calls the closure.
  package override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    then()
  }
}

/// A clock in real time: nanoseconds since its creation.
package final class WallClock: I2CClock {
  private let start = MachineTime.monotonic()

  /// Creates a clock that starts at 0.
  package init() {}

  /// Nanoseconds since the creation of the clock.
  package var nanoseconds: UInt64 { MachineTime.monotonic() - start }

  /// Sleeps for a duration, even if signals interrupt the sleep.
  package func wait(nanoseconds: UInt64) {
    Self.sleep(until: MachineTime.monotonic() + nanoseconds)
  }

  /// Sleeps until a time of CLOCK_MONOTONIC, in nanoseconds.
  private static func sleep(until end: UInt64) {
    while sleepOnce(until: end) == EINTR {}
  }

  /// Sleeps until a time of CLOCK_MONOTONIC, in nanoseconds, or until a signal arrives.
  ///
  /// - Returns: 0, or EINTR after a signal.
  @discardableResult
  fileprivate static func sleepOnce(until end: UInt64) -> Int32 {
    var moment = timespec(
      tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil)
  }
}

/// A clock in real time for simulated buses whose programs do their own waiting.
///
/// A transfer is computed immediately, so the bus gets ahead of the wall clock by the time that the
/// bits of the transfer take. The caller must get its response only once the wall clock has caught
/// up: at `freeMoment`.
package final class LiveClock: I2CClock {
  private var start = MachineTime.monotonic()
  private let origin: UInt64
  private var ahead: UInt64 = 0

  /// Creates a clock that starts at a time.
  ///
  /// Default: 0.
  package init(nanoseconds: UInt64 = 0) {
    origin = nanoseconds
  }

  /// Restarts the clock from its initial time; called before the program starts.
  package func begin() { start = MachineTime.monotonic() }

  /// Nanoseconds since time 0; monotonic.
  package var nanoseconds: UInt64 { max(origin + (MachineTime.monotonic() - start), ahead) }

  /// Moves the bus ahead of the wall clock by a duration, and returns at once.
  package func wait(nanoseconds: UInt64) { ahead = self.nanoseconds + nanoseconds }

  /// The time at which the wall clock has caught up with the bus, in nanoseconds of CLOCK_MONOTONIC; it may be in the
  /// past.
  package var freeMoment: UInt64 { ahead > origin ? start + (ahead - origin) : start }

  /// Sleeps until the wall clock has caught up with the bus, or a signal arrives.
  package func settle() {
    guard freeMoment > MachineTime.monotonic() else { return }
    WallClock.sleepOnce(until: freeMoment)
  }
}
