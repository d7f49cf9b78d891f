import Environment
import Support
import Warehouse

/// A warehouse run over a Bluetooth stack; this class configures the programs of the run and
/// evaluates their results.
///
/// The class reads no clock and starts no programs; the caller reports what arrived and when. An
/// instance may be used by only one thread.
public final class StackWarehouse {
  /// The result of reading a rig file.
  public enum Reading {
    /// The file describes a warehouse that runs over a Bluetooth stack.
    case stack(StackWarehouse)
    /// The file describes a warehouse that runs in virtual time.
    case air(AirWarehouse)
    /// The file is invalid and its errors have been reported; the value is the exit status.
    case failed(Int32)
  }

  /// The delivery results of a run.
  public struct Delivery: Sendable {
    /// The number of readings on the hub's disk.
    public var written = 0
    /// The numbers of records on the hub's disk, of delivered records, and of duplicates.
    public var records = 0, delivered = 0, repeats = 0
    /// The number of notifications whose values are not on the hub's disk.
    public var unwritten = 0
    /// `true` if the hub's disk contains exactly the notified readings and each one arrived
    /// unchanged.
    public var isExact = false

    /// Creates results in which every count is 0.
    public init() {}
  }

  /// The scheduled actions and the tags of the run.
  public let plan: StackPlan
  /// The name of the hub.
  public let hub: String
  private var rig: WarehouseRig
  private var record: RunRecord
  private let names: [String: String]
  private let report: (WarehouseEvent) -> Void
  private var heard: Set<String> = []
  private var early: [AlarmEntry] = []
  private var hasBegun = false

  /// Reads the rig file of a warehouse.
  ///
  /// - Parameters:
  ///   - path: The path of the file; `-` for standard input.
  ///   - seed: The seed; `nil` to use the seed in the file.
  ///   - format: The output format.
  ///   - write: The function that receives the standard output.
  ///   - complain: The function that receives messages, one line each.
  /// - Returns: The warehouse, or the exit status if the file is invalid.
  public static func read(
    path: String, seed: UInt64?, format: WarehouseFormat,
    write: @escaping (String) -> Void, complain: (String) -> Void
  ) -> Reading {
    do throws(Failure) {
      var rig = try WarehouseRig(path: path)
      if let seed { rig.seed = seed }
      let lines = EventLines(format, write)
      return rig.isOnStack
        ? .stack(StackWarehouse(rig, lines)) : .air(AirWarehouse(rig: rig, lines: lines))
    } catch {
      for message in error.messages { complain(message) }
      return .failed(error.exitStatus)
    }
  }

