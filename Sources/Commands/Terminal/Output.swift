import ArgumentParser
import Audit
import Bench
import Glibc
import Reports
import Rigs
import Runs
import Support
import Synchronization

/// Buffered standard output.
package final class Output {
  private var buffer: [UInt8] = []
  private let isInteractive = Output.isTerminal

  /// Creates the output.
  package init() {}

  private static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The style: colour on a terminal, unless NO_COLOR is set or TERM is `dumb`.
  static var style: Style {
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return Style(isColoured: isTerminal && !isDumb && !isUnwanted)
  }

  /// The width of the terminal in columns; `nil` if standard output is not a terminal.
  static var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Formats a finding as one line, coloured by severity on a terminal.
  static func line(of finding: Finding) -> String {
    let look: Style.Look? =
      switch finding.severity {
      case .error: .red
      case .warning: .yellow
      case .passed: .green
      case .skipped: .faint
      default: nil
      }
    return look.map { style($0, finding.line) } ?? finding.line.visible
  }

  /// Writes text from this program; buffered unless standard output is a terminal.
  package func write(_ text: String) {
    buffer += TerminalText.safe(text).utf8
    if isInteractive || buffer.count >= 1 << 16 { flush() }
  }

  /// Writes bytes without buffering.
  func writeNow(_ bytes: [UInt8]) {
    flush()
    write(all: bytes)
  }

  /// Flushes the buffer.
  package func flush() {
    write(all: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes bytes; exits on an error.
  private func write(all bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    // The command still writes its files and fails at its end.
    if ProgramStart.isOutputClosed { ProgramStart.hasLostOutput = true }
    let failure = writeAll(bytes, to: STDOUT_FILENO)
    guard failure == 0 else {
      Drafts.removeAll()
      if failure == EPIPE {
        // The reader, such as 'head', has closed the pipe: end by SIGPIPE without a message.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      StandardError.say("standard output: \(String(cString: strerror(failure)))")
      exit(Failure.Kind.inputOutput.rawValue)
    }
  }
}

/// Standard error, for messages that begin with `aneroid:`.
package enum StandardError {
  /// Whether messages wait for a reader of standard error; if not, they are left out while nothing reads it.
  ///
  /// Default: `true`.
  static var waitsForReader: Bool {
    get { waiting.load(ordering: .relaxed) }
    set { waiting.store(newValue, ordering: .relaxed) }
  }

  private static let waiting = Atomic(true)
  /// The number of messages that were left out since the last one that was written.
  private static let unread = Atomic(0)

  /// Writes one message.
  package static func say(_ message: String) {
    write("aneroid: \(message.visible)\n")
  }

  /// Rings the bell if standard error is a terminal.
  static func ring() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    _ = Glibc.write(STDERR_FILENO, "\u{7}", 1)
  }

  /// Writes the messages of a failure and returns its exit status.
  static func exit(_ failure: Failure) -> ExitCode {
    failure.messages.forEach(say)
    return ExitCode(failure.exitStatus)
  }

  /// Writes text of this program, which may have several lines and styles; escapes all other
  /// control sequences.
  package static func write(_ text: String) {
    var text = TerminalText.safe(text)
    guard !waitsForReader else {
      return text.withUTF8 { bytes in
        _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
      }
    }
    guard isReady else {
      unread.add(1, ordering: .relaxed)
      return
    }
    let lost = unread.exchange(0, ordering: .relaxed)
    let gap = "aneroid: nothing read standard error; \("message".counted(lost)) left out\n"
    let bytes = Array((lost == 0 ? text : gap + text).utf8)
    // A pipe that is ready accepts this much without waiting.
    for start in stride(from: 0, to: bytes.count, by: Int(PIPE_BUF)) where start == 0 || isReady {
      let chunk = bytes[start..<min(start + Int(PIPE_BUF), bytes.count)]
      _ = chunk.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }

  /// `true` if standard error accepts `PIPE_BUF` bytes without waiting for a reader.
  private static var isReady: Bool {
    var state = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&state, 1, 0) == 1
  }
}

/// A file of the events of `aneroid exec` or `aneroid firmware` as JSON Lines, written as they
/// occur.
///
/// An existing file is kept if no event of the bench occurred, for example for a missing program or
/// a rig with errors.
final class EventOutput: RunReport {
  /// The error message for `--silent` without `--events`.
  static let missingForSilence =
    "--silent requires --events, the only other output of the events"

  private let file: OutputFile
  private let report: JSONLinesReport
  /// `true` while an existing file is still in place.
  private(set) var keepsOlder: Bool

  /// Creates the file; if the destination is an open descriptor, the program that the command runs
  /// does not inherit it.
  ///
  /// - Throws: `Failure` if the file cannot be written.
  init(_ place: OutputDestination) throws(Failure) {
    if case .descriptor(let number) = place.form, number > STDERR_FILENO {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
    let file = try OutputFile(place, isDurable: false)
    self.file = file
    report = JSONLinesReport { line in file.write(Array(line.utf8)) }
    if case .draft(.some) = place.form { keepsOlder = true } else { keepsOlder = false }
  }

  /// Calls a closure with the failure when writing fails for the first time.
  func onFailure(_ action: @escaping (Failure) -> Void) { file.onFailure = action }

  /// Writes the event.
  func take(_ event: RunEvent) {
    report.take(event)
    switch event {
    case .began, .failure: break
    default: keepsOlder = false
    }
    // Readers of the file see each event as soon as it is written.
    if !keepsOlder { file.appear() }
  }

  /// Closes the file.
  ///
  /// - Throws: `Failure` if a write failed.
  func close() throws(Failure) { if !keepsOlder { try file.finish() } }
}

/// Annotations for GitHub Actions.
enum GitHub {
  /// Writes annotations to standard error when running on GitHub Actions, which parses it.
  static func annotate(_ lines: [String]) {
    guard ProgramEnvironment["GITHUB_ACTIONS"] == "true" else { return }
    lines.forEach { StandardError.write($0 + "\n") }
  }
}

/// A progress bar for long runs, on standard error if that is a terminal.
final class Progress: RunReport {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var duration: UInt64 = 0
  private var lastShown: UInt64 = 0
  private var isOnLine = false
  private let clock = WallClock()

  /// Shows the time of an event, at most ten times a second.
  func take(_ event: RunEvent) {
    guard isShown else { return }
    switch event {
    case .began(let rig, _): duration = rig.duration ?? 0
    case .reading(let reading): show(reading.time, of: duration)
    case .verdict: clear()
    default: break
    }
  }

  /// Erases the progress bar.
  func clear() {
    guard isOnLine else { return }
    StandardError.write("\r\u{1B}[K")
    isOnLine = false
  }

  /// Shows the progress, at most ten times a second.
  ///
  /// - Parameters:
  ///   - time: the elapsed time in nanoseconds.
  ///   - duration: the duration of the run in nanoseconds.
  func show(_ time: UInt64, of duration: UInt64) {
    let now = clock.nanoseconds
    guard isShown, duration > 0, now - lastShown >= 100_000_000 else { return }
    lastShown = now
    isOnLine = true
    let percent = min(Int(100 * Double(time) / Double(duration)), 100)
    let bar = String(repeating: "#", count: percent / 5)
    let rest = String(repeating: ".", count: 20 - percent / 5)
    StandardError.write("\r\u{1B}[Kaneroid: [\(bar)\(rest)] \(percent) %")
  }
}

/// A progress line for an audit, on standard error if that is a terminal.
final class AuditProgress {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let count: Int
  private var done = 0, found = 0

  init(count: Int) { self.count = count }

  /// Counts a judgement and updates the line.
  func take(_ judgement: Judgement) {
    done += 1
    if judgement.verdict.isFinding { found += 1 }
    guard isShown else { return }
    StandardError.write("\r\u{1B}[Kaneroid: \(done) of \(count) scenarios, \(found) with a finding")
  }

  /// Erases the line.
  func clear() {
    if isShown, done > 0 { StandardError.write("\r\u{1B}[K") }
  }
}

/// The optional HTML page and SVG plots of a run.
final class PageOutput {
  let recorder = PageRecorder()

  private let page: String?
  private let plots: String?
  /// The files that were read and must not be overwritten.
  private let inputs: [String]
  /// The other output files.
  private let others: [String?]
  /// The trace with the transfers around failures: the user's file or a temporary one.
  let trace: String?
  private let scratch: ScratchFile?

  /// Creates the output of a run; `nil` if neither a page nor plots are requested.
  ///
  /// - Throws: `Failure` if the folder of the plots is not usable.
  init?(
    of rig: Rig, page: String?, plots: String?, trace: String?, inputs: [String],
    others: [String?] = []
  ) throws(Failure) {
    guard page != nil || plots != nil else { return nil }
    if let plots { try Self.check(folder: plots, page: page) }
    self.page = page
    self.plots = plots
    self.inputs = inputs
    self.others = others
    let needsTrace =
      trace == nil && page != nil && rig.expectations.contains(where: \.canHaveMoment)
    scratch = needsTrace ? try ScratchFile() : nil
    self.trace = trace ?? scratch?.path
  }

  /// Checks that a folder can be created or written.
  private static func check(folder plots: String, page: String?) throws(Failure) {
    guard !plots.isEmpty else { throw Failure(.usage, "--plots requires a folder name") }
    var folder = plots[...]
    while !folder.isEmpty, !TextFile.exists(String(folder)) {
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    let start = plots.hasPrefix("/") ? "/" : "."
    let existing = folder.isEmpty ? start : String(folder)
    guard TextFile.isFolder(existing) else {
      throw Failure(.inputOutput, "\(existing): is not a folder; --plots requires a folder")
    }
    let place = try OutputDestination("\(existing)/plot.svg")
    // The names of the plots are known only after the run.
    if let page, page.hasSuffix(".svg"), existing == plots,
      try OutputDestination(page).folder == place.folder
    {
      throw Failure(.usage, "\(page): may be overwritten by a plot of --plots; use an .html file")
    }
  }

  /// Writes the page and the plots after the run, when its trace is closed.
  func write() throws(Failure) {
    guard let made = try Page(recorder, trace: page == nil ? nil : trace) else { return }
    if let plots { try write(made.pictureFiles, into: plots) }
    if let page { try OutputFile.write(made.html, to: page) }
  }

  private func write(
    _ pictures: [(name: String, svg: String)], into folder: String
  ) throws(Failure) {
    try Folder.make(folder)
    let files = pictures.map { "\(folder)/\($0.name).svg" }
    try OutputDestination.check(files + [page] + others, reading: inputs)
    for (file, picture) in zip(files, pictures) { try OutputFile.write(picture.svg, to: file) }
  }
}
