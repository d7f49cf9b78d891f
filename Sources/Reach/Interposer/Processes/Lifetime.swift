import CInterposer
import Glibc

/// The life of the program and of what it starts: signals, ends, and an end for those who stay too long.
///
/// The program is a child of the guard, which alone knows whether it still lives: signals for it go there.
struct Lifetime {
  private let guardian: Int32
  private let line: Int32
  private let graceSeconds: Double
  /// The clocks that programs get when they are executed.
  private let clocks: OpaquePointer?
  private var status: Int32?
  /// When what is left shall be asked to end, and when it is made to.
  private var deadline: ContinuousClock.Instant?
  private var isLastWarning = false
  /// The last signal by which somebody wanted everything to end.
  private var askedBy: Int32?
  /// Whether the program was asked to end because its time is over.
  private(set) var isLimitReached = false
  /// Whether the program was ended because nothing went on.
  private var isStandingStill = false

  /// The exit status of a program that was ended because nothing went on: that of timeout(1).
  static let standstill: Int32 = 124

  init(guardian: Int32, line: Int32, graceSeconds: Double, clocks: OpaquePointer?) {
    self.guardian = guardian
    self.line = line
    self.graceSeconds = graceSeconds
    self.clocks = clocks
  }

  /// How long to wait for events, in milliseconds; -1 for ever.
  var longestWaitMilliseconds: Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now).components
    return Int32(
      clamping: max(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 0))
  }

  /// Passes signals on.
  ///
  /// A terminal sends its signals to the program as well: only those that somebody sent to this
  /// process alone are passed on.
  mutating func takeSignals(from descriptor: Int32) {
    var sender: Int32 = 0
    while case let signal = interposer_signal(descriptor, &sender), signal != 0 {
      switch signal {
      case SIGCHLD: reap()
      case SIGUSR1, SIGUSR2: pass(signal)
      default:
        askedBy = signal
        if status != nil { hurry() } else if sender != 0 || signal == SIGTERM { pass(signal) }
      }
    }
  }

  /// Asks the program to end as its time is over, once; it has the usual time to obey.
  mutating func limitIsReached() {
    guard !isLimitReached, status == nil else { return }
    isLimitReached = true
    askedBy = SIGTERM
    pass(SIGTERM)
    deadline = .now + .seconds(graceSeconds)
  }

  /// Ends the program, which waits for what never comes, once.
  mutating func standsStill() {
    guard !isStandingStill, status == nil else { return }
    isStandingStill = true
    askedBy = SIGTERM
    pass(SIGTERM)
    deadline = .now + .seconds(1)
  }

  /// Lets the guard hold a descriptor, for when this process is gone.
  func leave(_ order: Int32, _ descriptor: Int32) {
    _ = interposer_order(line, order, descriptor)
  }

  private func pass(_ signal: Int32) { _ = interposer_order(line, signal, -1) }

  /// Programs that are followed tell this process when they execute another one.
  private func reap() {
    var status: Int32 = 0
    while case let child = waitpid(-1, &status, WNOHANG | Self.wall), child > 0 {
      _ = interposer_stopped(child, status, clocks)
    }
  }

  /// __WALL: threads of clients that are followed are told of too.
  private static let wall: Int32 = 0x4000_0000

  /// Takes what the guard tells.
  mutating func takeEnd(isGuardGone: Bool) {
    takeEnd(waits: false)
    if isGuardGone { hurry() }
  }

  private mutating func takeEnd(waits: Bool) {
    var status: Int32 = 0
    guard self.status == nil, interposer_end_of_program(line, waits, &status) else { return }
    self.status = status
    deadline = .now + .seconds(graceSeconds)
    if isEndWanted(status) { hurry() }
  }

  /// Whether the program ended because somebody wanted an end: of TERM and HUP always, of the keys of a
  /// terminal where it obeyed.
  private func isEndWanted(_ status: Int32) -> Bool {
    guard let askedBy else { return false }
    return askedBy == SIGTERM || askedBy == SIGHUP || status & 0x7F == askedBy
      || status == (128 + askedBy) << 8
  }

  /// Whoever is left has no time any more.
  private mutating func hurry() {
    guard !isLastWarning else { return }
    deadline = .now
  }

  /// Whether nobody needs to be waited for any more; those who outstay the program are ended.
  mutating func isOver(_ notice: (String) -> Void) -> Bool {
    guard let end = deadline, ContinuousClock.now >= end else { return false }
    let left = ClientProcesses.descendants(of: getpid()).filter { $0 != guardian }
    guard !left.isEmpty else { return true }
    if isLastWarning {
      let isOrdered = interposer_order(line, INTERPOSER_END_ALL, -1) == 0
      // Without the guard orphans are ours.
      if !isOrdered { for process in left { kill(process, SIGKILL) } }
    } else {
      if askedBy == nil {
        notice(
          "the program has ended, but \(left.count) that it started still run; "
            + "they are ended, as their /dev/i2c-N goes now")
      }
      for process in left { kill(process, SIGTERM) }
    }
    isLastWarning = true
    deadline = .now + .seconds(1)
    return false
  }

  /// The exit status of the program, 128 + n for signal n, once nobody is left or the guard ends them.
  mutating func waitForProgram() -> Int32 {
    takeEnd(waits: true)
    interposer_dismiss(guardian, line)
    let status = status ?? 0
    let signal = status & 0x7F
    if isStandingStill { return Self.standstill }
    if isLimitReached, signal == SIGTERM || signal == SIGKILL { return 0 }
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
