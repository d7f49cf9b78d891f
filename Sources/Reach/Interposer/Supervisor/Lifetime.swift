import CInterposer
import Glibc

/// Supervises the end of the program and its descendants: forwards signals, reaps exits and terminates processes that
/// outlive the program.
///
/// The program is a child of the guard process. Only the guard can determine whether the program is still alive, so
/// signals for the program are sent through the guard.
struct Lifetime {
  private let guardian: Int32
  private let line: Int32
  private let graceSeconds: Double
  /// The shared clocks that programs receive when they are executed.
  private let clocks: OpaquePointer?
  private var status: Int32?
  /// The time at which the remaining processes are terminated, and later killed.
  private var deadline: ContinuousClock.Instant?
  private var isLastWarning = false
  /// The last signal that requested the end of all processes.
  private var endSignal: Int32?
  /// `true` after a signal requested the end of all processes.
  var isEndRequested: Bool { endSignal != nil }
  /// `true` after the program was terminated because its time limit was reached.
  private(set) var isLimitReached = false
  /// `true` after a signal was passed to the guard, until the guard has sent it.
  private var isSignalUnderWay = false
  /// `true` after the programs were terminated because they stalled.
  private var isStalled = false

  /// The exit status if a stall ended the program, the same as that of timeout(1).
  static let standstill: Int32 = 124

  init(guardian: Int32, line: Int32, graceSeconds: Double, clocks: OpaquePointer?) {
    self.guardian = guardian
    self.line = line
    self.graceSeconds = graceSeconds
    self.clocks = clocks
  }

  /// The time to wait for events, in milliseconds; -1 means no limit.
  var longestWaitMilliseconds: Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - .now).components
    return Int32(
      clamping: max(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 0))
  }

  /// Forwards pending signals to the program.
  ///
  /// A terminal also sends its signals to the program itself, so they are not forwarded. Only signals sent to this
  /// process alone are forwarded.
  mutating func handleSignals(from descriptor: Int32) {
    var sender: Int32 = 0
    while case let signal = interposer_signal(descriptor, &sender), signal != 0 {
      switch signal {
      case SIGCHLD: reap()
      case SIGUSR1, SIGUSR2: pass(signal)
      default:
        endSignal = signal
        if status != nil { endNow() } else if sender != 0 || signal == SIGTERM { pass(signal) }
      }
    }
  }

  /// Sends SIGTERM to the program once because its time limit was reached, and starts the grace period.
  mutating func limitIsReached() {
    guard !isLimitReached, status == nil else { return }
    isLimitReached = true
    endSignal = SIGTERM
    pass(SIGTERM)
    deadline = .now + .seconds(graceSeconds)
  }

  /// Terminates the stalled program once.
  mutating func endStalled() {
    guard !isStalled, status == nil else { return }
    isStalled = true
    endSignal = SIGTERM
    pass(SIGTERM)
    deadline = .now + .seconds(1)
  }

  /// Passes a descriptor to the guard, which keeps it open after this process has ended.
  func handOver(_ order: Int32, _ descriptor: Int32) {
    _ = interposer_send_order(line, order, descriptor)
  }

  private mutating func pass(_ signal: Int32) {
    isSignalUnderWay = interposer_send_order(line, signal, -1) == 0
  }

  /// Returns `true` if the guard has sent all signals to the program that were passed to it.
  mutating func areSignalsSent() -> Bool {
    if isSignalUnderWay, interposer_are_orders_executed(line, guardian) { isSignalUnderWay = false }
    return !isSignalUnderWay
  }

  /// Reaps children, including traced threads that stop when they execute a program.
  private func reap() {
    var status: Int32 = 0
    while case let child = waitpid(-1, &status, WNOHANG | Self.wall), child > 0 {
      _ = interposer_handle_stop(child, status, clocks)
    }
  }

  /// __WALL: also wait for traced threads of clients.
  private static let wall: Int32 = 0x4000_0000

  /// Handles a message from the guard about the exit of the program, or the guard's own exit.
  mutating func handleExit(isGuardGone: Bool) {
    handleExit(waits: false)
    if isGuardGone { endNow() }
  }

  private mutating func handleExit(waits: Bool) {
    var status: Int32 = 0
    guard self.status == nil, interposer_program_status(line, waits, &status) else { return }
    self.status = status
    deadline = .now + .seconds(graceSeconds)
    if isEndWanted(status) { endNow() }
  }

  /// Returns `true` if the user requested the exit, by SIGTERM or SIGHUP or by a terminal signal that ended the
  /// program.
  private func isEndWanted(_ status: Int32) -> Bool {
    guard let endSignal else { return false }
    return endSignal == SIGTERM || endSignal == SIGHUP || status & 0x7F == endSignal
      || status == (128 + endSignal) << 8
  }

  /// Ends the grace period immediately.
  mutating func endNow() {
    guard !isLastWarning else { return }
    deadline = .now
  }

  /// Returns `true` when no process remains to be waited for.
  ///
  /// Terminates, then kills, the processes that remain after the grace period.
  mutating func isOver(_ notice: (String) -> Void) -> Bool {
    guard let end = deadline, ContinuousClock.now >= end else { return false }
    let left = ClientProcesses.descendants(of: getpid()).filter { $0 != guardian }
    guard !left.isEmpty else { return true }
    if isLastWarning {
      let isOrdered = interposer_send_order(line, INTERPOSER_END_ALL, -1) == 0
      // If the guard is gone, orphans are children of this process.
      if !isOrdered { for process in left { kill(process, SIGKILL) } }
    } else {
      if endSignal == nil {
        notice(
          "the program has exited, but \(left.count) of its child processes "
            + "\(left.count == 1 ? "is" : "are") still running and lose /dev/i2c-N; terminating")
      }
      for process in left { kill(process, SIGTERM) }
    }
    isLastWarning = true
    deadline = .now + .seconds(1)
    return false
  }

  /// Waits until the guard reports the exit of the program.
  ///
  /// - Returns: the exit status; 128 + n if signal n ended the program, 124 after a stall, and 0 if the time limit
  ///   ended it.
  mutating func waitForProgram() -> Int32 {
    handleExit(waits: true)
    interposer_dismiss(guardian, line)
    let status = status ?? 0
    let signal = status & 0x7F
    if isStalled { return Self.standstill }
    if isLimitReached, signal == SIGTERM || signal == SIGKILL { return 0 }
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

/// A message for the user about a program that runs on the interposed buses.
public struct InterposerNotice: Hashable, Sendable, CustomStringConvertible {
  /// The subject of a notice.
  public enum Subject: Hashable, Sendable {
    /// The interposer cannot provide a node, a file or a system call as Linux would.
    case notServed
    /// A clock, wait or timer of a program follows the machine's clock although the program runs in
    /// virtual time.
    case machineTime
    /// Programs in virtual time make no progress.
    case standstill
    /// Child processes outlived the program and are being terminated.
    case outlived
    /// An adapter was unplugged or plugged in.
    case connection
  }

  /// The subject of the notice.
  public let subject: Subject
  /// The message, one sentence.
  public let text: String
  /// The time of the event in nanoseconds of the buses; `nil` if it is that of the report.
  public var time: UInt64?

  /// The message.
  public var description: String { text }
}
