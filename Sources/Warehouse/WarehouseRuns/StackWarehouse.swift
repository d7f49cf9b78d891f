import Environment
import Files
import Text
import Warehouse

/// A warehouse run over a Bluetooth stack: the configuration of the programs, and the evaluation of their results.
///
/// It reads no clock and starts no program: the caller reports what arrived and when. It is confined to one thread.
public final class StackWarehouse {
  /// The kind of a file.
  public enum Reading {
    /// A warehouse that runs over a Bluetooth stack.
    case stack(StackWarehouse)
    /// A warehouse that runs in virtual time.
    case air(AirWarehouse)
    /// An invalid file whose errors have been reported; with the exit status.
    case failed(Int32)
  }

  /// The delivery results.
  public struct Delivery: Sendable {
    /// The number of readings on the hub's disk.
    public var written = 0
    /// The number of records on the hub's disk, of delivered records, and of duplicates.
    public var records = 0, delivered = 0, repeats = 0
    /// The number of notified values that are not on the hub's disk.
    public var unwritten = 0
    /// Whether the hub's disk has exactly the notified readings, and each arrived unchanged.
    public var isExact = false

    /// Creates empty results.
    public init() {}
  }

  /// The scheduled actions.
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

  /// Reads a rig.
  ///
  /// - Parameters:
  ///   - path: The path of the file; `-` for standard input.
  ///   - seed: The seed; `nil` for that of the file.
  ///   - format: The output format.
  ///   - write: Receives the standard output.
  ///   - complain: Receives messages, one line each.
  /// - Returns: The kind of the file.
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

  /// Returns the hub file.
  ///
  /// - Parameters:
  ///   - transport: The Bumble transport of the hub's radio.
  ///   - broker: The port of the broker on this machine.
  /// - Returns: The text of the file.
  public func hubFile(transport: String, broker: Int) -> String {
    HubFileText(rig: rig, transport: transport, broker: broker).text
  }

  /// Whether at least one reading of every tag has arrived.
  public var isComplete: Bool { heard.count == plan.tags.count }

  /// The names of tags without a reading.
  public var unheard: [String] {
    rig.policy.tags.filter { !heard.contains($0.address) }.map(\.name)
  }

  /// Starts the evaluation; earlier readings are ignored.
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

  /// Processes a delivered record; records are passed in the order of their sequence numbers.
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

  /// Handles the loss of the connection with a tag.
  ///
  /// - Parameter tag: The index of the tag in the plan.
  public func lost(tag: Int) { record.articleLoses(rig.tags[tag].expected.address) }

  /// The state of a program.
  public enum ProgramState: String, Hashable, Sendable {
    /// Killed, unreachable, or available again.
    case killed, away, there

    /// The state as a line of text.
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

  /// Evaluates the expectations.
  ///
  /// - Returns: Whether all expectations were met.
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

/// The ambient air of a tag.
public struct StackAir: Sendable {
  let course: WarehouseRig.Course
  let warmer, wetter: Double

  /// Returns the air at a time in nanoseconds since the start; before the start, the initial air.
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

/// A parsed warehouse for a run in virtual time.
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
  /// The scheduled actions and tags, for simulating them over another radio.
  public var plan: StackPlan { StackPlan(rig) }
}
