import Barometry
package import Environment
import Quantities
import Runs

/// The keys of a watch.
extension WatchState {
  /// Handles a key.
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

  /// Handles the keys of the help and marks pages.
  ///
  /// Any other key except Ctrl-C closes the page. Returns `true` if the key was handled.
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

  /// Pauses, resumes, stops or restarts the measurement.
  private mutating func steer(_ key: Character) -> Effect {
    switch (key, course) {
    case (" ", .running), ("p", .running):
      course = .paused
      note("pause")
    case (" ", .paused), ("p", .paused):
      course = .running
      search.restart()
      note(RecordedMark.resumed)
    case ("x", .running), ("x", .paused): prompt = .stop
    case ("b", .stopped):
      course = .running
      restart()
      note(RecordedMark.start)
    default: return .nothing
    }
    return .redraw
  }

  /// Discards all results; the next sample starts a new measurement.
  mutating func restart() {
    search.begin()
    search.restart()
    search.analysis.begin()
  }

  /// Handles the key by which the crew confirms that it has moved the hatch that the guided search
  /// requested.
  private mutating func confirm() -> Effect {
    guard let action = search.advice(at: now).action else { return .nothing }
    switch action {
    case .close(let hatch): note(search.moved(hatch, isOpen: false, at: now))
    case .open(let hatch): note(search.moved(hatch, isOpen: true, at: now))
    default: return .nothing
    }
    return .moved(action)
  }

  /// Handles the key by which the crew reports that an unspecified hatch was moved, which
  /// invalidates the earlier results of the search.
  private mutating func movedElsewhere() -> Effect {
    search.movedElsewhere()
    note("hatch")
    return .redraw
  }

  /// Handles the answer to a prompt; unexpected keys cancel the prompt.
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

extension WatchState {
  /// A prompt before an action that cannot be undone.
  package enum Prompt: Hashable, Sendable {
    /// Asks whether the recording ends or continues after its export.
    case export
    /// Asks whether to reset the initial pressure.
    case initial
    /// Asks whether to end the measurement.
    case stop
    /// Asks which hatch was moved; the texts name each hatch and its state.
    case hatch([String])

    /// The text of the prompt.
    var text: String {
      switch self {
      case .export: "export: s stop recording, g continue recording, any other key: cancel"
      case .initial: "use this pressure as the initial pressure? y yes, any other key: no"
      case .stop: "stop measuring? a new measurement can be started later. y yes, any other key: no"
      case .hatch(let names):
        "which hatch was moved? "
          + zip(Self.keys, names).map { "\($0) \($1)" }.joined(separator: ", ")
          + ", 0 another hatch, any other key: cancel"
      }
    }

    /// The keys that select hatches, in order.
    static let keys = "123456789abcdefghijklmnopqrstuvwxyz"

    /// Returns the index of the hatch that a key selects.
    static func hatch(_ key: Character) -> Int? {
      keys.firstIndex(of: key).map { keys.distance(from: keys.startIndex, to: $0) }
    }
  }

  /// The effect of a key.
  package enum Effect: Sendable {
    /// Redraws the screen.
    case redraw
    /// Saves the changed settings.
    case settings
    /// The crew moved a hatch.
    case moved(CabinPlan.Action)
    /// The crew moves the hatches from now on, so the rig's schedule of moves is cancelled.
    case leads
    /// Exports the recording and ends or continues it.
    case export(ends: Bool)
    /// Ends the watch.
    case quit
    /// No effect.
    case nothing
  }
}
