import Foundation
import ServiceMachine

/// A source of readings that the command `aneroid` produces from a rig's run, from a rig's bus in
/// real time, or from a trace.
///
/// A run in virtual time completes at once. Its readings get time stamps that end at the present,
/// and from then on the last reading ages like that of a lost sensor. Runs in real time are read as
/// they proceed.
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

  /// The maximum number of readings kept from a run; the last readings are kept.
  static let most = 500_000
  /// The delay in seconds before a lost bus is tried again.
  private static let rest = 10

  /// The command that produces readings, with the functions that it needs.
  package struct Command: Sendable {
    let program: String
    let now: @Sendable () -> Int
    let report: @Sendable (String) -> Void

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - program: The path of the command aneroid.
    ///   - now: The function that returns the current time in seconds since 1970.
    ///   - report: The function that receives a log line if a run fails.
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

  /// The age at which the last reading is stale, in seconds: three intervals, as for a sensor, or
  /// three times the time between the readings of a real-time run if that is longer.
  package var staleAfter: Int { 3 * max(interval, pace.gap) }

  package var hasEnded: Bool { pace.hasEnded }

  /// Creates a source of the readings from a rig's run.
  ///
  /// - Parameters:
  ///   - rig: The path of the rig, or the name of a built-in one.
  ///   - interval: One third of the age in seconds at which the last reading becomes stale.
  ///   - command: The command.
  /// - Returns: The source.
  package static func run(of rig: String, interval: Int, _ command: Command) -> ProgramSource {
    ProgramSource(
      command, kind: "replayed", interval: interval, isLive: false,
      arguments: ["run", rig, "--format", "jsonl"], proof: ["rig", "check", rig])
  }

  /// Creates a source that reads a rig's bus in real time with the program `sense`, in the same way
  /// as a physical bus.
  ///
  /// - Parameters:
  ///   - rig: The path of the rig, followed by `#NUMBER` if the rig has several buses.
  ///   - sense: A program that prints the readings of a bus, with its arguments.
  ///   - interval: The interval between readings in seconds.
  ///   - command: The command.
  /// - Returns: The source.
  package static func bus(
    of rig: String, sense: (String) -> [String], interval: Int, _ command: Command
  ) -> ProgramSource {
    let parts = rig.split(separator: "#", maxSplits: 1).map(String.init)
    let number = parts.count == 2 ? parts[1] : "1"
    // Mapping a bus number to itself produces an error if the rig has no bus with that number.
    let shown = parts.count == 2 ? ["--map", "\(number)=\(number)"] : ["--number", "1"]
    let bus = ["exec", "--rig", parts.first ?? rig] + shown + ["--"]
    return ProgramSource(
      command, kind: "simulated", interval: interval, isLive: true,
      arguments: bus + sense("/dev/i2c-\(number)"), proof: bus + ["true"])
  }

  /// Creates a source of the readings that the sensor in a trace would have produced at each
  /// interval, with time stamps that end at the present.
  ///
  /// - Parameters:
  ///   - path: The path of the trace.
  ///   - interval: The interval between readings in seconds.
  ///   - command: The command.
  /// - Returns: The source; `nil` if the file is not a trace that contains a transfer.
  package static func trace(_ path: String, interval: Int, _ command: Command) -> ProgramSource? {
    guard let length = TraceLength.seconds(of: path) else { return nil }
    let count = min(most, length / interval + 1)
    let read = ["read", "--bus", "trace:\(path)", "--replay", "model", "--every", "\(interval)s"]
    return ProgramSource(
      command, kind: "replayed", interval: interval, isLive: false,
      arguments: read + ["--count", "\(count)", "--format", "jsonl"], proof: read)
  }

  /// Checks that the source is available; the command reports errors on standard error.
  ///
  /// - Returns: The exit status of the command, which is 0 if the source is available.
  /// - Throws: An error if the command cannot be started.
  package func check() throws -> Int32 { try ChildProgram.check([program] + proof) }

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    repeat {
      let child = try ChildProgram([program] + arguments, output: .pipe)
      try await withTaskCancellationHandler {
        try await read(child.lines(), take)
      } onCancel: {
        child.terminate()
      }
      if Task.isCancelled {
        child.terminate()
        return
      }
      let status = child.status ?? 0
      if isLive || status > 1 {
        report(
          "aneroid \(arguments.prefix(3).joined(separator: " ")) ended with status \(status)"
            + (isLive ? "; the rig restarts" : ""))
      }
      if !isLive { pace.end() }
      if isLive { try await Task.sleep(for: .seconds(Self.rest)) }
    } while isLive
  }

  /// The members of an event that the station uses.
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

  private func read(
    _ lines: AsyncStream<[UInt8]>, _ take: @Sendable ([Reading]) async throws -> Void
  )
    async throws
  {
    var followsClock = isLive
    var sensor: [Int?]?
    var waiting: [(t: Double, reading: Event)] = []
    let decoder = JSONDecoder()
    for await line in lines {
      guard let event = try? decoder.decode(Event.self, from: Data(line)) else { continue }
      if event.event == "rig" { followsClock = event.clock == "real" }
      guard event.event == "reading", let t = event.t else { continue }
      // If there are several sensors, the station uses the first one.
      let this = [event.bus, event.address]
      if sensor == nil { sensor = this }
      guard sensor == this else { continue }
      if followsClock {
        let moment = now()
        if !isLive { pace.note(MachineClocks.bootSeconds()) }
        try await take([Self.reading(event, at: moment)])
      } else {
        waiting.append((t, event))
        if waiting.count > 2 * Self.most { waiting.removeFirst(Self.most) }
      }
    }
    // A partial replay is not stored, so if the program stops, the store keeps its previous
    // content.
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
