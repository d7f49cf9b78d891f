package import Barometry
import Bench
import Environment
package import Parts
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
    return LeakSearch(
      watch, period: Double(pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle) / 1e9,
      filter: Double(settings.filterCoefficient), plan: plan, module: module)
  }

  /// Lets the crew look at a sample, or at its absence.
  ///
  /// - Returns: what is to be told, in order, and the rate over half a minute.
  package func watch(
    _ sample: Sample?, of station: Station, at time: UInt64
  ) -> (events: [RunEvent], rate: LeakAssessment.Rate?) {
    guard var search = station.search, let watch = pipeline.leak else { return ([], nil) }
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
    if station.cabinLog.mustTell(assessment, at: seconds) { events.append(.cabin(report)) }
    if let reserve = assessment.reserve, reserve.bound < Double(watch.haven) / 1e9,
      !station.isHavenCalled
    {
      station.isHavenCalled = true
      events.append(.haven(report))
    }
    return (events, assessment.rates.first { $0.window == 30 })
  }
}
