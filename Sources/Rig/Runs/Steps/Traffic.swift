import Bench
import Rigs

/// When it is time to tell how busy each bus has been.
package struct Traffic {
  /// The least time between two reports, in nanoseconds.
  private let interval: UInt64
  private var last: UInt64 = 0

  /// Creates it with an interval in nanoseconds; it is a second at least.
  package init(every interval: UInt64) { self.interval = max(interval, 1_000_000_000) }

  /// Whether reports are due at a time in nanoseconds; what is due is taken as told.
  package mutating func isDue(at time: UInt64) -> Bool {
    guard time - last >= interval else { return false }
    last = time
    return true
  }
}

extension RigRun {
  /// Tells how busy each bus has been until a time in nanoseconds; those of a fleet, which come last and are many, at
  /// the end alone.
  package func emitTraffic(at time: UInt64, isFinal: Bool) {
    for bus in bench.buses.dropLast(isFinal ? 0 : bench.rig.fleet?.busCount ?? 0) {
      emit(
        .traffic(
          RunEvent.TrafficReport(
            time: time, bus: bus.number, transfers: bus.meter.transfers, errors: bus.meter.errors,
            isFinal: isFinal)))
    }
  }
}
