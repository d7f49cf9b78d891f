import Barometry
import Environment
import Quantities
import Runs

/// What the keys of a watch do.
extension WatchState {
  /// Does what a key means.
  package mutating func press(_ key: Character) -> Effect {
    if turn(key) { return .redraw }
    if let prompt, key != "\u{3}" { return answer(prompt, with: key) }
    let past = (samples.last?.time ?? 0) - (samples.first?.time ?? 0)
    if view.press(key, scale: Double(settings.scale), past: past) { return .redraw }
    switch key {
    case "q", "\u{3}": return .quit
    case " ", "p", "x", "b": return steer(key)
    case "m":
      note("mark")
      return .redraw
    case "e" where recording != nil:
      prompt = .export
      return .redraw
    case "t" where purpose == .cabin:
      page = .chart
      return .redraw
    case "i" where !samples.isEmpty:
      prompt = .initial
      return .redraw
    case "h" where purpose == .cabin:
      guard let plan = search.plan, !plan.hatches.isEmpty else { return movedElsewhere() }
      prompt = .hatch(
        plan.hatches.indices.map {
          "\(search.name($0)) (\(search.isOpen[$0] ? "open" : "closed"))"
        })
      return .redraw
    case "g" where purpose == .cabin && search.plan?.hatches.isEmpty == false:
      isSearching.toggle()
      search.dropPlan()
      answer = nil
      note(isSearching ? "search begins" : "search ends")
      return .leads
    case "y" where isSearching: return confirm()
    case "u":
      let symbols = PressureUnit.allCases.map { "\($0.symbol)" }
      settings.unit = WatchSettings.next(settings.unit, of: symbols)
    case "d": settings.digits = (settings.digits + 1) % 5
    case "z": settings.scale = WatchSettings.next(settings.scale, of: WatchSettings.scales)
    case "s": settings.scrolls.toggle()
    case "l":
      settings.layout = WatchSettings.next(settings.layout, of: WatchSettings.Layout.allCases)
    case "r": settings.period = WatchSettings.next(settings.period, of: WatchSettings.periods)
    default: return .nothing
    }
    return .settings
  }

  /// Turns pages, and goes back from them with any other key but Ctrl-C; whether the key did so.
  private mutating func turn(_ key: Character) -> Bool {
    switch (key, page) {
    case ("?", .help(let number)): page = .help(number + 1)
    case ("?", _): page = .help(0)
    case ("n", .marks(let number)): page = .marks(number + 1)
    case ("n", nil) where prompt == nil: page = .marks(0)
    case ("\u{3}", _), (_, nil): return false
    default: page = nil
    }
    return true
  }

  /// Pauses and goes on, stops, or begins anew.
  private mutating func steer(_ key: Character) -> Effect {
    switch (key, course) {
    case (" ", .running), ("p", .running):
      course = .paused
      note("pause")
    case (" ", .paused), ("p", .paused):
      course = .running
      search.restart()
      note(RecordedMark.goesOn)
    case ("x", .running), ("x", .paused): prompt = .stop
    case ("b", .stopped):
      course = .running
      beginAnew()
      note(RecordedMark.start)
    default: return .nothing
    }
    return .redraw
  }

  /// Forgets all that was found: the next sample is the first of another measurement.
  mutating func beginAnew() {
    search.begin()
    search.restart()
    search.analysis.begin()
  }

  /// Notes that what was asked for has been done.
  private mutating func confirm() -> Effect {
    guard let action = search.advice(at: now).action else { return .nothing }
    switch action {
    case .close(let hatch): note(search.moved(hatch, isOpen: false, at: now))
    case .open(let hatch): note(search.moved(hatch, isOpen: true, at: now))
    default: return .nothing
    }
    return .moved(action)
  }

  /// Notes a hatch that was moved and is not known: what was before tells nothing of what is now.
  private mutating func movedElsewhere() -> Effect {
    search.movedElsewhere()
    note("hatch")
    return .redraw
  }

  /// Does what an answer means; any other key than those asked for does nothing.
  private mutating func answer(_ prompt: Prompt, with key: Character) -> Effect {
    self.prompt = nil
    switch (prompt, key) {
    case (.export, "s"): return .export(ends: true)
    case (.export, "g"): return .export(ends: false)
    case (.stop, "y"):
      course = .stopped
      isSearching = false
      note("stop")
      return .redraw
    case (.initial, "y"):
      search.analysis.resetInitial()
      note("initial")
      return .redraw
    case (.hatch, "0"): return movedElsewhere()
    case (.hatch(let names), _):
      guard let hatch = Prompt.hatch(key), hatch < names.count else { return .redraw }
      let opens = !search.isOpen[hatch]
      search.dropPlan()
      note(search.moved(hatch, isOpen: opens, at: now))
      return .moved(opens ? .open(hatch) : .close(hatch))
    default: return .redraw
    }
  }
}
