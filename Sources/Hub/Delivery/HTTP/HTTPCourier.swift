import Foundation
import FoundationNetworking
package import HubQueue
import Synchronization
import Warehouse

/// Posts what waits in batches, in order, again and again until they are taken.
///
/// A batch is sent once a period, and at once where a record in it is urgent, as those of alarms are.
package final class HTTPCourier: Sendable {
  /// The name under which records wait for it.
  package static let receiver = "http"

  /// What it has done so far.
  package struct Counts: Sendable, Equatable {
    /// Batches that were taken.
    package var batches = 0
    /// Records in them.
    package var confirmed = 0
    /// Batches that were not.
    package var failures = 0
  }

  private let queue: RecordQueue
  private let settings: HTTPSettings
  private let url: URL
  private let tell: @Sendable (String) -> Void
  private let session: URLSession
  private let state = Mutex(Counts())

  /// Creates it.
  ///
  /// - Throws: that the address is none.
  package init(
    queue: RecordQueue, settings: HTTPSettings, tell: @escaping @Sendable (String) -> Void
  ) throws {
    // What addresses may be is judged where settings are read.
    guard let url = URL(string: settings.address) else {
      throw HTTPFailure(reason: "'\(settings.address)' is no address")
    }
    (self.queue, self.settings, self.url, self.tell) = (queue, settings, url, tell)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Double(settings.timeout)
    session = URLSession(configuration: configuration)
  }

  /// What it has done so far.
  package var counts: Counts { state.withLock { $0 } }

  /// Goes on until its task is cancelled.
  package func run() async {
    var pause = BackOff(longest: 600_000_000_000)
    func nextPause() -> Double { Double(pause.wait(chance: Double.random(in: 0..<1))) / 1e9 }
    var batch = settings.batch
    var lastTold = ""
    while !Task.isCancelled {
      var wait = Double(settings.period)
      // What is written from here on may be too late for this batch.
      let urgent = queue.lastUrgent
      var soonest = 0.0
      do {
        let count = try await send(batch)
        if !lastTold.isEmpty { tell("\(settings.address) takes records again") }
        lastTold = ""
        pause.succeed()
        if count == batch { wait = 0 }
        batch = settings.batch
      } catch let failure as HTTPFailure {
        state.withLock { $0.failures += 1 }
        if failure.isTooLarge { batch = max(1, batch / 2) }
        wait = max(nextPause(), failure.retryAfter ?? 0)
        // An alarm tries a receiver that is away at once, but not all the time.
        soonest = max(Self.betweenUrgentAttempts, failure.retryAfter ?? 0)
        if failure.reason != lastTold {
          tell("cannot deliver to \(settings.address): \(failure.reason); it is tried again")
        }
        lastTold = failure.reason
      } catch is CancellationError {
        return
      } catch {
        wait = nextPause()
        soonest = wait
        tell("cannot read what waits: \(error)")
      }
      await rest(wait, soonest: soonest, after: urgent)
    }
  }

  /// How many seconds lie between attempts at a receiver that takes nothing, however many alarms there are.
  private static let betweenUrgentAttempts = 5.0

  /// Posts a body, without passing a cancellation on to the session.
  ///
  /// A session whose upload ends while it is being cancelled can wait for itself for ever: the completion resumes the
  /// task whose lock the cancellation holds. The batch stays in the queue until it is confirmed, so nothing is lost.
  ///
  /// - Throws: `CancellationError` at once if this task is cancelled; else the error of the session.
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

  /// Waits for some seconds, or until there is a record that goes at once; no less than `soonest` seconds.
  private func rest(_ seconds: Double, soonest: Double, after urgent: Int64) async {
    let clock = ContinuousClock()
    let begin = clock.now
    while !Task.isCancelled {
      let waited = (clock.now - begin) / .seconds(1)
      if waited >= seconds || waited >= soonest && queue.lastUrgent > urgent { return }
      try? await Task.sleep(for: .seconds(min(max(seconds - waited, 0.001), Self.glance)))
    }
  }

  /// How often it looks whether there is something that goes at once, in seconds: it asks no disk.
  private static let glance = 0.1

  /// Sends one batch; how many records it had, 0 when nothing waits.
  package func send(_ batch: Int) async throws -> Int {
    let records = try queue.waiting(for: Self.receiver, limit: batch)
    guard let last = records.last else { return 0 }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let value = settings.authorization {
      request.setValue(value, forHTTPHeaderField: "Authorization")
    }
    let body = JSONText.object([
      ("hub", JSONText.quoted(queue.hub)), ("epoch", JSONText.quoted(queue.epoch)),
      ("first", "\(records[0].sequence)"),
      ("last", "\(last.sequence)"),
      ("records", JSONText.array(records.map { $0.json(hub: queue.hub, epoch: queue.epoch) })),
    ])
    let response: URLResponse
    do {
      response = try await upload(Data(body.utf8), for: request)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw HTTPFailure(reason: error.localizedDescription)
    }
    guard let answer = response as? HTTPURLResponse else {
      throw HTTPFailure(reason: "it does not answer in HTTP")
    }
    guard (200..<300).contains(answer.statusCode) else {
      throw HTTPFailure(
        reason: "it answered \(answer.statusCode)", isTooLarge: answer.statusCode == 413,
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

/// Why a batch was not taken.
package struct HTTPFailure: Error, CustomStringConvertible {
  /// The reason.
  package let reason: String
  /// Whether a smaller batch might be taken.
  var isTooLarge = false
  /// How many seconds to wait, if it was told.
  var retryAfter: Double?

  package var description: String { reason }
}
