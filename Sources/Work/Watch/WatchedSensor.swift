import Barometry
package import Bench
package import Environment
package import I2C
import Parts
import Quantities
import Rigs
package import Runs
package import Support
package import TraceTools

/// The sensor of a watch: in a rig, in a trace, or real.
package final class WatchedSensor {
  private let bus: OpenBus
  private let driver: any SensorDriver
  private var isStarted = false

  package let name: String
  /// `true` if time is virtual and advances only while the watch waits.
  package let isVirtual: Bool
  /// The default purpose: cabin for a rig with a cabin or a leak watch, otherwise weather.
  package var purpose: WatchState.Purpose {
    bus.rig?.environment.plan != nil || bus.rig?.pipeline?.leak != nil ? .cabin : .weather
  }
  /// `true` if calendar times are known, from the machine or from a rig whose environment has a
  /// date.
  package var hasDate: Bool { !isVirtual || bus.rig.map { $0.environment.start != 0 } ?? false }
  /// The time in nanoseconds since 1970 at which the sensor's clock is 0.
  package let startMoment: Int64

  /// Opens the bus of a sensor.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - address: the address. Default: the first sensor found on the bus.
  ///   - trace: the file for the trace of all transfers.
  ///   - allowsPrograms: whether parts of a rig may be programs. Default: `false`.
  /// - Throws: `Failure` if the bus cannot be used.
  package init(
    _ reference: BusReference, address: I2CAddress?, trace: TraceOutput? = nil,
    allowsPrograms: Bool = false
  ) throws(Failure) {
    bus = try OpenBus(
      reference, ReplayOptions(.model), trace: trace, allowsPrograms: allowsPrograms)
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

  /// The cabin of the rig and the index of the sensor's module; `nil` if the rig has no cabin.
  package var cabin: (plan: CabinPlan, module: Int)? {
    guard let plan = bus.rig?.environment.plan else { return nil }
    let device = bus.rig?.buses.first { $0.number == bus.number }?.devices
      .first { $0.address == driver.address }
    return (plan, plan.modules.firstIndex { $0.name == device?.module } ?? 0)
  }

  /// Creates the station of the rig if its pipeline has forecasters, otherwise a station with
  /// Zambretti's forecast.
  ///
  /// - Parameter altitude: the altitude of the sensor in m, unless the rig specifies it.
  /// - Throws: `Failure` of kind usage if `altitude` is given and the rig specifies an altitude or
  ///   has forecasters.
  /// - Returns: the station, without samples.
  package func station(altitude: Double? = nil) throws(Failure) -> WatchStation {
    let pipeline = bus.rig?.pipeline
    if altitude != nil, let pipeline, pipeline.altitude != nil || !pipeline.forecasters.isEmpty {
      throw Failure(
        .usage,
        "--altitude: not possible with a rig that has forecasters; use the rig's key 'altitude: {from: 100m}'"
      )
    }
    if let pipeline, !pipeline.forecasters.isEmpty {
      return WatchStation(pipeline, past: past(of: pipeline))
    }
    return WatchStation(
      altitude: pipeline?.altitude ?? altitude.map { Profile(constant: $0) })
  }

  /// The averages in the rig's history file, which a watch only reads.
  private func past(of pipeline: Pipeline) -> [PressurePoint] {
    guard let bytes = pipeline.history.flatMap({ try? TextFile.bytes($0) }) else { return [] }
    var history = PressureHistory(retention: pipeline.retention)
    _ = history.recover(from: bytes.span, now: startMoment + Int64(bus.clock.nanoseconds))
    return history.points.map {
      PressurePoint(time: $0.time - startMoment, pascals: $0.pascals)
    }
  }

  /// The reason why the option `--hatches` cannot be used; `nil` if it can be used, as for a real
  /// sensor.
  package var reasonAgainstHatches: String? {
    if cabin != nil { return "the rig's cabin has its own hatches" }
    if bus.air != nil { return "the air of this rig is simulated without a cabin" }
    return bus.replay != nil ? "the bus is a replayed trace" : nil
  }

  /// The sensor's specified pressure range in Pa.
  package var specified: ClosedRange<Double>? { ranges.pressure }
  private let ranges: SampleRanges

  /// The evacuation pressure that the rig specifies, in Pa; `nil` if it specifies none.
  package var limit: Double? { bus.rig?.pipeline?.leak?.limit }

  /// The reserve time in seconds below which the crew is called to its safe haven; default: 10 min.
  package var haven: Double { Double(bus.rig?.pipeline?.leak?.haven ?? 600_000_000_000) / 1e9 }

  /// Moves a hatch of a virtual cabin now and cancels the rig's scheduled moves.
  package func perform(_ action: CabinPlan.Action?) {
    bus.cabin?.cancelHatchOperations(after: bus.clock.nanoseconds)
    if let action { bus.cabin?.perform(action, at: bus.clock.nanoseconds) }
  }

  /// The current time of the sensor's clock in seconds.
  package var now: Double { Double(bus.clock.nanoseconds) / 1e9 }

  /// Advances virtual time to a time in nanoseconds.
  package func pass(until time: UInt64) {
    guard isVirtual, time > bus.clock.nanoseconds else { return }
    bus.clock.wait(nanoseconds: time - bus.clock.nanoseconds)
  }

  /// Advances virtual time; real time passes by itself.
  package func pass(seconds: Double) {
    if isVirtual { bus.clock.wait(nanoseconds: UInt64(seconds * 1e9)) }
  }

  /// Takes a measurement at maximum resolution without the filter.
  ///
  /// - Returns: the reading, or the error.
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
          time: time, sensorID: sensorID, sample: sample, outside: ranges.outside(sample)))
    } catch {
      // After any error, the part may have lost its settings.
      isStarted = false
      return .error(
        RunEvent.SensorError(
          time: bus.clock.nanoseconds, sensorID: sensorID, error: error,
          absence: bus.board?().absence))
    }
  }

  private var sensorID: Rig.SensorID { Rig.SensorID(bus: bus.number, address: driver.address) }
}
