import Barometry
package import Bench
package import Environment
package import I2C
import Parts
package import Quantities
package import Rigs
package import Runs
package import Support
package import TraceTools

/// The user's settings, which are saved between watches.
package struct WatchSettings: Hashable, Sendable {
  /// The layout of the screen.
  package enum Layout: String, CaseIterable, Sendable {
    /// The layout depends on the shape of the terminal.
    case automatic
    /// Numbers next to the graph.
    case wide
    /// Numbers above the graph.
    case tall
  }

  /// The number of decimals of displayed pressures.
  package var digits = 2
  /// The time span of the graph in seconds.
  package var scale = 300
  /// `true` if the graph scrolls continuously, `false` if it scrolls page by page.
  package var scrolls = true
  /// The layout of the screen.
  package var layout = Layout.automatic
  /// The symbol of the unit of pressure.
  package var unit = "mmHg"
  /// The sampling period in seconds.
  package var period = 1

  /// The available time spans in seconds.
  package static let scales = [60, 300, 1800, 7200, 10_800]
  /// The available sampling periods in seconds.
  package static let periods = [1, 2, 5, 10]

  package init() {}

  package var pressureUnit: PressureUnit {
    PressureUnit.allCases.first { "\($0.symbol)" == unit } ?? .millimetreOfMercury
  }

  /// Returns the next choice, cyclically.
  package static func next<Choice: Equatable>(_ choice: Choice, of choices: [Choice]) -> Choice {
    let index = choices.firstIndex(of: choice).map { ($0 + 1) % choices.count } ?? 0
    return choices[index]
  }

  // MARK: In a file

  /// Returns the path of the settings file, in XDG_CONFIG_HOME or ~/.config.
  ///
  /// Weather and cabin have separate files.
  package static func path(
    _ environment: [String: String], for purpose: WatchState.Purpose = .cabin
  ) -> String? {
    UserFolder.path("XDG_CONFIG_HOME", otherwise: ".config", environment)
      .map { "\($0)/aneroid/\(purpose == .cabin ? "watch" : "watch-weather").json" }
  }

  /// Reads the settings; uses defaults if the file is missing or invalid.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - purpose: the purpose; the default unit for weather is hPa.
  package init(path: String?, for purpose: WatchState.Purpose = .cabin) {
    let text = path.flatMap { try? TextFile.bytes($0) }
    self = text.flatMap { JSONValue(reading: $0) }.flatMap(WatchSettings.init) ?? WatchSettings()
    if text == nil, purpose == .weather {
      unit = "hPa"
      // Weather changes within five minutes are noise; its tendency is over three hours.
      scale = 10_800
    }
    digits = min(max(digits, 0), 4)
    if !Self.scales.contains(scale) { scale = 300 }
    if !Self.periods.contains(period) { period = 1 }
  }

  /// Parses the settings of a file; returns `nil` if one is missing or invalid.
  private init?(_ json: JSONValue) {
    guard let digits = json["digits"]?.whole(Int.self), let scale = json["scale"]?.whole(Int.self),
      let scrolls = json["scrolls"]?.boolean, let unit = json["unit"]?.text,
      let layout = json["layout"]?.text.flatMap(Layout.init(rawValue:)),
      let period = json["period"]?.whole(Int.self)
    else { return nil }
    (self.digits, self.scale, self.scrolls) = (digits, scale, scrolls)
    (self.layout, self.unit, self.period) = (layout, unit, period)
  }

  /// The settings as JSON.
  private var json: JSONValue {
    .object([
      ("digits", .integer(digits)), ("layout", .string(layout.rawValue)),
      ("period", .integer(period)), ("scale", .integer(scale)), ("scrolls", .bool(scrolls)),
      ("unit", .string(unit)),
    ])
  }

  /// Saves the settings.
  ///
  /// - Throws: `Failure` if they cannot be written.
  package func save(_ path: String) throws(Failure) {
    try? Folder.make(FilePath.folder(of: path))
    try OutputFile.write(json.compact + "\n", to: path)
  }
}

/// The last field of a row in a recording: the marks, which are notes on events, and the quantities
/// outside the sensor's specified range.
struct RecordedMark: Hashable {
  let mark: String
  /// The quantities outside the sensor's specified range.
  let outside: [Quantity]

  /// The marks in the first rows of a new measurement and of a resumed one; `WatchState.recall`
  /// interprets them.
  static let start = "start", resumed = "goes on"
  /// The mark in the first row of a run whose times are not later than those of the previous run.
  static let newRun = "new run"

