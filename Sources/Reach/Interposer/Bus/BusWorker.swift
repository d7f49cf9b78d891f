import Foundation

/// Where the calls to one bus are done, one after the other.
///
/// A simulated bus answers on the supervisor's own thread. A slow one has a thread, so that the
/// supervisor never waits for it, and its answers may come out of order.
final class BusWorker {
  private let queue: Queue?

  init(isSlow: Bool, name: String) {
    queue = isSlow ? Queue() : nil
    if let queue { queue.start(name) }
  }

  /// Does a job, at once or as soon as those before it are done.
  func perform(_ job: @escaping () -> Void) {
    guard let queue else { return job() }
    queue.append(Job(body: job))
  }

  /// Something to do, which reaches only what belongs to its bus and leaves the supervisor for good.
  private struct Job: @unchecked Sendable {
    let body: () -> Void
  }

  /// The jobs that wait for a thread.
  private final class Queue: @unchecked Sendable {
    // Guarded by the condition.
    private var jobs: [Job] = []
    private let condition = NSCondition()

    func start(_ name: String) {
      let thread = Thread { [self] in
        while true { next().body() }
      }
      thread.name = name
      thread.start()
    }

    func append(_ job: Job) {
      condition.lock()
      jobs.append(job)
      condition.signal()
      condition.unlock()
    }

    private func next() -> Job {
      condition.lock()
      defer { condition.unlock() }
      while jobs.isEmpty { condition.wait() }
      return jobs.removeFirst()
    }
  }
}
