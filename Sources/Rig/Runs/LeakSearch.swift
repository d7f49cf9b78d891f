package import Barometry
package import Environment
import Support

/// The search for a leak: it detects the leak and narrows it down by closing hatches.
///
/// The search uses the positions and moves of the hatches, but not the actual location of the leak.
/// After each move the slopes are measured again; if the pressure still falls, the leak is on the
/// sensor's side of the hatch, otherwise on the far side.
///
/// T1mm is the time in which the pressure falls by 1 mmHg. For a test, a hatch is closed for at
/// most half of T1mm, because it can still be opened against a difference of 0.5 mmHg.
///
/// In a ring of modules, no single hatch separates anything. One hatch of the ring is therefore
/// closed for the whole search: the modules stay joined the other way around, and the other hatches
/// of the ring can be tested.
package struct LeakSearch {
  /// The result of moving a hatch.
  package enum Finding: Hashable {
    /// The pressure still falls, so these modules do not leak.
    case cleared([String])
    /// The pressure has stopped falling, so the leak is in one of these modules.
    case isolated([String])
    /// The leak is in this module, because no other module is left.
    case found(String)
    /// The test was inconclusive within the time that the hatch may stay closed.
    case unanswered(String)
    /// The hatch has been closed for longer than allowed.
    case overdue(String)
  }

  /// A test: a hatch that was closed while the pressure fell.
  package struct Test: Hashable {
    /// The index of the hatch.
    package let hatch: Int
    /// The time at which the hatch was closed, and the time by which it must be open again, in
    /// seconds.
    package let start: Double, end: Double
    /// The rate at which the pressure fell before the test, in Pa/s, and the modules on the far
    /// side of the hatch.
    let speed: Double, beyond: Set<Int>
    /// The outcome; `nil` while it is unknown.
    package var outcome: Outcome?
    /// `true` if `Finding/overdue(_:)` has been reported.
    var isOverdue = false
  }

  /// The outcome of a test.
  package enum Outcome: Hashable {
    /// The pressure stopped falling, so the leak is on the far side of the hatch.
    case stops
    /// The pressure still falls, so the leak is on the sensor's side of the hatch.
    case continues
    /// The test was inconclusive.
    case inconclusive
  }

  /// The analysis of the pressure, on which the reports of a run are also based.
  package var analysis: LeakAnalysis
  /// The modules that may contain the leak.
  private(set) var suspects: Set<Int>
  /// The latest test; `nil` before the first test and after a hatch move that made the latest test
  /// irrelevant.
  package private(set) var test: Test?
  /// The number of inconclusive tests of each hatch.
  private(set) var failures: [Int: Int] = [:]
  /// `true` if the search has started, that is, if a hatch has been closed as a test since the last
  /// reset.
  private(set) var hasBegun = false

  /// The modules and hatches; `nil` if unknown.
  package let plan: CabinPlan?
  /// The index of the module that the sensor is in.
  package let module: Int
  /// The state of each hatch: `true` if it is open.
  package private(set) var isOpen: [Bool]
  private var waiting: ArraySlice<CabinPlan.Operation>
  /// The hatches that are closed now and were open at the start, in words; `nil` if there are none.
  package var closed: String? {
    guard let plan else { return nil }
    let hatches = plan.hatches.indices.filter { plan.hatches[$0].isOpen && !isOpen[$0] }
    return hatches.isEmpty
      ? nil : "hatch\(hatches.count > 1 ? "es" : "") " + hatches.map(name).joined(separator: ", ")
  }

  /// The hatches that were closed to open a ring.
  private var dividers: Set<Int> = []

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - analysis: the analysis of the pressure.
  ///   - plan: the modules and hatches; `nil` if unknown.
  ///   - module: the index of the module that the sensor is in.
  package init(_ analysis: LeakAnalysis, plan: CabinPlan?, module: Int) {
    self.analysis = analysis
    self.plan = plan
    self.module = module
    isOpen = plan?.hatches.map(\.isOpen) ?? []
    suspects = Set(plan?.modules.indices ?? 0..<0)
    waiting = (plan?.operations ?? []).filter(\.action.isMove)[...]
  }

  /// `true` if the search has begun and the leak is not shut off yet.
  package var isUnderWay: Bool { hasBegun && !suspects.isDisjoint(with: joined) }

  /// The modules that open hatches join with that of the sensor.
  package var joined: Set<Int> { plan?.joined(with: module, isOpen) ?? [module] }

  /// The modules that may contain the leak; empty while no leak is known.
  package var shownSuspects: Set<Int> {
    guard hasBegun || analysis.isLeaking else { return [] }
    return hasBegun ? suspects : joined
  }

  /// Records the hatch moves that the plan schedules up to a time in nanoseconds.
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

  /// Records a move of a hatch; closing a hatch while the pressure falls starts a test.
  ///
  /// - Parameters:
  ///   - hatch: the index of the hatch.
  ///   - opens: whether the hatch is open now.
  ///   - time: the time of the move, in seconds.
  /// - Returns: a sentence for the crew's log.
  package mutating func moved(_ hatch: Int, isOpen opens: Bool, at time: Double) -> String {
    guard let plan, isOpen.indices.contains(hatch) else { return "" }
    let found = analysis.assessment(at: time)
    let before = plan.joined(with: module, isOpen)
    // Once the leak is found, closing a hatch is not a test, and the hatch stays closed.
    let isKnown = isSolved
    isOpen[hatch] = opens
    let beyond = before.subtracting(plan.joined(with: module, isOpen))
    let move = "hatch \(name(hatch)) \(opens ? "opened" : "closed")"
    if let test, test.outcome == nil, test.hatch != hatch, !isOpen[test.hatch] {
      // Moving two hatches at once is inconclusive; the tested one must still be opened in time.
      abortTest()
      analysis.restart()
      return move
    }
    test = nil
    // A hatch of a ring separates nothing, so the measured rate remains valid.
    if !opens, beyond.isEmpty, !isKnown, found?.status == .leak {
      dividers.insert(hatch)
      return "\(move); it stays closed during the search, "
        + "so that other hatches of the ring separate modules"
    }
    if !isKnown, let found, found.status == .leak, let rate = found.rate, let most = longest(found),
      !beyond.isEmpty
    {
      // A leak that the sensor detects is in a module that is connected with the sensor's module.
      if !hasBegun || suspects.isDisjoint(with: before) { suspects = before }
      hasBegun = true
      test = Test(
        hatch: hatch, start: time, end: time + most, speed: -rate.value, beyond: beyond)
    }
    analysis.restart()
    guard let test else { return move }
    let most = Decimal.fixed(test.end - test.start, 1)
    return "\(move), for \(most) s at most (half of T1mm)"
  }

  /// Returns the time in seconds that a hatch may stay closed: half of the time in which the
  /// pressure falls by 1 mmHg (T1mm).
  func longest(_ found: LeakAssessment) -> Double? { found.secondsPerMillimetre.map { $0 / 2 } }

  /// Returns the name of a hatch, which consists of the names of the two modules that it connects.
  package func name(_ hatch: Int) -> String {
    guard let plan else { return "" }
    return
      "\(plan.modules[plan.hatches[hatch].one].name)-\(plan.modules[plan.hatches[hatch].other].name)"
  }

  /// Records that a sample is missing.
  package mutating func fail() { analysis.fail() }

  /// Restarts the measurement of slopes after a pause.
  ///
  /// A running test continues.
  package mutating func restart() { analysis.restart() }

  /// Records a hatch move that is not in the plan.
  ///
  /// A running test becomes inconclusive; its hatch must still be opened in time.
  package mutating func movedElsewhere() {
    abortTest()
    analysis.restart()
  }

  /// Marks a running test as inconclusive.
  private mutating func abortTest() {
    guard let hatch = test?.hatch, test?.outcome == nil else { return }
    test?.outcome = .inconclusive
    failures[hatch, default: 0] += 1
  }

  /// Drops the scheduled moves, because the user controls the hatches from now on.
  package mutating func dropPlan() { waiting = [] }

  /// Resets the search after the end of a leak.
  package mutating func begin() {
    (suspects, hasBegun, failures) = (Set(plan?.modules.indices ?? 0..<0), false, [:])
    dividers = []
  }

  /// Adds a sample.
  ///
  /// - Returns: the result of the last move of a hatch; each result is returned only once.
  package mutating func take(_ pascals: Double, celsius: Double, at seconds: Double) -> Finding? {
    analysis.take(pascals, celsius: celsius, at: seconds)
    return look(at: seconds)
  }

  /// Evaluates the running test.
  private mutating func look(at seconds: Double) -> Finding? {
    if hasBegun, analysis.isLeaking, let plan,
      suspects.isDisjoint(with: plan.joined(with: module, isOpen))
    {
      // The pressure falls again although the leaking module is isolated, so there is another leak.
      begin()
    }
    guard let test else { return nil }
    if test.outcome == nil, let rate = analysis.sinceRestart {
      // The earlier rate is known to better than 10 %, but a rate from a few samples only to within
      // their scatter. The decision therefore requires a margin of four standard deviations.
      if abs(rate.value) + 4 * rate.uncertainty < test.speed / 2 { return conclude(.stops) }
      if rate.value + 4 * rate.uncertainty < -test.speed / 2 { return conclude(.continues) }
    }
    if test.outcome == nil, seconds >= test.end - analysis.period {
      return conclude(.inconclusive)
    }
    if seconds > test.end + analysis.period, !test.isOverdue, !isSolved {
      self.test?.isOverdue = true
      return .overdue(name(test.hatch))
    }
    return nil
  }

  private mutating func conclude(_ outcome: Outcome) -> Finding {
    guard let test else { return .isolated([]) }
    self.test?.outcome = outcome
    switch outcome {
    case .stops:
      return narrow(to: suspects.intersection(test.beyond)) { .isolated($0) }
    case .continues:
      let beyond = names(test.beyond)
      return narrow(to: suspects.subtracting(test.beyond)) { _ in .cleared(beyond) }
    case .inconclusive:
      failures[test.hatch, default: 0] += 1
      return .unanswered(name(test.hatch))
    }
  }

  private mutating func narrow(to left: Set<Int>, _ finding: ([String]) -> Finding) -> Finding {
    // A result that contradicts all earlier ones restarts the search.
    suspects = left.isEmpty ? Set(plan?.modules.indices ?? 0..<0) : left
    return suspects.count == 1 ? .found(names(suspects)[0]) : finding(names(suspects))
  }

  /// Adds what another barometer shows; during a test, a barometer on the far side of the hatch
  /// shows the outcome too.
  ///
  /// - Parameters:
  ///   - rate: the rate since the last move of a hatch, at the other barometer.
  ///   - module: the index of the module that the other barometer is in.
  /// - Returns: the result of the last move of a hatch, once.
  package mutating func observe(_ rate: LeakAssessment.Rate, in module: Int) -> Finding? {
    guard let test, test.outcome == nil, test.beyond.contains(module) else { return nil }
    if rate.value + 4 * rate.uncertainty < -test.speed / 2 { return conclude(.stops) }
    if abs(rate.value) + 4 * rate.uncertainty < test.speed / 2 { return conclude(.continues) }
    return nil
  }

  func names(_ modules: Set<Int>) -> [String] {
    modules.inOrder().compactMap { plan?.modules[$0].name }
  }
}

