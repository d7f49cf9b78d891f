import FirmwareRuns
import Reports
import Runs
import Text

/// Tells the run of firmware: what its UARTs say, or its events; and the rest in sentences on standard error.
final class FirmwareTeller {
  private let format: FirmwareCommand.Format
  private let output: Output
  private let isSilent: Bool
  private let events: EventOutput?
  private let sentences: ProgramReport
  private let report: (any RunReport)?
  private let showsEnergy: Bool
  private var consumption: [RunEvent.Consumption] = []
  private var atLineStart = true
  private let progress = Progress()

  /// Creates a teller.
  ///
  /// - Parameters:
  ///   - format: how standard output is told.
  ///   - output: standard output.
  ///   - isSilent: whether nothing is said on standard error.
  ///   - explanation: the command that explains what the image did wrong on a bus.
  ///   - events: a file for the events.
  ///   - showsEnergy: whether the account of the battery is told at the end.
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

  /// Takes bytes of serial ports and of semihosting, which a terminal shows as they are.
  func takeBytes(_ bytes: [UInt8]) {
    guard format == .text, let last = bytes.last else { return }
    progress.clear()
    output.writeNow(bytes)
    atLineStart = last == 10
  }

  /// Takes an event.
  func take(_ event: RunEvent) {
    progress.clear()
    events?.take(event)
    report?.take(event)
    if case .consumption(let part) = event { consumption.append(part) }
    sentences.take(event)
  }

  /// Shows on a terminal how far the run is, where no half line of a serial port stands.
  ///
  /// - Parameters:
  ///   - time: the time that has passed, in nanoseconds.
  ///   - duration: the whole time.
  func show(_ time: UInt64, of duration: UInt64) {
    if !isSilent, atLineStart { progress.show(time, of: duration) }
  }

  /// Takes the progress away, so that something else can stand there.
  func clear() { progress.clear() }

  /// Says how it ended.
  ///
  /// - Parameters:
  ///   - ending: the end.
  ///   - lead: when it began, in nanoseconds of the bench.
  ///   - hasLimit: whether somebody has said how long it runs.
  func finish(_ ending: FirmwareEnding, from lead: UInt64, hasLimit: Bool) {
    progress.clear()
    if format == .text, !atLineStart { output.write("\n") }
    report?.finish()
    output.flush()
    guard !isSilent else { return }
    let seconds = Double(ending.time &- lead) / 1e9
    if case .time = ending.cause, !hasLimit {
      StandardError.say("\(Decimal.shortest(seconds)) s have passed; --for says another time")
    }
    if case .off = ending.cause {
      StandardError.say("it has switched itself off, and nothing will wake it")
    }
    if showsEnergy, format == .text {
      StandardError.write(
        EnergyText.lines(consumption, seconds: seconds).joined(separator: "\n") + "\n")
    }
  }
}
