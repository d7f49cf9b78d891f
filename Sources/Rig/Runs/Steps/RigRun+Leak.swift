package import Barometry
import Bench
import Environment
package import Parts
import Quantities
package import Rigs

extension RigRun {
  /// The crew of a station, where somebody watches for leaks.
  package func search(
    at place: Rig.SensorID, measuring settings: any DriverSettings
  ) -> LeakSearch? {
    guard let watch = pipeline.leak else { return nil }
    let plan = bench.rig.environment.plan
    let device = bench.rig.buses.first { $0.number == place.bus }?.devices
      .first { $0.address == place.address }
    let module = plan?.modules.firstIndex { $0.name == device?.module } ?? 0
    var analysis = LeakAnalysis(
      period: Double(pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle) / 1e9,
      filter: Double(settings.filterCoefficient))
    analysis.limit = watch.limit
    analysis.specified = device?.part.model.ranges.pressure
    return LeakSearch(analysis, plan: plan, module: module)
  }

  /// Lets the crew look at a sample, or at its absence.
  ///
  /// - Returns: what is to be told, in order, and the rate over half a minute.
  package func watch(
    _ sample: Sample?, of station: SensorStation, at time: UInt64
  ) -> (events: [RunEvent], rate: LeakAssessment.Rate?) {
    guard var search = station.search else { return ([], nil) }
    defer { station.search = search }
    func step(_ step: RunEvent.SearchStep.Step) -> RunEvent {
      .search(RunEvent.SearchStep(time: time, place: station.place, step: step))
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
    guard let assessment = search.analysis.assessment(at: seconds) else { return (events, nil) }
    let report = RunEvent.CabinReport(time: time, place: station.place, assessment: assessment)
    // What matters most is said first.
    if station.haven.take(assessment) == .called { events.append(.haven(report)) }
    if station.cabinLog.isAlarm(assessment) { events.append(.level(report)) }
    if station.cabinLog.mustTell(assessment, at: seconds) { events.append(.cabin(report)) }
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

  /// Tells an event of the watch, and of its alarms whoever wants to be told.
  package func tell(_ event: RunEvent) {
    emit(event)
    switch event {
    case .haven(let report): notify(.safeHaven, at: report.time)
    case .level(let report):
      report.assessment.level.alarm.map { notify(.level("\($0)"), at: report.time) }
    case .cabin(let report):
      let station = stations.first { $0.place == report.place }
      if station?.cabinLog.isNewLeak(report.assessment) == true { notify(.leak, at: report.time) }
    default: break
    }
  }

  /// Whether the crew searches by the samples of a station: by those of the first one, until the call to the safe haven.
  private func isSearching(_ station: SensorStation) -> Bool {
    station === stations.first && station.crew != nil && !station.haven.isCalled
  }

  /// Lets the crew do what the search of its first sensor asks for; from the call to the safe haven on it does nothing.
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
  /// Notes a hatch that was moved at a time in nanoseconds.
  fileprivate mutating func moved(_ action: CabinPlan.Action, at time: UInt64) -> String {
    switch action {
    case .close(let hatch): moved(hatch, isOpen: false, at: Double(time) / 1e9)
    case .open(let hatch): moved(hatch, isOpen: true, at: Double(time) / 1e9)
    default: ""
    }
  }
}
