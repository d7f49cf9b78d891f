import Glibc
import Synchronization

/// Whether a thread is to end; who waits by it is woken.
///
/// It waits by the monotonic clock: a step of the wall clock makes no wait longer or shorter.
package final class StopSign: Sendable {
  private let isUp = Atomic<Bool>(false)
  /// A pipe: it becomes readable when the sign is raised, and stays so.
  private let reading, writing: Int32

  /// A sign that is not raised.
  package init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Whether it is.
  package var isRaised: Bool { isUp.load(ordering: .acquiring) }

  /// It is.
  package func raise() {
    isUp.store(true, ordering: .releasing)
    var one: UInt8 = 1
    _ = write(writing, &one, 1)
  }

  /// Waits for so many seconds, or until it is raised.
  package func wait(seconds: Double) {
    let latest = Self.now + Int64(seconds * 1e9)
    while !isRaised {
      let left = latest - Self.now
      guard left > 0 else { return }
      var one = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      _ = poll(&one, 1, Int32(min(left / 1_000_000 + 1, 60_000)))
    }
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
