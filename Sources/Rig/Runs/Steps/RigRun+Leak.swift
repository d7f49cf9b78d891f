package import Barometry
import Bench
import Environment
package import Parts
import Quantities
package import Rigs

extension RigRun {
  /// Creates the leak search for a sensor; `nil` without leak detection.
  package func search(
    at sensorID: Rig.SensorID, measuring settings: any DriverSettings
  ) -> LeakSearch? {
    guard let watch = pipeline.leak else { return nil }
    let plan = bench.rig.environment.plan
    let device = bench.rig.buses.first { $0.number == sensorID.bus }?.devices
      .first { $0.address == sensorID.address }
    let module = plan?.modules.firstIndex { $0.name == device?.module } ?? 0
    var analysis = LeakAnalysis(
      period: Double(pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle) / 1e9,
      filter: Double(settings.filterCoefficient))
    analysis.limit = watch.limit
    analysis.specified = device?.part.model.ranges.pressure
    return LeakSearch(analysis, plan: plan, module: module)
  }

  /// Passes a sample, or its absence, to the leak detection.
  ///
  /// - Returns: the events to emit, in order, and the rate of pressure change over 30 s.
  package func watch(
    _ sample: Sample?, of station: SensorStation, at time: UInt64
  ) -> (events: [RunEvent], rate: LeakAssessment.Rate?) {
    guard var search = station.search else { return ([], nil) }
    defer { station.search = search }
    func step(_ step: RunEvent.SearchStep.Step) -> RunEvent {
      .search(RunEvent.SearchStep(time: time, sensorID: station.sensorID, step: step))
    }
    var events = search.move(until: time).map { step(.moved($0)) }
    let seconds = Double(time) / 1e9
    if let pascals = sample?.pascals, let celsius = sample?.celsius {
      if let finding = search.take(pascals, celsius: celsius, at: seconds) {
        events.append(step(.init(finding)))
      }
    } else {
      search.fail()
    }
    for other in stations where other !== station {
      guard let there = other.search, let rate = there.analysis.sinceRestart else { continue }
      if let finding = search.observe(rate, in: there.module) {
        events.append(step(.init(finding)))
      }
    }
    guard let assessment = search.analysis.assessment(at: seconds) else { return (events, nil) }
    lead(station, search, assessment)
    if let names = side(of: station, search, at: seconds) { events.append(step(.side(names))) }
    let report = RunEvent.CabinReport(
      time: time, sensorID: station.sensorID, assessment: assessment)
    // The most important event comes first.
    if station.haven.take(assessment) == .called { events.append(.haven(report)) }
    if station.cabinLog.isAlarm(assessment) { events.append(.level(report)) }
    if station.cabinLog.mustReport(assessment, at: seconds) { events.append(.cabin(report)) }
    if isSearching(station), let names = search.undecided(at: seconds),
      names != station.lastSuspects
    {
      station.lastSuspects = names
      events.append(step(.ended(names)))
    }
    if let sentence = act(on: &search, of: station, at: time) {
      events.append(step(.moved(sentence)))
    }
    return (events, assessment.rates.first { $0.window == 30 })
  }

  /// Emits an event of the leak detection, and sends the notifications of its alarms.
  package func report(_ event: RunEvent) {
    emit(event)
    switch event {
    case .haven(let report): notify(.safeHaven, at: report.time)
    case .level(let report):
      report.assessment.level.alarm.map { notify(.level("\($0)"), at: report.time) }
    case .cabin(let report):
      let station = stations.first { $0.sensorID == report.sensorID }
      if station?.cabinLog.isNewLeak(report.assessment) == true { notify(.leak, at: report.time) }
    default: break
    }
  }

  /// Returns whether the crew's search for the leak uses the samples of a sensor: those of the first
  /// sensor that has detected the leak, until the crew is called to the safe haven.
  private func isSearching(_ station: SensorStation) -> Bool {
    station === (leader ?? stations.first) && station.crew != nil && !station.haven.isCalled
  }

  /// Makes a sensor that detects a leak the one whose samples the search uses, unless another one
  /// is searching.
  private func lead(
    _ station: SensorStation, _ search: LeakSearch, _ assessment: LeakAssessment
  ) {
    if leader === station, !search.hasBegun, assessment.status != .leak { leader = nil }
    if leader == nil, assessment.status == .leak { leader = station }
  }