  private init(_ rig: WarehouseRig, _ lines: EventLines) {
    self.rig = rig
    plan = StackPlan(rig)
    record = RunRecord(rig)
    hub = rig.policy.hub
    report = lines.take
    end = lines.end
    names = Dictionary(
      rig.policy.tags.map { ($0.address, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  private let end: () -> Void

  /// Returns the configuration file for the hub of this run.
  ///
  /// - Parameters:
  ///   - transport: The Bumble transport of the hub's radio.
  ///   - broker: The port of the broker on this machine.
  /// - Returns: The text of the file.
  public func hubFile(transport: String, broker: Int) -> String {
    HubFileText(rig: rig, transport: transport, broker: broker).text
  }

  /// `true` once at least one reading from every tag has arrived.
  public var isComplete: Bool { heard.count == plan.tags.count }

  /// The names of the tags from which no reading has arrived.
  public var unheard: [String] {
    rig.policy.tags.filter { !heard.contains($0.address) }.map(\.name)
  }

  /// Starts the evaluation; readings that arrived earlier are ignored.
  ///
  /// - Parameter time: The start in nanoseconds since 1970.
  public func begin(at time: Int64) {
    rig.start = time
    record = RunRecord(rig)
    hasBegun = true
    say(
      .rig, [("name", .string(rig.name)), ("seed", .integer(rig.seed))],
      "\(rig.name): \("tag".counted(rig.tags.count)) over Bluetooth, seed \(rig.seed)")
    for entry in early { take(entry) }
  }

  /// Processes a delivered record; the caller passes records in the order of their sequence
  /// numbers.
  public func take(record line: String) {
    guard let value = JSONValue(reading: Array(line.utf8)) else { return }
    switch value["kind"]?.text {
    case "reading":
      guard var reading = TagReading(json: line) else { return }
      reading.kind = value["model"]?.text ?? ""
      heard.insert(reading.tag)
      guard hasBegun, reading.time >= rig.start else { return }
      record.advance(to: reading.time)
      record.take(reading)
    case "alarm":
      guard let entry = AlarmEntry(json: line) else { return }
      if hasBegun { take(entry) } else { early.append(entry) }
    default: break
    }
  }

  private func take(_ entry: AlarmEntry) {
    record.take(entry)
    if let event = WarehouseEvent(entry, record.alarmState, names: names, start: rig.start) {
      report(event)
    }
  }

  /// Notes that the connection with a tag was lost.
  ///
  /// - Parameter tag: The index of the tag in the plan.
  public func lost(tag: Int) { record.articleLoses(rig.tags[tag].expected.address) }

  /// The state of a program.
  public enum ProgramState: String, Hashable, Sendable {
    /// The program was killed, has become unreachable, or is available again.
    case killed, away, there

    /// Returns a line of text that reports this state of a program.
    fileprivate func line(of program: String) -> String {
      switch self {
      case .killed: "killed: the \(program)"
      case .away: "the \(program) is unreachable"
      case .there: "the \(program) is available"
      }
    }
  }

  /// Reports a change of a program's state.
  ///
  /// - Parameters:
  ///   - name: The name of the program.
  ///   - state: The new state.
  ///   - time: The time in nanoseconds since the start.
  public func program(_ name: String, is state: ProgramState, at time: Int64) {
    if state == .killed {
      record.kills += 1
      if name != "broker" { record.articleLosesAll() }
    }
    report(
      WarehouseEvent(
        kind: .program, time: time,
        fields: [("program", .string(name)), ("is", .string(state.rawValue))],
        line: state.line(of: name)))
  }

  /// Evaluates the expectations at the end of the run.
  ///
  /// - Returns: `true` if all expectations were met.
  public func finish(_ delivery: Delivery) -> Bool {
    record.unwritten = delivery.unwritten
    record.finish(
      RunRecord.Delivery(
        written: delivery.written, records: delivery.records, delivered: delivery.delivered,
        repeats: delivery.repeats, lost: 0, isExact: delivery.isExact), end: plan.duration)
    let passed = WarehouseJudge(rig, record).report { say($0, $1, $2) }
    end()
    return passed
  }

  private func say(
    _ kind: WarehouseEvent.Kind, _ fields: [(key: String, value: JSONValue)], _ line: String
  ) {
    let time = kind == .rig ? 0 : plan.duration
    report(WarehouseEvent(kind: kind, time: time, fields: fields, line: line))
  }
}

/// The ambient air of a tag, as the rig defines it.
public struct StackAir: Sendable {
  let course: WarehouseRig.Course
  let warmer, wetter: Double

  /// Returns the air at a time in nanoseconds since the start; for times before the start, returns
  /// the initial air.
  ///
  /// - Returns: The temperature in °C and the relative humidity in %.
  public func at(_ time: Int64) -> (celsius: Double, percent: Double) {
    let time = max(time, 0)
    return (
      course.temperature.value(at: time) + warmer,
      min(max(course.humidity.value(at: time) + wetter, 0), 100)
    )
  }
}

/// A warehouse, parsed from its file, that runs in virtual time.
public struct AirWarehouse {
  let rig: WarehouseRig
  let lines: EventLines

  /// Runs the warehouse.
  ///
  /// - Returns: The exit status: 0 if all expectations were met, 1 otherwise.
  public func run() -> Int32 {
    let passed = WarehouseRun(rig, report: lines.take).run()
    lines.end()
    return passed ? 0 : 1
  }
}

extension AirWarehouse {
  /// The scheduled actions and the tags, for simulating the tags over another radio.
  public var plan: StackPlan { StackPlan(rig) }
}
