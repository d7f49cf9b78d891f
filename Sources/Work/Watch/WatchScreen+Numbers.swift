import Barometry
import Quantities
import Text

extension WatchScreen {
  /// A pressure in the chosen unit.
  package func value(_ pascals: Double) -> String {
    Decimal.fixed(pascals / unit.pascals, state.settings.digits)
  }

  /// What is known, in numbers and words; each line says how much it matters.
  package func numbers(width: Int) -> [Line] {
    guard let found = state.analysis.assessment(at: state.now) else {
      return wrapped(
        state.failure ?? "waiting for the first sample", width, .yellow, rank: .word)
    }
    let isOld =
      found.status == .stale || found.status == .fault || state.course == .stopped
    let reserve = state.purpose == .cabin ? cabin(found, isOld, width) : weather(width)
    // Next to a large reserve time the pressure is large only where there is room for both.
    let isSurplus = reserve.contains { $0.rank == .large }
    var lines = status(found, width)
    // An old number is crossed out, never shown as if it were true.
    let number = value(found.pressure)
    let big = isOld ? String(repeating: "-", count: number.count) : number
    lines += BigDigits.lines(big).map {
      row($0, isOld ? .faint : .bold, width: width, rank: isSurplus ? .surplus : .value)
    }
    let age = Decimal.fixed(max(found.age, 0), 0)
    lines.append(
      row(
        "\(isOld ? "LAST " : "")\(number) \(unit.symbol)   \(age) s old",
        isOld ? .red : nil, width: width, rank: .status))
    if let outside = state.samples.last?.outside, !outside.isEmpty {
      lines += wrapped(
        "\(outside.map(\.rawValue).joined(separator: ", ")) outside the sensor's specification: "
          + "nobody vouches for the number", width, .red, rank: .time)
    }
    lines += reserve
    let change = (found.pressure - found.initial) / unit.pascals
    let changed = isOld ? "-" : Decimal.signed(change, state.settings.digits)
    lines.append(
      row("initial \(value(found.initial))   change \(changed)   n \(state.count)", width: width))
    return lines
  }

  private func status(_ found: LeakAssessment, _ width: Int) -> [Line] {
    var lines = [row(word(found), look(found), width: width, rank: .word)]
    if state.purpose == .cabin, state.haven.isCalled { lines += large("SAFE HAVEN", width) }
    if let prompt = state.prompt { lines += wrapped(prompt.text, width, .bold, rank: .reserve) }
    if let export = state.export {
      lines += wrapped(
        export.sentence, width, export.isFailure ? .red : .faint,
        rank: export.isFailure ? .time : .limits)
    }
    if let failure = state.failure { lines += wrapped(failure, width, .red, rank: .time) }
    if state.alike >= 15 {
      lines += wrapped(
        "\(state.alike) samples exactly alike: does it still measure?", width, .red, rank: .time)
    }
    if let recording = state.recording {
      let fails = state.recordingFails
      lines += wrapped(recording, width, fails ? .red : .faint, rank: fails ? .time : .limits)
    }
    return lines
  }

  /// The least terminal width in columns for large words and times.
  static let leastForLarge = 60

  /// What the crew must see from afar; nothing on a narrow terminal.
  func large(_ text: String, _ width: Int) -> [Line] {
    let lines = BigDigits.lines(text)
    // A number that does not fit is not cut.
    guard columns >= Self.leastForLarge, lines.allSatisfy({ $0.count <= width }) else { return [] }
    return lines.map { row($0, .red, width: width, rank: .large) }
  }
}