extension CabinPlan.Action {
  /// `true` if the action moves a hatch.
  package var isMove: Bool {
    switch self {
    case .close, .open: true
    default: false
    }
  }
}

extension LeakSearch {
  /// The next action of a crew.
  package enum Advice: Hashable {
    /// Wait, because the pressure does not fall or there is no hatch.
    case watch
    /// Wait until the time in which the pressure falls by 1 mmHg (T1mm) has been measured.
    case measure
    /// Close a hatch for at most this time, in seconds.
    case close(Int, longest: Double)
    /// Close a hatch of a ring of modules for the whole search, so that the other hatches of the
    /// ring separate modules.
    case divide(Int)
    /// Wait for the outcome of a closed hatch, which must be open again by a time in seconds.
    case wait(Int, until: Double)
    /// Open a hatch, by a time in seconds.
    case open(Int, by: Double)
    /// Open a hatch of a ring that was closed for the search, because the leak is shut off.
    case restore(Int)
    /// Close these hatches and leave them closed, because the leak is in these modules.
    case shut([String], hatches: [Int])
    /// The search is over, because the leak is in these modules and they are isolated.
    case isOver([String])
    /// The search is over, because the leak is in these modules and no hatch can divide or isolate
    /// them.
    case stay([String])

    /// The hatch move to make now; `nil` if there is none.
    package var action: CabinPlan.Action? {
      switch self {
      case .close(let hatch, _), .divide(let hatch): .close(hatch)
      case .open(let hatch, _), .wait(let hatch, _), .restore(let hatch): .open(hatch)
      case .shut(_, let hatches): hatches.first.map { .close($0) }
      default: nil
      }
    }
  }

