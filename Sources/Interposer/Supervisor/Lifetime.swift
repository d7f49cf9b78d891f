import CInterposer
import Glibc

/// The life of the program and of what it starts: signals, ends, and an end for those who stay too long.
struct Lifetime {
  private let process: Int32
  private let graceSeconds: Double
  private var status: Int32?
  /// When what is left shall be asked to end, and when it is made to.
  private var deadline: ContinuousClock.Instant?
  private var isLastWarning = false

  init(process: Int32, graceSeconds: Double) {
    self.process = process
    self.graceSeconds = graceSeconds
  }

  /// How long to wait for events, in milliseconds; -1 for ever.
  var patience: Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now).components
    return Int32(
      clamping: max(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 0))
  }

  /// Passes signals on, and takes notice of ends.
  ///
  /// A terminal sends its signals to the program as well: only those that somebody sent to this
  /// process alone are passed on.
  mutating func takeSignals(from descriptor: Int32) {
    var sender: Int32 = 0
    while case let signal = interposer_signal(descriptor, &sender), signal != 0 {
      switch signal {
      case SIGCHLD: reap()
      case SIGINT, SIGQUIT: if sender != 0 { kill(process, signal) }
      default: kill(process, signal)
      }
    }
  }

  private mutating func reap() {
    var status: Int32 = 0
    while case let child = waitpid(-1, &status, WNOHANG | Self.wall), child > 0 {
      if !interposer_stopped(child, status), child == process { end(with: status) }
    }
  }

  /// __WALL: threads of clients that are followed are told of too.
  private static let wall: Int32 = 0x4000_0000

  private mutating func end(with status: Int32) {
    self.status = status
    deadline = .now + .seconds(graceSeconds)
  }

  /// Whether nobody needs to be waited for any more; those who outstay the program are ended.
  mutating func isOver(_ notice: (String) -> Void) -> Bool {
    guard let end = deadline, ContinuousClock.now >= end else { return false }
    let children = ClientProcesses.children()
    guard !children.isEmpty else { return true }
    if !isLastWarning {
      notice(
        "the program has ended, but \(children.count) that it started still run; "
          + "they are ended, as their /dev/i2c-N goes now")
    }
    for child in children { kill(child, isLastWarning ? SIGKILL : SIGTERM) }
    isLastWarning = true
    deadline = .now + .seconds(1)
    return false
  }

  /// The exit status of the program, 128 + n for signal n.
  mutating func waitForProgram() -> Int32 {
    var status: Int32 = 0
    while self.status == nil {
      let child = waitpid(process, &status, Self.wall)
      if child == process {
        if !interposer_stopped(child, status) { end(with: status) }
      } else if errno != EINTR {
        return 70
      }
    }
    status = self.status ?? 0
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
