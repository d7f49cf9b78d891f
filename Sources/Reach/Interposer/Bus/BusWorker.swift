import Files
import Glibc

/// Where the calls to one bus are done, one after the other.
///
/// A simulated bus answers on the supervisor's own thread. A slow one has a thread, so that the
/// supervisor never waits for it, and its answers may come out of order.
final class BusWorker {
  private let queue: Queue?

  init(isSlow: Bool, name: String) {
    queue = isSlow ? Queue(name) : nil
    if let queue { queue.start() }
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

  /// The jobs that wait for a thread, which goes on as long as the program.
  private final class Queue: @unchecked Sendable {
    private let name: String
    // Guarded by the mutex.
    private var jobs: [Job] = []
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ name: String) {
      self.name = name
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    func start() {
      var thread = pthread_t()
      let reason = pthread_create(
        &thread, nil,
        { queue in
          guard let queue else { return nil }
          let jobs = Unmanaged<Queue>.fromOpaque(queue).takeRetainedValue()
          jobs.tellName()
          while true { jobs.next().body() }
        }, Unmanaged.passRetained(self).toOpaque())
      precondition(reason == 0, "no thread for a bus: \(String(cString: strerror(reason)))")
      pthread_detach(thread)
    }

    /// Gives the thread that calls it the name, for whoever lists the threads; the kernel keeps its first 15 bytes.
    private func tellName() {
      let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = writeAll(Array(name.utf8), to: file)
      close(file)
    }

    func append(_ job: Job) {
      pthread_mutex_lock(mutex)
      jobs.append(job)
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    private func next() -> Job {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while jobs.isEmpty { pthread_cond_wait(condition, mutex) }
      return jobs.removeFirst()
    }
  }
}
