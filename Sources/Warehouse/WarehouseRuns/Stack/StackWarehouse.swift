import Files
import Text
import Warehouse

/// A warehouse over a Bluetooth stack: what programs are to be started with, and the judge of what they deliver.
///
/// It knows no clock and starts no program: who runs it tells it what arrived and when. It is confined to one thread.
public final class StackWarehouse {
  /// What a file is.
  public enum Reading {
    /// A warehouse over a stack.
    case stack(StackWarehouse)
    /// One in virtual time.
    case air(AirWarehouse)
    /// None, which has been said; the exit status.
    case failed(Int32)
  }

  /// What was delivered.
  public struct Delivery: Sendable {
    /// How many readings stand on the hub's disk.
    public var written = 0
    /// How many records of all kinds stand there, how many of them arrived, and how many arrived again.
    public var records = 0, delivered = 0, repeats = 0
    /// How many data tags told that do not stand there.
    public var unwritten = 0
    /// Whether each reading on the hub's disk arrived as it was, and none besides.
    public var isExact = false

    /// Nothing.
    public init() {}
  }

  /// What it is to do.
  public let plan: StackPlan
  /// The hub's name.
  public let hub: String
  private var rig: WarehouseRig
  private var record: RunRecord
  private let names: [String: String]
  private let tell: (WarehouseEvent) -> Void
  private var heard: Set<String> = []
  private var early: [AlarmEntry] = []
  private var hasBegun = false

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: the file; `-` for standard input, which is read once.
  ///   - seed: instead of that of the file; `nil` for that.
  ///   - format: how it is told.
  ///   - write: takes what goes to the standard output.
  ///   - complain: takes messages, a line each.
  /// - Returns: what the file is.
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
    tell = lines.take
    end = lines.end
    names = Dictionary(
      rig.policy.tags.map { ($0.address, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  private let end: () -> Void

  /// The file of the hub.
  ///
  /// - Parameters:
  ///   - transport: its radio, as Bumble names transports.
  ///   - broker: the port of its broker on this machine.
  /// - Returns: its text.
  public func hubFile(transport: String, broker: Int) -> String {
    HubFileText(rig: rig, transport: transport, broker: broker).text
  }

  /// Whether each tag has been heard.
  public var isComplete: Bool { heard.count == plan.tags.count }

  /// The names of tags that have not been heard.
  public var unheard: [String] {
    rig.policy.tags.filter { !heard.contains($0.address) }.map(\.name)
  }

  /// The start of the run: what is heard from now on is judged.
  ///
  /// - Parameter time: nanoseconds since 1970.
  public func begin(at time: Int64) {
    rig.start = time
    record = RunRecord(rig)
    hasBegun = true
    say(
      .rig, [("name", .string(rig.name)), ("seed", .integer(rig.seed))],
      "\(rig.name): \("tag".counted(rig.tags.count)) over Bluetooth, seed \(rig.seed)")
    for entry in early { take(entry) }
  }

  /// Takes a record of the hub as it arrived, in the order of their sequences.
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
    if let event = WarehouseEvent(entry, record.book, names: names, start: rig.start) {
      tell(event)
    }
  }

  /// The connection with a tag is lost.
  ///
  /// - Parameter tag: its place in the plan.
  public func lost(tag: Int) { record.articleLoses(rig.tags[tag].expected.address) }

  /// What became of a program.
  public enum ProgramState: String, Hashable, Sendable {
    /// It was killed, cannot be reached, or is there again.
    case killed, away, there
  }

  /// A program was killed, is away, or is there again.
  ///
  /// - Parameters:
  ///   - name: which.
  ///   - state: what became of it.
  ///   - time: when, in nanoseconds since the start.
  public func program(_ name: String, is state: ProgramState, at time: Int64) {
    if state == .killed {
      record.kills += 1
      if name != "broker" { record.articleLosesAll() }
    }
    tell(
      WarehouseEvent(
        kind: .program, time: time,
        fields: [("program", .string(name)), ("is", .string(state.rawValue))],
        line: state == .killed ? "killed: the \(name)" : "the \(name) is \(state.rawValue)"))
  }

  /// Judges the run.
  ///
  /// - Returns: whether all expectations were met.
  public func finish(_ delivery: Delivery) -> Bool {
    record.unwritten = delivery.unwritten
    record.finish(
      RunRecord.Delivery(
        written: delivery.written, records: delivery.records, delivered: delivery.delivered,
        repeats: delivery.repeats, lost: 0, isExact: delivery.isExact), end: plan.duration)
    let passed = WarehouseJudge(rig, record).tell { say($0, $1, $2) }
    end()
    return passed
  }

  private func say(
    _ kind: WarehouseEvent.Kind, _ fields: [(key: String, value: JSONValue)], _ line: String
  ) {
    let time = kind == .rig ? 0 : plan.duration
    tell(WarehouseEvent(kind: kind, time: time, fields: fields, line: line))
  }
}