  /// Returns the modules on this side of closed hatches if the pressure falls here and at no other
  /// sensor; `nil` otherwise, without a sensor elsewhere, and after the first time.
  private func side(
    of station: SensorStation, _ search: LeakSearch, at seconds: Double
  ) -> [String]? {
    guard station === leader, !search.hasBegun, station.lastSide == nil,
      search.analysis.isLeaking
    else { return nil }
    let here = search.joined
    let elsewhere = stations.compactMap(\.search).filter { !here.contains($0.module) }
    guard !elsewhere.isEmpty,
      elsewhere.allSatisfy({ $0.analysis.assessment(at: seconds)?.status == .stable })
    else { return nil }
    station.lastSide = search.names(here)
    return station.lastSide
  }

  /// Makes the crew follow the advice from the first sensor's leak search, until the crew is called
  /// to the safe haven.
  private func act(
    on search: inout LeakSearch, of station: SensorStation, at time: UInt64
  ) -> String? {
    guard let cabin = bench.cabin, isSearching(station),
      let action = station.crew?.act(on: search.advice(at: Double(time) / 1e9), at: time)
    else { return nil }
    cabin.perform(action, at: time)
    for other in stations where other !== station { _ = other.search?.moved(action, at: time) }
    return search.moved(action, at: time)
  }
}

extension LeakSearch {
  /// Records a move of a hatch at a time in nanoseconds.
  fileprivate mutating func moved(_ action: CabinPlan.Action, at time: UInt64) -> String {
    switch action {
    case .close(let hatch): moved(hatch, isOpen: false, at: Double(time) / 1e9)
    case .open(let hatch): moved(hatch, isOpen: true, at: Double(time) / 1e9)
    default: ""
    }
  }
}

/// The last reported status of a cabin, which decides when a new report is due.
///
/// A report is due at each change of the status, as soon as a reserve time is known, and when the
/// reported reserve time is outdated: it was more than 5 % too long or 25 % too short, or half of
/// it has passed. In the last minute, only a time that was too long is corrected.
package struct CabinLog {
  private var status: LeakAssessment.Status?
  /// The last reported minimum of the reserve time, and the time of that report, both in seconds.
  private var reported: (bound: Double, time: Double)?
  /// The last reported level, and whether a leak was declared.
  private var level = CabinLevel.usual, isLeaking = false
  /// `true` if the pressure was below the limit of survival.
  private var isUnbearable = false

  /// Returns whether an assessment at a time in seconds must be reported; if so, it counts as
  /// reported.
  package mutating func mustReport(_ assessment: LeakAssessment, at time: Double) -> Bool {
    let bound = assessment.reserve?.bound
    let isWorse = isNowUnbearable(assessment)
    guard assessment.status != status || isWorse || isOutdated(bound, at: time) else {
      return false
    }
    status = assessment.status
    reported = bound.map { ($0, time) }
    return true
  }

  /// Returns whether the pressure has fallen below the limit of survival since the last call; noise
  /// around the limit is reported only once.
  private mutating func isNowUnbearable(_ assessment: LeakAssessment) -> Bool {
    if assessment.pressure < LeakAnalysis.lowerLimit {
      defer { isUnbearable = true }
      return !isUnbearable
    }
    if assessment.level != .low { isUnbearable = false }
    return false
  }

  /// Returns whether the pressure has left the habitable range, or changed from one side to the
  /// other, since the last call.
  package mutating func isAlarm(_ assessment: LeakAssessment) -> Bool {
    defer { level = assessment.level }
    return assessment.level != .usual && assessment.level != level
  }

  /// Returns whether a leak has been declared since the last call; a leak is not over when samples
  /// are missing.
  package mutating func isNewLeak(_ assessment: LeakAssessment) -> Bool {
    switch assessment.status {
    case .leak:
      defer { isLeaking = true }
      return !isLeaking
    case .stale, .fault: return false
    default:
      isLeaking = false
      return false
    }
  }

  private func isOutdated(_ bound: Double?, at time: Double) -> Bool {
    guard let bound else { return false }
    guard let reported else { return true }
    let left = reported.bound - (time - reported.time)
    // A reserve time that is over remains over.
    guard reported.bound > 0 else { return bound > 60 }
    if left > max(1.05 * bound, bound + 1) { return true }
    // In the last minute only a value that was too long is corrected; otherwise there would be a report each second.
    return reported.bound > 60
      && (left < min(0.8 * bound, bound - 20) || 2 * left < reported.bound)
  }
}
