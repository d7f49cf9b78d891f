import Barometry
package import Environment

extension LeakSearch {
  /// What a crew does next.
  package enum Advice: Hashable {
    /// Nothing: the pressure does not fall, or there is no hatch.
    case watch
    /// It waits until T1mm is known.
    case measure
    /// It closes a hatch, for so many seconds at most.
    case close(Int, longest: Double)
    /// It waits for the answer of a closed hatch, which must be open again by a time in seconds.
    case wait(Int, until: Double)
    /// It opens a hatch again, by a time in seconds.
    case open(Int, by: Double)
    /// The leak is in these modules: it closes these hatches and leaves them closed.
    case shut([String], hatches: [Int])
    /// The leak is in these modules, which are shut off.
    case isOver([String])
    /// The leak is in these modules, and no hatch can tell more or shut them off.
    case stay([String])

    /// The hatch that is to be moved now, if one is.
    package var action: CabinPlan.Action? {
      switch self {
      case .close(let hatch, _): .close(hatch)
      case .open(let hatch, _), .wait(let hatch, _): .open(hatch)
      case .shut(_, let hatches): hatches.first.map { .close($0) }
      default: nil
      }
    }
  }

  /// The modules among which no hatch can tell any more where the leak is.
  ///
  /// - Parameter seconds: now.
  /// - Returns: their names; `nil` as long as a hatch can, and if a single module is left.
  package func undecided(at seconds: Double) -> [String]? {
    switch advice(at: seconds) {
    case .stay(let names), .shut(let names, _), .isOver(let names): names.count > 1 ? names : nil
    default: nil
    }
  }

  /// Whether no hatch can tell any more where the leak is.
  package var isSolved: Bool { hasBegun && splitting.isEmpty }

  /// What to do at a time in seconds.
  package func advice(at seconds: Double) -> Advice {
    guard let plan, !plan.hatches.isEmpty else { return .watch }
    if isSolved { return solved(plan) }
    if let question, !isOpen[question.hatch] {
      return question.answer == nil
        ? .wait(question.hatch, until: question.end) : .open(question.hatch, by: question.end)
    }
    guard let found = analysis.assessment(at: seconds), found.status == .leak else { return .watch }
    guard let most = longest(found) else { return .measure }
    guard let hatch = splitting.first else {
      return .stay(names(plan.joined(with: module, isOpen)))
    }
    return .close(hatch, longest: most)
  }

  private func solved(_ plan: CabinPlan) -> Advice {
    let border = plan.hatches.indices.filter { hatch in
      suspects.contains(plan.hatches[hatch].one) != suspects.contains(plan.hatches[hatch].other)
    }
    guard !border.isEmpty else { return .stay(names(suspects)) }
    let open = border.filter { isOpen[$0] }
    return open.isEmpty ? .isOver(names(suspects)) : .shut(names(suspects), hatches: open)
  }

  /// The hatches that would tell some suspects from others when closed: the most even first, those that failed to last.
  private var splitting: [Int] {
    guard let plan else { return [] }
    let here = plan.joined(with: module, isOpen)
    // What was suspected before any hatch was moved is what is joined with the sensor.
    let suspects = hasBegun ? self.suspects : here
    var uneven: [(hatch: Int, weight: Int)] = []
    for hatch in plan.hatches.indices {
      // The hatch of a question will be open again: it is judged as if it were.
      var (open, shut) = (isOpen, isOpen)
      open[hatch] = isOpen[hatch] || hatch == question?.hatch
      guard open[hatch] else { continue }
      if let question { open[question.hatch] = true }
      shut = open
      shut[hatch] = false
      let beyond = plan.joined(with: module, open).subtracting(plan.joined(with: module, shut))
      let part = suspects.intersection(beyond).count
      guard part > 0, part < suspects.count else { continue }
      uneven.append((hatch, abs(2 * part - suspects.count) + 100 * (failures[hatch] ?? 0)))
    }
    return uneven.sorted { ($0.weight, $0.hatch) < ($1.weight, $1.hatch) }.map(\.hatch)
  }
}
