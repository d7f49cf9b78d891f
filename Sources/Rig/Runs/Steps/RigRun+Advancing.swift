import Bench
package import Files
import I2C
import Rigs

extension RigRun {
  /// What a run does next; times in nanoseconds since its start.
  package enum Step: Equatable {
    /// It says what runs.
    case begin
    /// Its sensors are started.
    case start
    /// The samples of a number of a cycle are taken.
    case sample(Int, start: UInt64)
    /// A cycle is averaged, and forecasts are made.
    case conclude(start: UInt64)
    /// What happened is summed up and judged.
    case end
    /// Nothing.
    case over
  }

  /// Does what is next, and decides what is done then.
  package func advance() throws(Failure) {
    switch step {
    case .begin:
      emit(.began(bench.rig, startMoment: bench.startMoment))
      step = .start
    case .start:
      try startStations()
      var schedule = CycleSchedule(pipeline, from: bench.clock.nanoseconds)
      step = begun(schedule.next(after: nil))
      self.schedule = schedule
    case .sample(let sample, let start):
      if sample == 0 { for station in stations { station.beginCycle() } }
      wait(until: start + UInt64(sample) * pipeline.sampleInterval)
      guard !isStopped else {
        step = .end
        return
      }
      for station in stations { takeSample(station) }
      step =
        sample + 1 < pipeline.samples
        ? .sample(sample + 1, start: start) : .conclude(start: start)
    case .conclude(let start):
      let end = bench.clock.nanoseconds
      for station in stations { try conclude(station, from: start, to: end) }
      if let next = schedule?.next(after: Int64(clamping: end)) { step = begun(next) }
    case .end:
      finish()
      step = .over
    case .over: break
    }
  }

  /// The first sample of a cycle, or the end if the run does not last until its last sample.
  private func begun(_ cycle: CycleSchedule.Cycle) -> Step {
    let start = UInt64(clamping: cycle.start)
    let last = start + UInt64(pipeline.samples - 1) * pipeline.sampleInterval
    return cycle.isRequested || last < duration ? .sample(0, start: start) : .end
  }

  /// Sums up what happened, and judges it.
  private func finish() {
    wait(until: duration)
    reportFaults(atEnd: true)
    let time = bench.clock.nanoseconds
    for bus in bench.buses {
      if let board = bus.board { emit(.board(board.report(bus: bus.number, at: time))) }
    }
    emitTraffic(at: time, isFinal: true)
    bench.buses.compactMap { RunEvent.ReplayReport($0, at: time) }.forEach { emit(.replay($0)) }
    emit(.verdict(judge.verdict(at: isStopped ? time : max(duration, time))))
  }
}
