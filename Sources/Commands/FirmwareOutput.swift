import FirmwareRuns
import Reports
import Runs
import Support

/// The output of a firmware run: UART output or events on standard output, messages on standard
/// error.
final class FirmwareOutput {
  private let format: FirmwareCommand.Format
  private let output: Output
  private let isSilent: Bool
  private let events: EventOutput?
  private let sentences: ProgramReport
  private let report: (any RunReport)?
  private let showsEnergy: Bool
  private var consumption: [RunEvent.Consumption] = []
  /// What the displays show at the end.
  private(set) var screens: [RunEvent.Screen] = []
  private var atLineStart = true
  private let progress = Progress()

  /// Creates the output.
  ///
  /// - Parameters:
  ///   - format: the format of standard output.
  ///   - output: standard output.
  ///   - isSilent: whether standard error stays empty.
  ///   - explanation: the command that explains the bus errors of the image.
  ///   - events: a file for the events.
  ///   - showsEnergy: whether the battery estimate is printed on exit.
  init(
    _ format: FirmwareCommand.Format, _ output: Output, isSilent: Bool, explanation: String,
    events: EventOutput?, showsEnergy: Bool
  ) {
    self.format = format
    self.output = output
    self.isSilent = isSilent
    self.events = events
    self.showsEnergy = showsEnergy
    sentences = ProgramReport(explanation: explanation) { [progress] sentence in
      guard !isSilent else { return }
      progress.clear()
      StandardError.say(sentence)
    }
    switch format {
    case .text: report = nil
    case .json: report = JSONReport { output.write($0) }
    case .jsonl: report = JSONLinesReport { output.write($0) }
    }
  }

  /// Writes bytes of serial ports and of semihosting, escaped for a terminal.
  func takeBytes(_ bytes: [UInt8]) {
    guard format == .text, let last = bytes.last else { return }
    progress.clear()
    output.writeNow(bytes)
    atLineStart = last == 10
  }

  /// Writes an event.
  func take(_ event: RunEvent) {
    progress.clear()
    events?.take(event)
    report?.take(event)
    if case .consumption(let part) = event { consumption.append(part) }
    if case .screen(let screen) = event { screens.append(screen) }
    sentences.take(event)
  }

  /// Shows the progress on a terminal, unless a serial port has printed an incomplete line.
  ///
  /// - Parameters:
  ///   - time: the elapsed time in nanoseconds.
  ///   - duration: the duration of the run in nanoseconds.
  func show(_ time: UInt64, of duration: UInt64) {
    if !isSilent, atLineStart { progress.show(time, of: duration) }
  }

  /// Erases the progress bar.
  func clear() { progress.clear() }

  /// Prints how the run ended.
  ///
  /// - Parameters:
  ///   - ending: the reason.
  ///   - lead: the start of the run, in nanoseconds of bench time.
  ///   - hasLimit: whether the duration was given by the user or the rig.
  func finish(_ ending: FirmwareEnding, from lead: UInt64, hasLimit: Bool) {
    progress.clear()
    if format == .text, !atLineStart { output.write("\n") }
    report?.finish()
    output.flush()
    guard !isSilent else { return }
    let seconds = Double(ending.time &- lead) / 1e9
    if case .time = ending.cause, !hasLimit {
      StandardError.say(
        "\(Decimal.shortest(seconds)) s have passed; set another duration with --for")
    }
    if case .off = ending.cause {
      StandardError.say("the program has entered power-off without a wake-up source")
    }
    if format == .text {
      for line in screens.flatMap(\.drawing) { StandardError.write(line + "\n") }
    }
    if showsEnergy, format == .text {
      StandardError.write(
        EnergyText.lines(consumption, seconds: seconds).joined(separator: "\n") + "\n")
    }
  }
}