  /// Returns the modules among which no further hatch can narrow down the leak.
  ///
  /// - Parameter seconds: the current time.
  /// - Returns: the names of the modules; `nil` while a hatch can still narrow down the leak, and
  ///   if only one module is left.
  package func undecided(at seconds: Double) -> [String]? {
    switch advice(at: seconds) {
    case .stay(let names), .shut(let names, _), .isOver(let names): names.count > 1 ? names : nil
    default: nil
    }
  }

  /// `true` if no further hatch can narrow down the leak.
  package var isSolved: Bool { hasBegun && splitting.isEmpty && dividing == nil }

  /// Returns the advice for the crew at a time in seconds.
  package func advice(at seconds: Double) -> Advice {
    guard let plan, !plan.hatches.isEmpty else { return .watch }
    if isSolved { return solved(plan) }
    if let test, !isOpen[test.hatch] {
      return test.outcome == nil
        ? .wait(test.hatch, until: test.end) : .open(test.hatch, by: test.end)
    }
    guard let found = analysis.assessment(at: seconds), found.status == .leak else { return .watch }
    guard let most = longest(found) else { return .measure }
    guard let hatch = splitting.first else {
      if let hatch = dividing { return .divide(hatch) }
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
    let needless = dividers.inOrder().first { !isOpen[$0] && !border.contains($0) }
    if open.isEmpty, let needless { return .restore(needless) }
    return open.isEmpty ? .isOver(names(suspects)) : .shut(names(suspects), hatches: open)
  }

  /// The hatches that would divide the suspected modules if closed: first the hatch with the most
  /// even division, last the hatches with inconclusive tests.
  private var splitting: [Int] { splitting(isOpen).map(\.hatch) }

  /// The open hatch of a ring that is best closed for the whole search, because another hatch then
  /// divides the suspected modules; `nil` if there is none.
  private var dividing: Int? {
    guard let plan, splitting.isEmpty else { return nil }
    let here = plan.joined(with: module, isOpen)
    var best: (hatch: Int, weight: Int)?
    for hatch in plan.hatches.indices where isOpen[hatch] && here.contains(plan.hatches[hatch].one)
    {
      var open = isOpen
      open[hatch] = false
      guard plan.joined(with: module, open) == here else { continue }
      // With several rings, one hatch may be too few: then any hatch of a ring with a suspect.
      let isNear = [plan.hatches[hatch].one, plan.hatches[hatch].other].contains {
        suspects.contains($0) || !hasBegun
      }
      let weight = splitting(open).first?.weight ?? (isNear ? 1000 : 2000)
      guard weight < 2000 else { continue }
      if weight < best?.weight ?? .max { best = (hatch, weight) }
    }
    guard suspects.count > 1 || !hasBegun else { return nil }
    return best?.hatch
  }

  /// Evaluates the hatches that would divide the suspected modules if closed.
  ///
  /// - Parameter isOpen: the state of each hatch.
  /// - Returns: the hatches and their weights, the best first.
  private func splitting(_ isOpen: [Bool]) -> [(hatch: Int, weight: Int)] {
    guard let plan else { return [] }
    let here = plan.joined(with: module, isOpen)
    // Before the first test the suspects are the modules connected with the sensor.
    let suspects = hasBegun ? self.suspects : here
    var uneven: [(hatch: Int, weight: Int)] = []
    for hatch in plan.hatches.indices {
      // The tested hatch will be opened again and counts as open.
      var (open, shut) = (isOpen, isOpen)
      open[hatch] = isOpen[hatch] || hatch == test?.hatch
      guard open[hatch] else { continue }
      if let test { open[test.hatch] = true }
      shut = open
      shut[hatch] = false
      let beyond = plan.joined(with: module, open).subtracting(plan.joined(with: module, shut))
      let part = suspects.intersection(beyond).count
      guard part > 0, part < suspects.count else { continue }
      uneven.append((hatch, abs(2 * part - suspects.count) + 100 * (failures[hatch] ?? 0)))
    }
    return uneven.sorted { ($0.weight, $0.hatch) < ($1.weight, $1.hatch) }
  }
}

/// A crew that follows the advice of a leak search, as soon as it has reached the hatch.
package struct SearchCrew {
  /// The time that the crew needs to reach a hatch, in nanoseconds.
  package let reach: UInt64
  /// The hatch that the crew is moving to, and the time of arrival.
  private var way: (hatch: Int, time: UInt64)?

  /// Creates a crew.
  ///
  /// - Parameter reach: the time that it needs to reach a hatch, in nanoseconds.
  package init(reach: UInt64) { self.reach = reach }

  /// Acts on the advice at a time in nanoseconds.
  ///
  /// - Parameters:
  ///   - advice: the advice of the search.
  ///   - time: the current time.
  /// - Returns: the hatch move; `nil` if the crew moves none now.
  package mutating func act(
    on advice: LeakSearch.Advice, at time: UInt64
  ) -> CabinPlan.Action? {
    switch advice {
    case .open(let hatch, _):
      // The crew stays next to a hatch that it has closed for a test.
      way = nil
      return .open(hatch)
    case .close(let hatch, _), .divide(let hatch): return close(hatch, at: time)
    case .shut(_, let hatches): return hatches.first.flatMap { close($0, at: time) }
    case .restore(let hatch): return move(hatch, .open(hatch), at: time)
    case .measure, .wait: return nil
    case .watch, .isOver, .stay:
      way = nil
      return nil
    }
  }

  private mutating func close(_ hatch: Int, at time: UInt64) -> CabinPlan.Action? {
    move(hatch, .close(hatch), at: time)
  }

  private mutating func move(
    _ hatch: Int, _ action: CabinPlan.Action, at time: UInt64
  ) -> CabinPlan.Action? {
    guard let way, way.hatch == hatch else {
      self.way = (hatch, time + reach)
      return nil
    }
    guard time >= way.time else { return nil }
    self.way = nil
    return action
  }
}
