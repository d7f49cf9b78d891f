import Foundation

/// The readings of a rig, from the events of `aneroid run RIG --format jsonl`.
///
/// A rig with a virtual clock is over in a moment: its readings end now. One with the real clock is read as it runs.
package struct RigSource: ReadingSource {
  package let kind = "replayed"
  package let patience = 3600

  private let program: String
  private let rig: String
  private let now: @Sendable () -> Int
  private let report: @Sendable (String) -> Void

  /// How many readings of a run are kept at most, the last.
  private static let most = 500_000

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - rig: the rig's file, or the name of a built-in one.
  ///   - program: the command aneroid.
  ///   - now: the time, in seconds since 1970.
  ///   - report: is told how a run ended that failed.
  package init(
    rig: String, program: String, now: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.rig, self.program, self.now, self.report) = (rig, program, now, report)
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

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["run", rig, "--format", "jsonl"]
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    let chunks = AsyncStream<Data> { continuation in
      pipe.fileHandleForReading.readabilityHandler = { handle in
        let data = handle.availableData
        if data.isEmpty {
          handle.readabilityHandler = nil
          continuation.finish()
        } else {
          continuation.yield(data)
        }
      }
    }
    try process.run()
    let number = process.processIdentifier
    try await withTaskCancellationHandler {
      try await read(chunks, take)
    } onCancel: {
      kill(number, SIGTERM)
    }
    if Task.isCancelled { kill(number, SIGTERM) }
    process.waitUntilExit()
    if process.terminationStatus > 1 {
      report("aneroid run \(rig) ended with status \(process.terminationStatus)")
    }
  }

  private func read(_ chunks: AsyncStream<Data>, _ take: @Sendable ([Reading]) async throws -> Void)
    async throws
  {
    var rest = Data()
    var isReal = false
    var sensor: [Int?]?
    var waiting: [(t: Double, reading: Event)] = []
    let decoder = JSONDecoder()
    for await chunk in chunks {
      rest.append(chunk)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[rest.startIndex..<end]
        rest = rest[rest.index(after: end)...]
        guard let event = try? decoder.decode(Event.self, from: Data(line)) else { continue }
        if event.event == "rig" { isReal = event.clock == "real" }
        guard event.event == "reading", let t = event.t else { continue }
        // Of several sensors the first speaks for the station.
        let this = [event.bus, event.address]
        if sensor == nil { sensor = this }
        guard sensor == this else { continue }
        if isReal {
          try await take([Self.reading(event, at: now())])
        } else {
          waiting.append((t, event))
          if waiting.count > 2 * Self.most { waiting.removeFirst(Self.most) }
        }
      }
    }
    guard let last = waiting.last else { return }
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
