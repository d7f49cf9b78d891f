import CProcess
import Glibc
import Support

/// The preparation at the start of every command, which ensures that output to a closed standard
/// descriptor does not end up in a file that the command opens.
package enum ProgramStart {
  /// Opens /dev/null for closed standard descriptors and makes failing writes return an error.
  package static func prepare() {
    openStandardDescriptors()
    if ProgramEnvironment[ProgramEnvironment.endsWithParent] != nil {
      process_end_with_parent()
      unsetenv(ProgramEnvironment.endsWithParent)
    }
    // A handler instead of SIG_IGN, because child processes would inherit SIG_IGN.
    catchUnlessIgnored(SIGPIPE)
    catchUnlessIgnored(SIGXFSZ)
  }

  private static func catchUnlessIgnored(_ number: Int32) {
    var action = sigaction()
    sigaction(number, nil, &action)
    guard action.__sigaction_handler.sa_handler == nil else { return }
    action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }

  /// `true` if standard output was closed at the start, so that output to it is lost.
  private(set) nonisolated(unsafe) static var isOutputClosed = false
  /// `true` if output to a closed standard output was lost.
  package nonisolated(unsafe) static var hasLostOutput = false

  /// Opens /dev/null for closed standard descriptors, lowest first, so that no other file gets their numbers.
  private static func openStandardDescriptors() {
    openIfClosed(STDIN_FILENO)
    isOutputClosed = openIfClosed(STDOUT_FILENO)
    openIfClosed(STDERR_FILENO)
  }

  /// Opens /dev/null for one closed descriptor; those below it are open.
  ///
  /// No loop: the iterator of a range, whose type is looked up at run time in unoptimised code, would take a third of a
  /// millisecond of each start.
  @discardableResult
  private static func openIfClosed(_ number: Int32) -> Bool {
    guard fcntl(number, F_GETFD) < 0 else { return false }
    // open() returns the lowest free descriptor, which is the closed one.
    _ = open("/dev/null", O_RDWR)
    return true
  }
}

/// Termination and reload signals, recorded for the main loop.
enum EndSignals {
  nonisolated(unsafe) private static var last: sig_atomic_t = 0
  nonisolated(unsafe) private static var reload: sig_atomic_t = 0
  nonisolated(unsafe) private static var requests: sig_atomic_t = 0

  /// Installs the handlers.
  ///
  /// - Parameter reloads: whether SIGHUP requests a reload instead of termination.
  static func notice(reloads: Bool = false) {
    var ends = sigset_t()
    sigemptyset(&ends)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      // Keep a signal ignored if the parent process ignored it, for example nohup.
      var action = sigaction()
      sigaction(number, nil, &action)
      let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      if reloads, number == SIGHUP {
        signal(number) { _ in EndSignals.reload = 1 }
      } else if !isIgnored {
        signal(number) { EndSignals.last = $0 }
      }
      sigaddset(&ends, number)
    }
    // The parent process may have blocked these signals.
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  /// Lets SIGUSR1 request a forecast.
  static func noticeRequests() {
    signal(SIGUSR1) { _ in EndSignals.requests = 1 }
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  /// Returns `true` if SIGUSR1 has requested a forecast, and clears the request.
  static func takeRequest() -> Bool {
    defer { requests = 0 }
    return requests != 0
  }

  /// `true` if a termination signal was received.
  static var hasCome: Bool { last != 0 }

  /// `true` if SIGHUP has requested a reload.
  static var asksForReload: Bool { reload != 0 }

  /// Clears the reload request.
  static func takeReload() { reload = 0 }

  /// Terminates this process by the last signal received.
  static func terminate() -> Never {
    signal(last, SIG_DFL)
    raise(last)
    exit(128 + last)
  }
}
