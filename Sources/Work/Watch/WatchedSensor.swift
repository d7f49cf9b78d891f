import Barometry
package import Bench
package import Environment
package import Files
package import I2C
import Parts
import Quantities
import Rigs
package import Runs
package import TraceTools

/// A sensor that a watch reads: of a rig, of a trace or a real one.
package final class WatchedSensor {
  private let bus: OpenBus
  private let driver: any SensorDriver
  private var isStarted = false

  /// What names it.
  package let name: String
  /// Whether its time stands still unless somebody waits.
  package let isVirtual: Bool
  /// What it is watched for unless somebody says: a leak where its rig has a cabin or a watch for leaks, else the weather.
  package var purpose: WatchState.Purpose {
    bus.rig?.environment.plan != nil || bus.rig?.pipeline?.leak != nil ? .cabin : .weather
  }
  /// Whether its moments are those of a calendar: of the machine, or of a rig whose air is dated.
  package var hasDate: Bool { !isVirtual || bus.rig.map { $0.environment.start != 0 } ?? false }
  /// The moment at which its time is 0, in nanoseconds since 1970.
  package let startMoment: Int64

  /// Opens the bus of a sensor.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - address: the sensor's, the first of the bus unless given.
  ///   - trace: records every transfer.
  /// - Throws: `Failure` when the bus cannot be used.
  package init(
    _ reference: BusReference, address: I2CAddress?, trace: TraceOutput? = nil
  ) throws(Failure) {
    bus = try OpenBus(reference, ReplayOptions(.model), trace: trace)
    var ranges = SampleRanges()
    driver = try bus.driver(at: address) { model in
      ranges = model.ranges
      return model.finestSettings
    }
    self.ranges = ranges
    name = "\(driver.address) on \(bus.rig?.name ?? bus.name)"
    isVirtual = bus.rig.map { $0.clock == .virtual } ?? (bus.replay == nil ? false : true)
    startMoment =
      isVirtual
      ? bus.rig?.firstMoment ?? Rig.defaultMoment
      : MachineTime.sinceEpoch - Int64(bus.clock.nanoseconds)
  }

  /// The cabin of its rig, and the module that it is in.
  package var cabin: (plan: CabinPlan, module: Int)? {
    guard let plan = bus.rig?.environment.plan else { return nil }
    let device = bus.rig?.buses.first { $0.number == bus.number }?.devices
      .first { $0.address == driver.address }
    return (plan, plan.modules.firstIndex { $0.name == device?.module } ?? 0)
  }

  /// The station of its rig, if its pipeline forecasts; else Zambretti's forecast is shown.
  ///
  /// - Parameter altitude: that of the sensor in m, if no rig states one.
  /// - Throws: `Failure` of kind usage if a rig states one.
  /// - Returns: the station, which has taken nothing yet.
  package func station(altitude: Double? = nil) throws(Failure) -> WatchStation {
    let pipeline = bus.rig?.pipeline
    if altitude != nil, let pipeline, pipeline.altitude != nil || !pipeline.forecasters.isEmpty {
      throw Failure(
        .usage,
        "--altitude: this rig's forecast is that of its pipeline; give it 'altitude: {from: 100m}'")
    }
    if let pipeline, !pipeline.forecasters.isEmpty {
      return WatchStation(pipeline, past: past(of: pipeline))
    }
    return WatchStation(
      altitude: pipeline?.altitude ?? altitude.map { Profile(constant: $0) })
  }

  /// The averages that a run of the rig has kept in its history file, which a watch only reads.
  private func past(of pipeline: Pipeline) -> [PressurePoint] {
    guard let bytes = pipeline.history.flatMap({ try? TextFile.bytes($0) }) else { return [] }
    var history = PressureHistory(retention: pipeline.retention)
    _ = history.recover(from: bytes.span, now: startMoment + Int64(bus.clock.nanoseconds))
    return history.points.map {
      PressurePoint(time: $0.time - startMoment, pascals: $0.pascals)
    }
  }

  /// Why nobody can name hatches of the cabin that it is in; `nil` where somebody can: around a real sensor.
  package var reasonAgainstHatches: String? {
    if cabin != nil { return "the rig's cabin has its own hatches" }
    if bus.air != nil { return "the air of this rig is simulated without a cabin" }
    return bus.replay != nil ? "of a recording no hatch can be moved" : nil
  }

  /// The pressures in Pa that it is specified for.
  package var specified: ClosedRange<Double>? { ranges.pressure }
  private let ranges: SampleRanges

  /// The pressure in Pa at which the crew of its rig leaves; `nil` where no rig says.
  package var limit: Double? { bus.rig?.pipeline?.leak?.limit }

  /// Below which reserve time in seconds the crew of its rig goes to its safe haven; ten minutes unless it says.
  package var haven: Double { Double(bus.rig?.pipeline?.leak?.haven ?? 600_000_000_000) / 1e9 }

  /// Lets the crew move a hatch of a virtual cabin now; what a plan would have moved stays as it is.
  package func perform(_ action: CabinPlan.Action?) {
    bus.cabin?.lead(from: bus.clock.nanoseconds)
    if let action { bus.cabin?.perform(action, at: bus.clock.nanoseconds) }
  }

  /// The time of the sensor in seconds.
  package var now: Double { Double(bus.clock.nanoseconds) / 1e9 }

  /// Lets virtual time pass until a time in nanoseconds.
  package func pass(until time: UInt64) {
    guard isVirtual, time > bus.clock.nanoseconds else { return }
    bus.clock.wait(nanoseconds: time - bus.clock.nanoseconds)
  }

  /// Lets virtual time pass; real time passes by itself.
  package func pass(seconds: Double) {
    if isVirtual { bus.clock.wait(nanoseconds: UInt64(seconds * 1e9)) }
  }

  /// Makes a measurement as finely as the part can without its filter.
  ///
  /// - Returns: what it says, or why there is nothing.
  package func next() -> RunEvent {
    do throws(SensorFailure) {
      if !isStarted {
        try driver.start()
        isStarted = true
      }
      let sample = try driver.sample()
      let time = bus.clock.nanoseconds
      return .reading(
        RunEvent.Reading(
          time: time, place: place, sample: sample, outside: ranges.outside(sample)))
    } catch {
      // Whatever it was, the part may have lost its settings.
      isStarted = false
      return .error(
        RunEvent.SensorError(
          time: bus.clock.nanoseconds, place: place, error: error, absence: bus.board?().absence))
    }
  }

  private var place: Rig.SensorID { Rig.SensorID(bus: bus.number, address: driver.address) }
}
