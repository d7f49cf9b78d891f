import Glibc
public import I2C
import Support

/// A bus that is visible to programs as /dev/i2c-N.
public struct InterposedBus {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, as `i2cdetect -l` shows it.
  public let name: String
  /// The device node of the bus.
  public let node: I2CDeviceNode
  /// The names of devices that are bound to a kernel driver, by address, such as `bme280`.
  public let boundNames: [I2CAddress: String]
  /// `true` if transfers take real time (hardware or a bridge), so that the bus has its own thread.
  public let isSlow: Bool
  /// Returns the time at which the bits of all previous transfers have left the wire, in nanoseconds of
  /// CLOCK_MONOTONIC.
  ///
  /// Callers block until then, as with hardware; `nil` if transfers take no machine time.
  public let freeMoment: (() -> UInt64)?
  /// The connection of the adapter; `nil` if it is never unplugged.
  ///
  /// The node and the entries in /sys vanish and return with the adapter.
  public let connection: AdapterConnection?

  /// Creates a bus; a simulated bus is served without its own thread, and its adapter is never unplugged.
  ///
  /// A bound address without a name is shown as `dummy`, the kernel's name for a reserved address.
  public init(
    number: Int, name: String, node: I2CDeviceNode, boundNames: [I2CAddress: String] = [:],
    isSlow: Bool = false, freeMoment: (() -> UInt64)? = nil,
    connection: AdapterConnection? = nil
  ) {
    self.number = number
    self.name = name
    self.node = node
    self.boundNames = boundNames
    self.isSlow = isSlow
    self.freeMoment = freeMoment
    self.connection = connection
  }
}

/// Performs the calls to one bus in order.
///
/// A simulated bus answers on the supervisor's thread. A slow bus has its own thread, so that the supervisor never
/// blocks; calls to different buses may therefore be answered out of order.
final class BusWorker {
  private let queue: Queue?

  init(isSlow: Bool, name: String) {
    queue = isSlow ? Queue(name) : nil
    if let queue { queue.start() }
  }

  /// Performs a job after all earlier ones; for a simulated bus, which has no queue, at once.
  func perform(_ job: @escaping () -> Void) {
    guard let queue else { return job() }
    queue.append(Job(body: job))
  }

  /// A job, which accesses only the state of its own bus.
  private struct Job: @unchecked Sendable {
    let body: () -> Void
  }

  /// The job queue of a thread, which lives as long as the process.
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
          jobs.setThreadName()
          while true { jobs.next().body() }
        }, Unmanaged.passRetained(self).toOpaque())
      precondition(
        reason == 0, "cannot start a thread for a bus: \(String(cString: strerror(reason)))")
      pthread_detach(thread)
    }

    /// Sets the name of the calling thread, as shown by ps and top; the kernel keeps the first 15 bytes.
    private func setThreadName() {
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
