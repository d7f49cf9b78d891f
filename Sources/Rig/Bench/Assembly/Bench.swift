import Chips
package import Environment
package import Files
package import I2C
package import I2CTrace
import LinuxI2C
package import Parts
package import Rigs
import Text
package import TraceTools
import VirtualI2C

/// The parts of a rig, put together: the only place where parts are chosen.
package final class Bench {
  /// One bus of a bench.
  package struct Bus {
    /// N in /dev/i2c-N.
    package let number: Int
    /// The adapter that drivers use.
    package let adapter: any I2CAdapter
    /// The count of what went through it.
    package let meter: TransferMeter
    /// What is planned to fail on it, and what has.
    package let faults: BusFaults
    /// The sensors on it, in the order of the rig.
    package let sensors: [Sensor]
    /// The addresses that a kernel driver owns.
    package let boundAddresses: [I2CAddress]
    /// Whether it is a real adapter, whose transfers take real time.
    package let isPhysical: Bool
    /// The board between it and the program, if there is one.
    package let board: Rig.Bridge.Assembly?
    /// The trace that answers on it, if one does.
    package let replay: Replay?
    /// That trace's file, and N of its bus there.
    package let trace: (file: String, bus: Int)?
    /// The bus frequency in Hz.
    package let frequency: UInt64

    /// The bus as a trace names it.
    package var traced: TraceHeader.Bus {
      TraceHeader.Bus(
        number: number, frequency: frequency,
        functionality: adapter.functionality, quirks: adapter.quirks)
    }

    /// The same bus, each transfer recorded.
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
    /// Which part it is.
    package let model: any PartModel
    /// The part.
    package let part: any VirtualPart

    /// Where it answers.
    package var address: I2CAddress { part.address }
  }

  /// What the bench was made of.
  package let rig: Rig
  /// The time of all its buses.
  package let clock: any I2CClock
  /// The air around its sensors.
  package let air: any AirSource
  /// The cabin, whose hatches a crew may move; `nil` in other air.
  package let cabin: Cabin?
  /// The buses, in the order of the rig.
  package let buses: [Bus]
  /// Where each bus stands among them, by its number.
  private let places: [Int: Int]
  /// The moment at which its time is 0, in nanoseconds since 1970.
  package let startMoment: Int64

  /// Puts the parts of a rig together and switches power on.
  ///
  /// - Parameters:
  ///   - rig: what is on the bench.
  ///   - trace: records every transfer.
  /// - Throws: `Failure` when two devices answer to one address.
  package convenience init(_ rig: Rig, trace: TraceOutput? = nil) throws(Failure) {
    try self.init(rig, clock: rig.clock == .real ? WallClock() : VirtualClock(), trace: trace)
  }

  /// Puts the parts of a rig together on a clock, whatever the rig says of time.
  ///
  /// - Parameters:
  ///   - rig: what is on the bench.
  ///   - clock: its time.
  ///   - trace: records every transfer.
  /// - Throws: `Failure` when two devices answer to one address.
  package init(
    _ rig: Rig, clock: any I2CClock, trace: TraceOutput? = nil
  ) throws(Failure) {
    self.rig = rig
    let cabin = rig.environment.cabin()
    let air = cabin.map { CabinAir($0, module: 0) } ?? rig.environment.source()
    var buses: [Bus] = []
    for bus in rig.buses {
      buses.append(try Self.assemble(bus, of: rig, clock, air, cabin))
    }
    self.clock = clock
    self.air = air
    self.cabin = cabin
    let isVirtual = !(clock is WallClock || clock is LiveClock)
    let start = isVirtual ? rig.environment.start : MachineTime.sinceEpoch
    startMoment = start
    if let trace {
      let recorder = try trace.begin(
        TraceHeader(
          rig, clock: isVirtual ? "virtual" : "real", start: start, buses: buses.map(\.traced)),
        reading: rig.files)
      buses = buses.map { $0.recorded(by: recorder, clock) }
    }
    self.buses = buses
    places = Dictionary(
      buses.indices.map { (buses[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The bus with a number.
  package func bus(_ number: Int) -> Bus? { places[number].map { buses[$0] } }

  /// The sensor at a place.
  package func sensor(at place: Rig.SensorID) -> (any VirtualPart)? {
    bus(place.bus)?.sensors.first { $0.address == place.address }?.part
  }

  /// The air around a sensor.
  package func air(at place: Rig.SensorID) -> any AirSource {
    sensor(at: place)?.air ?? air
  }

  private static func assemble(
    _ bus: Rig.Bus, of rig: Rig, _ clock: any I2CClock, _ air: any AirSource, _ cabin: Cabin?
  ) throws(Failure) -> Bus {
    let faults = BusFaults(rig.faults, on: bus.number, seed: rig.seed)
    switch bus.source {
    case .devices: break
    case .physical(let path):
      let meter = TransferMeter(faults.over(try LinuxI2CAdapter.opened(path), clock))
      return Bus(
        number: bus.number, adapter: meter, meter: meter, faults: faults, sensors: [],
        boundAddresses: [], isPhysical: true, board: nil, replay: nil, trace: nil, frequency: 0)
    case .trace(let file, let options):
      let header = try TraceInput(file).header
      let isNamed = header.buses.contains { $0.number == bus.number }
      let replayed = try ReplayedBus(
        file, number: isNamed ? bus.number : nil, options, clock: clock)
      let meter = TransferMeter(faults.over(replayed.adapter, clock))
      return Bus(
        number: bus.number, adapter: meter, meter: meter, faults: faults,
        sensors: replayed.sensors.map { Sensor(model: $0.model, part: $0.part) },
        boundAddresses: [], isPhysical: false, board: nil,
        replay: replayed.replay, trace: (file, replayed.number),
        frequency: header.buses.first { $0.number == replayed.number }?.frequency ?? 0)
    }
    let adapter = VirtualAdapter(
      clock: clock, frequency: bus.adapter.frequency, functionality: bus.adapter.functionality,
      quirks: bus.adapter.quirks, stretchLimit: bus.adapter.stretchLimit,
      errnoPolicy: bus.adapter.errnoPolicy, faults: faults.plan)
    var sensors: [Sensor] = []
    for device in bus.devices {
      let stream = UInt64(bus.number) << 16 | UInt64(device.address.rawValue)
      var chance = SeededGenerator(seed: rig.seed, stream: stream)
      let around = cabin.flatMap { cabin in
        cabin.plan.modules.firstIndex { $0.name == device.module }.map {
          CabinAir(cabin, module: $0)
        }
      }
      let sensor = device.part.poweredOn(
        at: device.address, in: around ?? air, seed: chance.next())
      do throws(VirtualAdapter.AttachError) {
        try adapter.attach(sensor)
      } catch {
        throw Failure(
          .badRig, "\(rig.file): two devices answer at \(device.address) on bus \(bus.number)")
      }
      sensors.append(Sensor(model: device.part.model, part: sensor))
    }
    let board = try bus.bridge.map { bridge throws(Failure) in
      try bridge.assembled(over: adapter, clock, faults: faults.plan, seed: rig.seed)
    }
    let meter = TransferMeter(board?.adapter ?? adapter)
    return Bus(
      number: bus.number, adapter: meter, meter: meter, faults: faults, sensors: sensors,
      boundAddresses: bus.devices.filter(\.isBound).map(\.address), isPhysical: false,
      board: board, replay: nil, trace: nil, frequency: bus.adapter.frequency)
  }
}
