import Barometry
import Runs
import Text

extension WatchScreen {
  /// What the crew is to do next with the hatches, and what the last one has told.
  func searching(_ width: Int) -> [Line] {
    guard state.isSearching else { return [] }
    return wrapped("SEARCH: \(request)", width, .bold, rank: .reserve)
      + (state.answer.map { wrapped("last answer: \($0)", width, rank: .meaning) } ?? [])
  }

  /// It in a sentence.
  private var request: String {
    let search = state.search
    func until(_ time: Double) -> String {
      "\(clock(time, isShort: true)) (in \(Decimal.fixed(max(time - state.now, 0), 0)) s)"
    }
    switch search.advice(at: state.now) {
    case .watch:
      // Behind a hatch that was moved nobody knows yet whether it still falls.
      let isNew = state.analysis.assessment(at: state.now)?.status == .settling
      return isNew
        ? "wait, the fall is being measured anew" : "no fall; nothing to close"
    case .measure: return "wait, T1mm is being measured"
    case .close(let hatch, let longest):
      return
        "close hatch \(search.name(hatch)), then press y; it may stay closed for \(Decimal.fixed(longest, 0)) s"
    case .wait(let hatch, let time):
      return "wait; open \(search.name(hatch)) again by \(until(time)), then press y"
    case .open(let hatch, let time):
      return time < state.now
        ? "open \(search.name(hatch)) NOW: its time ended \(Decimal.fixed(state.now - time, 0)) s ago, "
          + "and the air may hold it shut; then press y"
        : "open \(search.name(hatch)) again by \(until(time)), then press y"
    case .shut(let modules, let hatches):
      return
        "the leak is in \(modules.joined(separator: " or ")): close \(search.name(hatches[0])) for good, then press y"
    case .isOver(let modules):
      return "the leak is in \(modules.joined(separator: " or ")), shut off"
    case .stay(let modules):
      return "the leak is in \(modules.joined(separator: " or ")); no hatch tells more"
    }
  }
}
