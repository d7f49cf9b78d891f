import Files
import Glibc
import Reports
import Runs

/// A file that takes the events of a program that runs on a bench as JSON Lines, each as it happens.
///
/// An older file stays where nothing happened on the bench: when there was no program, or the rig was wrong.
final class EventOutput: RunReport {
  /// What is said where standard error is to be silent and no such file is named.
  static let missingForSilence =
    "--silent needs --events, which tells what else nobody would hear"

  private let file: OutputFile
  private let report: JSONLinesReport
  /// Whether an older file still stands in the place.
  private(set) var keepsOlder: Bool

  /// Begins the file; the program does not inherit a descriptor that was given for it.
  ///
  /// - Throws: `Failure` when it cannot be written there.
  init(_ place: OutputPlace) throws(Failure) {
    if case .descriptor(let number) = place.form, number > STDERR_FILENO {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
    let file = try OutputFile(place, isDurable: false)
    self.file = file
    report = JSONLinesReport { line in file.write(Array(line.utf8)) }
    if case .draft(.some) = place.form { keepsOlder = true } else { keepsOlder = false }
  }

  /// Writes the event.
  func take(_ event: RunEvent) {
    report.take(event)
    switch event {
    case .began, .failure: break
    default: keepsOlder = false
    }
    // Whoever looks sees what has happened so far.
    if !keepsOlder { file.appear() }
  }

  /// Ends the file.
  ///
  /// - Throws: `Failure` when not everything could be written.
  func close() throws(Failure) { if !keepsOlder { try file.finish() } }
}
