import VirtualSensors
import BME280Driver
import Barometry

extension RigRun {
  /// The crew of a station, where somebody watches for leaks.
  func search(at place: Rig.SensorPlace) -> LeakSearch? {
    guard let watch = pipeline.leak else { return nil }
    let plan = bench.rig.environment.plan
    let device = bench.rig.buses.first { $0.number == place.bus }?.devices
      .first { $0.address == place.address }
    let module = plan?.modules.firstIndex { $0.name == device?.module } ?? 0
    return LeakSearch(
      watch, period: Double(pipeline.samples > 1 ? pipeline.sampleInterval : pipeline.cycle) / 1e9,
      plan: plan, module: module)
  }

  /// Lets the crew look at a sample, or at its absence.
  func watch(_ measurement: Measurement?, of station: Station, at time: UInt64) {
    guard var search = station.search, let watch = pipeline.leak else { return }
    defer { station.search = search }
    for sentence in search.move(until: time) {
      emit(.search(RunEvent.SearchStep(time: time, place: station.place, step: .moved(sentence))))
    }
    let seconds = Double(time) / 1e9
    if let pascals = measurement?.pascals, let celsius = measurement?.celsius {
      if let finding = search.take(pascals, celsius: celsius, at: seconds) {
        emit(.search(RunEvent.SearchStep(time: time, place: station.place, step: .init(finding))))
      }
    } else {
      search.fail()
    }
    guard let assessment = search.analysis.assessment(at: seconds) else { return }
    let report = RunEvent.CabinReport(time: time, place: station.place, assessment: assessment)
    if assessment.status != station.cabinStatus {
      station.cabinStatus = assessment.status
      emit(.cabin(report))
    }
    guard let reserve = assessment.reserve, reserve.conservative < Double(watch.haven) / 1e9,
      !station.isHavenCalled
    else { return }
    station.isHavenCalled = true
    emit(.haven(report))
  }
}
