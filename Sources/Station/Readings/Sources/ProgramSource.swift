import Foundation

/// Readings that the command `aneroid` makes, from its events: those of a rig's run, of a rig's bus as time goes by, or
/// of a trace.
///
/// What runs in virtual time is over in a moment: its readings end now, and from then on they age as those of a sensor
/// that was lost. What follows the wall clock is read as it comes.
package struct ProgramSource: ReadingSource {
  package let kind: String
  package let replaces: Bool

  private let interval: Int
  private let pace = Pace()
  private let program: String
  private let arguments: [String]
  private let proof: [String]
  private let isLive: Bool
  private let now: @Sendable () -> Int
  private let report: @Sendable (String) -> Void

  /// How many readings of a run are kept at most, the last.
  static let most = 500_000
  /// How long a bus that was lost is left alone, in seconds.
  private static let rest = 10

  /// The command and what it tells of its end.
  package struct Command: Sendable {
    let program: String
    let now: @Sendable () -> Int
    let report: @Sendable (String) -> Void

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - program: the path of the command aneroid.
    ///   - now: the time, in seconds since 1970.
    ///   - report: is told how a run ended that failed.
    package init(
      program: String, now: @escaping @Sendable () -> Int,
      report: @escaping @Sendable (String) -> Void
    ) {
      (self.program, self.now, self.report) = (program, now, report)
    }
  }

  private init(
    _ command: Command, kind: String, interval: Int, isLive: Bool, arguments: [String],
    proof: [String]
  ) {
    (program, now, report) = (command.program, command.now, command.report)
    (self.kind, self.interval, self.isLive) = (kind, interval, isLive)
    (self.arguments, self.proof, replaces) = (arguments, proof, !isLive)
  }

  /// Three intervals, as of a sensor; of a run that follows the wall clock, three times as long as from one of its
  /// readings to the next where that is longer.
  package var patience: Int { 3 * max(interval, pace.gap) }

  package var hasEnded: Bool { pace.hasEnded }

  /// The readings of a rig's run.
  ///
  /// - Parameters:
  ///   - rig: its file, or the name of a built-in one.
  ///   - interval: a third of how old the last reading may be before it is stale, in seconds.
  ///   - command: the command.
  /// - Returns: the source.
  package static func run(of rig: String, interval: Int, _ command: Command) -> ProgramSource {
    ProgramSource(
      command, kind: "replayed", interval: interval, isLive: false,
      arguments: ["run", rig, "--format", "jsonl"], proof: ["rig", "check", rig])
  }

  /// A rig's bus as time goes by: the program `sense` reads it as it would read a real one.
  ///
  /// - Parameters:
  ///   - rig: the rig, with `#NUMBER` where it has several buses.
  ///   - sense: a program that prints the readings of a bus, with its arguments.
  ///   - interval: from one reading to the next, in seconds.
  ///   - command: the command.
  /// - Returns: the source.
  package static func bus(
    of rig: String, sense: (String) -> [String], interval: Int, _ command: Command
  ) -> ProgramSource {
    let parts = rig.split(separator: "#", maxSplits: 1).map(String.init)
    let number = parts.count == 2 ? parts[1] : "1"
    // A number is mapped to itself, so that one which the rig does not have is refused.
    let shown = parts.count == 2 ? ["--map", "\(number)=\(number)"] : ["--number", "1"]
    let bus = ["exec", "--rig", parts.first ?? rig] + shown + ["--"]
    return ProgramSource(
      command, kind: "simulated", interval: interval, isLive: true,
      arguments: bus + sense("/dev/i2c-\(number)"), proof: bus + ["true"])
  }

  /// What a trace's sensor would have told at each interval, as if the trace had ended now.
  ///
  /// - Parameters:
  ///   - path: the trace.
  ///   - interval: from one reading to the next, in seconds.
  ///   - command: the command.
  /// - Returns: the source; `nil` for a file that is no trace with a transfer.
  package static func trace(_ path: String, interval: Int, _ command: Command) -> ProgramSource? {
    guard let length = TraceLength.seconds(of: path) else { return nil }
    let count = min(most, length / interval + 1)
    let read = ["read", "--bus", "trace:\(path)", "--replay", "model", "--every", "\(interval)s"]
    return ProgramSource(
      command, kind: "replayed", interval: interval, isLive: false,
      arguments: read + ["--count", "\(count)", "--format", "jsonl"], proof: read)
  }

  /// Tries whether it can be had at all; the command itself says on standard error what is wrong.
  ///
  /// - Returns: the command's status, 0 for a source that works.
  /// - Throws: why the command cannot be started.
  package func check() throws -> Int32 { try ChildProgram.check(program, proof) }

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    repeat {
      let child = try ChildProgram(program, arguments)
      try await withTaskCancellationHandler {
        try await read(child.lines, take)
      } onCancel: {
        child.end()
      }
      if Task.isCancelled {
        child.end()
        return
      }
      let status = child.status ?? 0
      if isLive || status > 1 {
        report(
          "aneroid \(arguments.prefix(3).joined(separator: " ")) ended with status \(status)"
            + (isLive ? "; the rig begins anew" : ""))
      }
      if !isLive { pace.end() }
      if isLive { try await Task.sleep(for: .seconds(Self.rest)) }
    } while isLive
  }

  /// What of an event is looked at.
  private struct Event: Decodable {
    let event: String
    let t: Double?
    let clock: String?
    let bus: Int?
    let address: Int?
    let temperature_c: Double?
    let pressure_pa: Double?
    let humidity_rh: Double?
  }

  private func read(_ lines: AsyncStream<Data>, _ take: @Sendable ([Reading]) async throws -> Void)
    async throws
  {
    var followsClock = isLive
    var sensor: [Int?]?
    var waiting: [(t: Double, reading: Event)] = []
    let decoder = JSONDecoder()
    for await line in lines {
      guard let event = try? decoder.decode(Event.self, from: line) else { continue }
      if event.event == "rig" { followsClock = event.clock == "real" }
      guard event.event == "reading", let t = event.t else { continue }
      // Of several sensors the first speaks for the station.
      let this = [event.bus, event.address]
      if sensor == nil { sensor = this }
      guard sensor == this else { continue }
      if followsClock {
        let moment = now()
        if !isLive { pace.note(BootClock.seconds()) }
        try await take([Self.reading(event, at: moment)])
      } else {
        waiting.append((t, event))
        if waiting.count > 2 * Self.most { waiting.removeFirst(Self.most) }
      }
    }
    // Half of a replay is none: where the program stops, the store keeps what it has.
    guard let last = waiting.last, !Task.isCancelled else { return }
    let end = now()
    try await take(
      waiting.suffix(Self.most).map {
        Self.reading($0.reading, at: end - Int((last.t - $0.t).rounded()))
      })
  }

  private static func reading(_ event: Event, at time: Int) -> Reading {
    Reading(
      time: time, celsius: event.temperature_c, humidity: event.humidity_rh,
      pascals: event.pressure_pa)
  }
}
