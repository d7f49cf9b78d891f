import Bridges
import I2C
package import Rigs
import Text
import VirtualI2C

extension RunEvent {
  /// The begin of a run, as it is told.
  package struct Beginning: ToldEvent, Sendable {
    /// What runs.
    package let rig: Rig

    package static let fields: [EventField<Self>] = [
      EventField("name", "the name of the rig") { .string($0.rig.name) },
      EventField("seed", "where all chance comes from") { .integer($0.rig.seed) },
      EventField("clock", "virtual or real") { .string($0.rig.clock.rawValue) },
    ]
  }
}

extension RunEvent.NotificationSent: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("on", "what somebody is told of") { .string($0.event) },
    EventField("command", "the program and its arguments") {
      .array($0.command.map { .string($0) })
    },
    EventField("run", "whether it was run, which needs --allow-run") { .bool($0.wasRun) },
  ]
}

extension RunEvent.FaultReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("fault", "its kind, as a rig spells it") { .string($0.fault.name) },
    EventField("number", "which one it is: its place in the rig's list, from 1") {
      .integer($0.number)
    },
    EventField("bus", "N of the bus in the rig") { .integer($0.fault.bus) },
    EventField("fired", "whether it happened at all") { .bool($0.count > 0) },
    EventField("count", "how often it happened: transfers, frames or effects") {
      .integer($0.count)
    },
    EventField("complete", "whether it happened as often as planned") {
      .bool($0.fault.hasFired($0.count))
    },
    EventField("planned", "how often it was planned; left out for one that lasts to the end") {
      let planned = $0.fault.plan.count
      return planned == PlannedFault.unlimited ? nil : .integer(planned)
    },
    EventField("address", "the address of the target, where it is planned for one") {
      $0.fault.plan.address.map { .integer($0.rawValue) }
    },
    EventField("first_t", "when it happened first, in seconds") {
      $0.span.map { .seconds($0.first) }
    },
    EventField("last_t", "when it happened last, in seconds") {
      $0.span.map { .seconds($0.last) }
    },
  ]
}

extension RunEvent.BoardReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "N of its bus in the rig") { .integer($0.bus) },
    EventField("commands", "the commands that it took") { .integer($0.commands) },
    EventField("too_long", "the reads that were longer than its limit") { .integer($0.tooLong) },
    EventField("lost", "the answers that were lost on the air") { .integer($0.lost) },
    EventField("refused", "the operations that met no connection") { .integer($0.refused) },
    EventField("battery_percent", "the charge of its battery in %") { .integer($0.battery) },
    EventField("out_of_range", "of those without a connection: the board was too far away") {
      $0.refusals[.outOfRange].map { .integer($0) }
    },
    EventField("not_advertising", "of those without a connection: the board was near and silent") {
      $0.refusals[.silent].map { .integer($0) }
    },
    EventField("flat", "of those without a connection: the battery was empty") {
      $0.refusals[.flat].map { .integer($0) }
    },
    decimal("charge_mah", "the charge that it used, in mAh") { $0.charge },
    EventField("flat_since_s", "when its battery was empty, in seconds; left out while it is not") {
      $0.flatSince.map { .seconds($0) }
    },
    decimal("lasts_h", "how long its battery lasts at this rate, always awake, in hours") {
      $0.life
    },
    decimal(
      "lasts_asleep_h", "how long it lasts asleep between radio events, in hours"
    ) { $0.lifeAsleep },
    EventField("connections", "over Bluetooth LE frames: how often it was connected with") {
      $0.radio.map { .integer($0.connections) }
    },
    EventField("requests", "over Bluetooth LE frames: the requests that went through the stack") {
      $0.radio.map { .integer($0.requests) }
    },
    EventField("stack_failed", "why the Bluetooth stack failed last, where it did") {
      $0.radio?.failure.map { .string($0) }
    },
  ]
}

extension RunEvent.TrafficReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "N of the bus in the rig") { .integer($0.bus) },
    EventField("transfers", "how many transfers were asked for so far") {
      .integer($0.transfers)
    },
    EventField("errors", "how many of them failed") { .integer($0.errors) },
    EventField("final", "whether the run is over: these are its totals") { .bool($0.isFinal) },
  ]
}

extension RunEvent.ReplayReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "N of the bus in the rig") { .integer($0.bus) },
    EventField("same", "whether nothing was other than recorded") { .bool($0.isSame) },
    EventField("lines", "what differed and what was bridged, in words") {
      .array($0.lines.map { .string($0) })
    },
  ]
}

extension Verdict: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("passed", "whether every expectation was met") { .bool($0.passed) },
    EventField("expectations", "how many there are") { .integer($0.findings.count) },
    EventField("failed", "how many were not met") { .integer($0.failed) },
    EventField("findings", "for each its expectation, line in the rig, whether it passed, detail") {
      .array($0.findings.map(\.json))
    },
  ]
}

extension Verdict.Finding {
  fileprivate var json: JSONValue {
    .object([
      ("expectation", .string(expectation.title)), ("line", .integer(expectation.line)),
      ("passed", .bool(passed)), ("detail", .string(detail)),
    ])
  }
}