  private static let head = "outside specification: "

  /// Creates the field of a row.
  init(_ mark: String, outside: [Quantity]) { (self.mark, self.outside) = (mark, outside) }

  /// Parses the field of a row.
  init(_ text: String) {
    var (words, outside): ([String], [Quantity]) = ([], [])
    for part in text.split(separator: ";").map({ $0.drop { $0 == " " } }) {
      guard part.hasPrefix(Self.head) else {
        words.append(String(part))
        continue
      }
      outside = part.dropFirst(Self.head.count).split(separator: " ").compactMap {
        Quantity(rawValue: String($0))
      }
    }
    self.init(words.joined(separator: "; "), outside: outside)
  }

  /// The field as text, without commas, which separate the fields of a row.
  var text: String {
    let names = outside.isEmpty ? "" : Self.head + outside.map(\.rawValue).joined(separator: " ")
    return [mark, names].filter { !$0.isEmpty }.joined(separator: "; ")
  }
}

/// Limits the drawing rate to ten per second, except after a key press.
package struct DrawingPace: Sendable {
  /// The minimum time between drawings in seconds.
  package static let interval = 0.1

  private var last: Double?
  private var isUrgent = true

  /// Creates a pace; the first drawing is due.
  package init() {}

  /// Makes the next drawing due immediately.
  package mutating func hurry() { isUrgent = true }

  /// Checks whether a drawing is due, and if so records it as done.
  ///
  /// - Parameter now: the time in seconds.
  /// - Returns: `true` if a drawing is due.
  package mutating func isDue(at now: Double) -> Bool {
    guard isUrgent || last.map({ now - $0 >= Self.interval }) ?? true else { return false }
    (last, isUrgent) = (now, false)
    return true
  }
}

/// The sensor of a watch: in a rig, in a trace, or real.
package final class WatchedSensor {
  private let bus: OpenBus
  private let driver: any SensorDriver
  private var isStarted = false

  package let name: String
  /// The name of the station for `aneroid ask`: that of the rig, or of the sensor without a rig.
  package var station: String { bus.rig?.name ?? name }
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
  ///   - rig: the rig to use instead of that of the reference. Default: none.
  /// - Throws: `Failure` if the bus cannot be used.
  package init(
    _ reference: BusReference, address: I2CAddress?, trace: TraceOutput? = nil,
    allowsPrograms: Bool = false, replacing rig: Rig? = nil
  ) throws(Failure) {
    let bus = try OpenBus(
      reference, ReplayOptions(.model), trace: trace, allowsPrograms: allowsPrograms,
      replacing: rig)
    self.bus = bus
    let source = bus.rig?.buses.first { $0.number == bus.number }?.source
    if case .trace(let file, let options)? = source, options.mode != .model {
      throw Failure(
        .usage,
        "bus \(bus.number) of \(bus.name) replays a trace transfer by transfer, which only 'aneroid run' follows",
        "'aneroid watch \(file)' watches the sensor of the trace")
    }
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

  /// The moves of the hatches so far, in order of time.
  package var operations: [CabinPlan.Operation] { bus.cabin?.plan.operations ?? [] }

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

  /// `true` if equal samples in sequence indicate a fault: not of a simulated sensor whose rig injects none.
  package var expectsNoise: Bool {
    bus.rig.map { $0.clock == .real || !$0.faults.isEmpty } ?? true
  }

  /// A sentence about a history file of the rig that cannot be used, or only in part; `nil` if there is none.
  package var historyNotice: String? {
    guard let path = bus.rig?.pipeline?.history, TextFile.exists(path) else { return nil }
    do throws(Failure) {
      let stored = try StoredHistory(path)
      guard case .damaged = stored.condition else { return nil }
      return "\(path) is damaged; \("pressure".counted(stored.records.count)) in it can be used. "
        + "'aneroid history repair' restores the file"
    } catch {
      return error.messages.joined(separator: "; ")
    }
  }

  /// The averages in the rig's history file, which a watch only reads.
  private func past(of pipeline: Pipeline) -> [PressurePoint] {
    guard let stored = pipeline.history.flatMap({ try? StoredHistory($0) }) else { return [] }
    var history = PressureHistory(retention: pipeline.retention)
    let now = startMoment + Int64(bus.clock.nanoseconds)
    for record in stored.records where record.point.time < now {
      try? history.append(record.point)
    }
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
