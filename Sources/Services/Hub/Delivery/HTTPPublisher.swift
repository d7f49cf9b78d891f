import Foundation
import FoundationNetworking
package import HubQueue
import Support
import Synchronization
import Warehouse

/// Posts waiting records in batches, in order, and repeats a batch until it is accepted.
///
/// A batch is sent at regular intervals, and immediately if an urgent record, such as an alarm, is
/// waiting.
package final class HTTPPublisher: Sendable {
  /// The name of the receiver in the record queue.
  package static let receiver = "http"

  /// The counters since the start of the publisher.
  package struct Counts: Sendable, Equatable {
    /// The number of accepted batches.
    package var batches = 0
    /// The number of records in accepted batches.
    package var confirmed = 0
    /// The number of failed attempts.
    package var failures = 0
  }

  private let queue: RecordQueue
  private let settings: HTTPSettings
  private let url: URL
  private let report: @Sendable (String) -> Void
  private let session: URLSession
  private let state = Mutex(Counts())

  /// Creates a publisher.
  ///
  /// - Throws: An error if the URL is invalid.
  package init(
    queue: RecordQueue, settings: HTTPSettings, report: @escaping @Sendable (String) -> Void
  ) throws {
    // The URL was validated when the settings were read.
    guard let url = URL(string: settings.address) else {
      throw HTTPFailure(reason: "'\(settings.address)' is not a valid URL")
    }
    (self.queue, self.settings, self.url, self.report) = (queue, settings, url, report)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Double(settings.timeout)
    session = URLSession(configuration: configuration)
  }

  /// The counters since the start of the publisher.
  package var counts: Counts { state.withLock { $0 } }

  /// Posts batches until the task is cancelled.
  package func run() async {
    var pause = BackOff(longest: 600_000_000_000)
    func nextPause() -> Double { Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9 }
    var batch = settings.batch
    var lastReported = ""
    while !Task.isCancelled {
      var wait = Double(settings.period)
      // Records stored from now on may be missing from this batch.
      let urgent = queue.lastUrgent
      var soonest = 0.0
      do {
        let count = try await send(batch)
        if !lastReported.isEmpty { report("\(settings.address) accepts records again") }
        lastReported = ""
        pause.succeed()
        if count == batch { wait = 0 }
        batch = settings.batch
      } catch let failure as HTTPFailure {
        state.withLock { $0.failures += 1 }
        if failure.isTooLarge { batch = max(1, batch / 2) }
        wait = max(nextPause(), failure.retryAfter ?? 0)
        // An alarm triggers an immediate attempt even if the receiver is failing, but not more
        // often than `soonest` allows.
        soonest = max(Self.betweenUrgentAttempts, failure.retryAfter ?? 0)
        if failure.reason != lastReported {
          report("cannot deliver to \(settings.address): \(failure.reason); retrying")
        }
        lastReported = failure.reason
      } catch is CancellationError {
        return
      } catch {
        wait = nextPause()
        soonest = wait
        report("cannot read waiting records: \(error)")
      }
      await rest(wait, soonest: soonest, after: urgent)
    }
  }

  /// The minimum time in seconds between attempts while the receiver is failing, whatever the
  /// number of alarms.
  private static let betweenUrgentAttempts = 5.0

  /// Posts a body without passing a cancellation on to the session.
  ///
  /// A session whose upload ends while it is being cancelled can deadlock, because the completion
  /// resumes the task whose lock the cancellation holds. No record is lost by this, because the
  /// batch stays in the queue until it is confirmed.
  ///
  /// - Throws: `CancellationError` immediately if this task is cancelled; otherwise the error of
  ///   the session.
  private func upload(_ body: Data, for request: URLRequest) async throws -> URLResponse {
    let (results, continuation) = AsyncStream.makeStream(of: Result<URLResponse, any Error>.self)
    Task { [session] in
      do {
        continuation.yield(.success(try await session.upload(for: request, from: body).1))
      } catch {
        continuation.yield(.failure(error))
      }
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// Waits for `seconds`, or until an urgent record is waiting, but for at least `soonest` seconds.
  private func rest(_ seconds: Double, soonest: Double, after urgent: Int64) async {
    let clock = ContinuousClock()
    let begin = clock.now
    while !Task.isCancelled {
      let waited = (clock.now - begin) / .seconds(1)
      if waited >= seconds || waited >= soonest && queue.lastUrgent > urgent { return }
      try? await Task.sleep(for: .seconds(min(max(seconds - waited, 0.001), Self.glance)))
    }
  }

  /// The interval in seconds between checks for urgent records; the check does not access the disk.
  private static let glance = 0.1

  /// Sends one batch.
  ///
  /// - Returns: The number of records in the batch; 0 if none are waiting.
  package func send(_ batch: Int) async throws -> Int {
    let records = try queue.waiting(for: Self.receiver, limit: batch)
    guard let last = records.last else { return 0 }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let value = settings.authorization {
      request.setValue(value, forHTTPHeaderField: "Authorization")
    }
    let head = JSONValue.members([
      ("hub", .string(queue.hub)), ("epoch", .string(queue.epoch)),
      ("first", .integer(records[0].sequence)), ("last", .integer(last.sequence)),
    ]).compact
    // The records are stored as JSON.
    let list = records.map { $0.json(hub: queue.hub, epoch: queue.epoch) }.joined(separator: ",")
    let body = "\(head.dropLast()),\"records\":[\(list)]}"
    let response: URLResponse
    do {
      response = try await upload(Data(body.utf8), for: request)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw HTTPFailure(reason: error.localizedDescription)
    }
    guard let answer = response as? HTTPURLResponse else {
      throw HTTPFailure(reason: "the response is not HTTP")
    }
    guard (200..<300).contains(answer.statusCode) else {
      throw HTTPFailure(
        reason: "HTTP status \(answer.statusCode)", isTooLarge: answer.statusCode == 413,
        retryAfter: answer.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init))
    }
    try queue.acknowledge(Self.receiver, records.map(\.sequence))
    state.withLock {
      $0.batches += 1
      $0.confirmed += records.count
    }
    return records.count
  }
}

/// The reason why a batch was not accepted.
package struct HTTPFailure: Error, CustomStringConvertible {
  package let reason: String
  /// `true` if a smaller batch might be accepted.
  var isTooLarge = false
  /// The value of `Retry-After` in seconds; `nil` if the response had none.
  var retryAfter: Double?

  package var description: String { reason }
}

/// The settings of an HTTP collector, which receives batches in JSON.
package struct HTTPSettings: Sendable, Equatable {
  /// The URL, which starts with `https://` or `http://`.
  package var address: String
  /// The value of the `Authorization` header; `nil` to send no header.
  ///
  /// Default: `nil`.
  package var authorization: String?
  /// The interval between batches in seconds; a full batch is followed immediately by the next one.
  package var period = 60
  /// The maximum number of records in a batch.
  package var batch = 500
  /// The timeout of a request in seconds.
  package var timeout = 30

  /// Creates settings with default values.
  package init(address: String) { self.address = address }
}
