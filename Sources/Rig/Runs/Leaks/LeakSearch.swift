package import Barometry
package import Environment
import Text

/// A crew that watches for a leak and closes hatches to find it.
///
/// It knows the hatches and when they are moved, never the leak: after each move the slopes begin anew, and what becomes of
/// the fall tells on which side the leak is. A hatch that is closed for an answer stays closed for half of T1mm at most:
/// half a mmHg on a hatch is what it can still be opened against.
package struct LeakSearch {
  /// What a move of a hatch has shown.
  package enum Finding: Hashable {
    /// The fall goes on: these modules are tight.
    case cleared([String])
    /// The fall has stopped: the leak is in one of these modules.
    case isolated([String])
    /// Only one module is left.
    case found(String)
    /// The time in which the hatch may stay closed has passed without an answer.
    case unanswered(String)
    /// The hatch has been closed for longer than it may be.
    case overdue(String)
  }

  /// A hatch that was closed while the pressure fell, and what it is to tell.
  package struct Question: Hashable {
    /// Its index.
    package let hatch: Int
    /// When it was closed, and until when it must be open again, in seconds.
    package let start: Double, end: Double
    /// The speed of the fall before, in Pa/s, and the modules behind the hatch.
    let speed: Double, beyond: Set<Int>
    /// Whether the answer is known, and what it was.
    package var answer: Answer?
    /// Whether it has been said that it is overdue.
    var isOverdue = false
  }

  /// What a closed hatch tells.
  package enum Answer: Hashable {
    /// The fall stops: the leak is behind the hatch.
    case stops
    /// It goes on: the leak is on the side of the sensor.
    case goesOn
    /// Nothing in the time that there was.
    case none
  }

  /// The slopes of the pressure, the only analysis of a run: what its reports show comes from here.
  package var analysis: LeakAnalysis
  /// The modules that may leak.
  private(set) var suspects: Set<Int>
  /// The hatch that is closed for an answer.
  package private(set) var question: Question?
  /// How often each hatch was closed without an answer.
  private(set) var failures: [Int: Int] = [:]
  /// Whether the fall has told anything yet.
  private(set) var hasBegun = false

  package let plan: CabinPlan?
  /// The module of the sensor.
  let module: Int
  /// Which hatches are open.
  package private(set) var isOpen: [Bool]
  private var waiting: ArraySlice<CabinPlan.Operation>

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - analysis: of the pressure.
  ///   - plan: the modules and hatches; `nil` where nobody knows them.
  ///   - module: that of the sensor.
  package init(_ analysis: LeakAnalysis, plan: CabinPlan?, module: Int) {
    self.analysis = analysis
    self.plan = plan
    self.module = module
    isOpen = plan?.hatches.map(\.isOpen) ?? []
    suspects = Set(plan?.modules.indices ?? 0..<0)
    waiting = (plan?.operations ?? []).filter(\.action.isMove)[...]
  }

  /// Notes the hatches that have been moved by plan until a time in nanoseconds.
  ///
  /// - Returns: sentences for the crew's log.
  package mutating func move(until time: UInt64) -> [String] {
    var sentences: [String] = []
    while let next = waiting.first, next.time <= time {
      waiting.removeFirst()
      switch next.action {
      case .close(let hatch): sentences.append(moved(hatch, isOpen: false, at: Double(time) / 1e9))
      case .open(let hatch): sentences.append(moved(hatch, isOpen: true, at: Double(time) / 1e9))
      default: break
      }
    }
    return sentences
  }

  /// Notes a hatch that was moved; one that was closed while the pressure fell becomes a question.
  ///
  /// - Parameters:
  ///   - hatch: its index.
  ///   - opens: whether it is open now.
  ///   - time: when, in seconds.
  /// - Returns: a sentence for the crew's log.
  package mutating func moved(_ hatch: Int, isOpen opens: Bool, at time: Double) -> String {
    guard let plan, isOpen.indices.contains(hatch) else { return "" }
    let found = analysis.assessment(at: time)
    let before = plan.joined(with: module, isOpen)
    // What is known needs no answer: a hatch that is closed then stays closed.
    let isKnown = isSolved
    isOpen[hatch] = opens
    let beyond = before.subtracting(plan.joined(with: module, isOpen))
    let move = "hatch \(name(hatch)) \(opens ? "opened" : "closed")"
    if let question, question.answer == nil, question.hatch != hatch, !isOpen[question.hatch] {
      // Two hatches at once tell nothing of either; the one that is closed for an answer is still to be opened in its time.
      giveUp()
      analysis.restart()
      return move
    }
    question = nil
    if !isKnown, let found, found.status == .leak, let rate = found.rate, let most = longest(found),
      !beyond.isEmpty
    {
      // A leak that the sensor sees is in what is joined with it.
      if !hasBegun || suspects.isDisjoint(with: before) { suspects = before }
      hasBegun = true
      question = Question(
        hatch: hatch, start: time, end: time + most, speed: -rate.value, beyond: beyond)
    }
    analysis.restart()
    guard let question else { return move }
    let most = Decimal.fixed(question.end - question.start, 1)
    return "\(move), for \(most) s at most (half of T1mm)"
  }

  /// For how many seconds a hatch may stay closed: half of T1mm.
  func longest(_ found: LeakAssessment) -> Double? { found.secondsPerMillimetre.map { $0 / 2 } }

  /// A hatch by the modules that it is between.
  package func name(_ hatch: Int) -> String {
    guard let plan else { return "" }
    return
      "\(plan.modules[plan.hatches[hatch].one].name)-\(plan.modules[plan.hatches[hatch].other].name)"
  }

  /// Notes that no sample came.
  package mutating func fail() { analysis.fail() }

  /// Forgets the slopes: nobody has looked for a while.
  ///
  /// A hatch that is closed for an answer may still give one.
  package mutating func restart() { analysis.restart() }

  /// Notes that something was moved that is not in the plan.
  ///
  /// A hatch that is closed for an answer has none then, and is still to be opened again in its time.
  package mutating func movedElsewhere() {
    giveUp()
    analysis.restart()
  }

  /// Expects no answer any more.
  private mutating func giveUp() {
    guard let hatch = question?.hatch, question?.answer == nil else { return }
    question?.answer = Answer.none
    failures[hatch, default: 0] += 1
  }

  /// Expects no move by plan any more: somebody else leads.
  package mutating func dropPlan() { waiting = [] }

  /// Forgets what has been found: a leak is over.
  package mutating func begin() {
    (suspects, hasBegun, failures) = (Set(plan?.modules.indices ?? 0..<0), false, [:])
  }

  /// Takes a sample.
  ///
  /// - Returns: what the last move of a hatch has shown, once.
  package mutating func take(_ pascals: Double, celsius: Double, at seconds: Double) -> Finding? {
    analysis.take(pascals, celsius: celsius, at: seconds)
    return look(at: seconds)
  }

  /// Looks at the question once more.
  private mutating func look(at seconds: Double) -> Finding? {
    if hasBegun, analysis.isLeaking, let plan,
      suspects.isDisjoint(with: plan.joined(with: module, isOpen))
    {
      // The pressure falls here again, and what was found is shut away: this is another leak.
      begin()
    }
    guard let question else { return nil }
    if question.answer == nil, let rate = analysis.sinceRestart {
      // What was there before is known to less than a tenth, few samples to their scatter: four deviations decide.
      if abs(rate.value) + 4 * rate.uncertainty < question.speed / 2 { return answer(.stops) }
      if rate.value + 4 * rate.uncertainty < -question.speed / 2 { return answer(.goesOn) }
    }
    if question.answer == nil, seconds >= question.end - analysis.period {
      return answer(.none)
    }
    if seconds > question.end + analysis.period, !question.isOverdue, !isSolved {
      self.question?.isOverdue = true
      return .overdue(name(question.hatch))
    }
    return nil
  }

  private mutating func answer(_ answer: Answer) -> Finding {
    guard let question else { return .isolated([]) }
    self.question?.answer = answer
    switch answer {
    case .stops:
      return narrow(to: suspects.intersection(question.beyond)) { .isolated($0) }
    case .goesOn:
      let beyond = names(question.beyond)
      return narrow(to: suspects.subtracting(question.beyond)) { _ in .cleared(beyond) }
    case .none:
      failures[question.hatch, default: 0] += 1
      return .unanswered(name(question.hatch))
    }
  }

  private mutating func narrow(to left: Set<Int>, _ finding: ([String]) -> Finding) -> Finding {
    // What contradicts everything known begins the search anew.
    suspects = left.isEmpty ? Set(plan?.modules.indices ?? 0..<0) : left
    return suspects.count == 1 ? .found(names(suspects)[0]) : finding(names(suspects))
  }

  func names(_ modules: Set<Int>) -> [String] {
    modules.inOrder().compactMap { plan?.modules[$0].name }
  }
}

extension CabinPlan.Action {
  /// Whether a hatch is moved.
  package var isMove: Bool {
    switch self {
    case .close, .open: true
    default: false
    }
  }
}
