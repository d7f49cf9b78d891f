package import Bench
import VirtualI2C

extension RunEvent.FaultReport {
  /// Creates the report of what a failure has done until a time in nanoseconds.
  package init(_ record: FaultRecord, at time: UInt64) {
    self.init(
      time: time, number: record.number, fault: record.fault, count: record.plan.fired,
      span: record.plan.span)
  }
}
