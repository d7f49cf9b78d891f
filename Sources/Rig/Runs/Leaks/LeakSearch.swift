import Barometry
package import Environment
package import Rigs
import Text

/// A crew that watches for a leak and closes hatches to find it.
///
/// It knows the hatches and when they are moved, never the leak: after each move the slopes begin anew, and what becomes of
/// the fall tells on which side the leak is.
package struct LeakSearch {
  /// What a move of a hatch has shown.
  package enum Finding: Hashable {
    /// The fall goes on: these modules are tight.
    case cleared([String])
    /// The fall has stopped: the leak is in one of these modules.
    case isolated([String])
    /// Only one module is left.
    case found(String)
  }

  /// The slopes of the pressure, the only analysis of a run: what its reports show comes from here.
  private(set) var analysis: LeakAnalysis
  /// The modules that may leak.
  private(set) var suspects: Set<Int>

  private let plan: CabinPlan?
  /// The module of the sensor.
  private let module: Int
  private var isOpen: [Bool]
  private var waiting: ArraySlice<CabinPlan.Operation>
  /// The speed of the fall before the last hatch was closed, in Pa/s, and what lies behind it.
  private var question: (speed: Double, beyond: Set<Int>)?

  package init(
    _ watch: Pipeline.LeakWatch, period: Double, filter: Double, plan: CabinPlan?, module: Int
  ) {
    analysis = LeakAnalysis(period: period, filter: filter)
    analysis.limit = watch.limit
    self.plan = plan
    self.module = module
    isOpen = plan?.hatches.map(\.isOpen) ?? []
    suspects = Set(plan?.modules.indices ?? 0..<0)
    waiting = (plan?.operations ?? []).filter(\.action.isMove)[...]
  }

  /// Notes the hatches that have been moved until a time in nanoseconds.
  ///
  /// - Returns: sentences for the crew's log.
  package mutating func move(until time: UInt64) -> [String] {
    var sentences: [String] = []
    while let next = waiting.first, next.time <= time, let plan {
      waiting.removeFirst()
      let speed = analysis.assessment(at: Double(time) / 1e9).flatMap {
        $0.status == .leak ? $0.rate.map { -$0.value } : nil
      }
      let before = plan.joined(with: module, isOpen)
      switch next.action {
      case .close(let hatch):
        isOpen[hatch] = false
        sentences.append("hatch \(name(hatch)) closed")
      case .open(let hatch):
        isOpen[hatch] = true
        sentences.append("hatch \(name(hatch)) opened")
      default: break
      }
      let beyond = before.subtracting(plan.joined(with: module, isOpen))
      question = speed.flatMap { beyond.isEmpty ? nil : ($0, beyond) }
      analysis.restart()
    }
    return sentences
  }

  private func name(_ hatch: Int) -> String {
    guard let plan else { return "" }
    return
      "\(plan.modules[plan.hatches[hatch].one].name)-\(plan.modules[plan.hatches[hatch].other].name)"
  }

  package mutating func fail() { analysis.fail() }

  /// Takes a sample.
  ///
  /// - Returns: what the last move of a hatch has shown, once.
  package mutating func take(_ pascals: Double, celsius: Double, at seconds: Double) -> Finding? {
    analysis.take(pascals, celsius: celsius, at: seconds)
    guard let question, let rate = analysis.assessment(at: seconds)?.rates.last, rate.span >= 20
    else { return nil }
    if abs(rate.value) + 3 * rate.uncertainty < question.speed / 3 {
      return narrow(to: suspects.intersection(question.beyond)) { .isolated($0) }
    }
    if rate.value + 3 * rate.uncertainty < -question.speed / 2 {
      let beyond = names(question.beyond)
      return narrow(to: suspects.subtracting(question.beyond)) { _ in .cleared(beyond) }
    }
    return nil
  }

  private mutating func narrow(to left: Set<Int>, _ finding: ([String]) -> Finding) -> Finding {
    question = nil
    // What contradicts everything known begins the search anew.
    suspects = left.isEmpty ? Set(plan?.modules.indices ?? 0..<0) : left
    return suspects.count == 1 ? .found(names(suspects)[0]) : finding(names(suspects))
  }

  private func names(_ modules: Set<Int>) -> [String] {
    modules.inOrder().compactMap { plan?.modules[$0].name }
  }
}

extension CabinPlan.Action {
  /// Whether a hatch is moved.
  fileprivate var isMove: Bool {
    switch self {
    case .close, .open: true
    default: false
    }
  }
}
