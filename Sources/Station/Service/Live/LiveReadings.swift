import Hummingbird
import NIOCore
import Readings
import ServiceLifecycle

/// `/v1/live`: readings as they come, as server-sent events.
struct LiveReadings {
  /// How many missed readings are read from the store at once.
  private static let page = 1000

  let core: StationCore
  let now: @Sendable () -> Int

  /// Writes what a listener has missed, and then what comes, until it goes or the program stops.
  ///
  /// - Parameters:
  ///   - listening: the listener's number and its readings.
  ///   - last: the number of the last event that it has seen; `nil` for a new one.
  ///   - writer: where the events go.
  /// - Throws: what the writer throws when the listener has gone, or an error of SQLite.
  func write(
    _ listening: (number: Int, readings: AsyncStream<Reading?>), after last: Int64?,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    defer { core.leave(listening.number) }
    try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
    var sent: Int64 = 0
    // A number that was never given is of another store: its listener begins anew.
    if let last, last >= 0, last <= (try core.store.lastSequence()) {
      sent = last
      while true {
        let missed = try core.store.stored(after: sent, limit: Self.page)
        for reading in missed { try await write(reading, &sent, to: &writer) }
        if missed.count < Self.page { break }
      }
    } else if let reading = core.snapshot().state.reading {
      try await write(reading, &sent, to: &writer)
    }
    // When the program stops, listening ends, and with it the answer.
    for await reading in listening.readings.cancelOnGracefulShutdown() {
      guard let reading else {
        try await writer.write(ByteBuffer(string: ": still here\n\n"))
        continue
      }
      if reading.sequence > sent { try await write(reading, &sent, to: &writer) }
    }
    try await writer.finish(nil)
  }

  private func write(
    _ reading: Reading, _ sent: inout Int64, to writer: inout any ResponseBodyWriter
  ) async throws {
    let station = StationService(core: core)
    let data = String(decoding: station.station(now: now(), reading: reading).bytes, as: UTF8.self)
    try await writer.write(
      ByteBuffer(string: "id: \(reading.sequence)\nevent: reading\ndata: \(data)\n\n"))
    sent = reading.sequence
  }
}
