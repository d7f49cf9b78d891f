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
    /// The samples of a number of a cycle are taken; the next cycle of the plan begins at `next`.
    case sample(Int, start: UInt64, next: UInt64)
    /// A cycle is averaged, and forecasts are made.
    case conclude(start: UInt64, next: UInt64)
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
      step = planned(at: bench.clock.nanoseconds)
    case .sample(let sample, let start, let next):
      if sample == 0 { for station in stations { station.beginCycle() } }
      wait(until: start + UInt64(sample) * pipeline.sampleInterval)
      guard !isStopped else {
        step = .end
        return
      }
      for station in stations { takeSample(station) }
      step =
        sample + 1 < pipeline.samples
        ? .sample(sample + 1, start: start, next: next) : .conclude(start: start, next: next)
    case .conclude(let start, let next):
      let end = bench.clock.nanoseconds
      for station in stations { try conclude(station, from: start, to: end) }
      step = requested(before: next) ?? planned(at: next)
    case .end:
      finish()
      step = .over
    case .over: break
    }
  }

  /// The cycle of the plan at a time, or the end.
  private func planned(at start: UInt64) -> Step {
    let last = start + UInt64(pipeline.samples - 1) * pipeline.sampleInterval
    return last < duration ? .sample(0, start: start, next: start + pipeline.cycle) : .end
  }

  /// The cycle that somebody has requested before the next of the plan.
  ///
  /// A request waits for the cycle that runs, and the next cycle does not wait for it longer than it takes.
  private func requested(before next: UInt64) -> Step? {
    guard requests < pipeline.requests.count, pipeline.requests[requests] < next else {
      return nil
    }
    let due = pipeline.requests[requests]
    requests += 1
    return .sample(0, start: max(due, bench.clock.nanoseconds), next: next)
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
