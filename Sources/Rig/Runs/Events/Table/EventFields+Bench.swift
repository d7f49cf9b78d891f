import Bridges
import I2C
import Parts
package import Rigs
package import Support
import VirtualI2C

extension RunEvent {
  /// The fields of `RunEvent/began(_:startMoment:)`.
  package struct Beginning: ReportedEvent, Sendable {
    /// The rig of the run.
    package let rig: Rig

    package static let fields: [EventField<Self>] = [
      EventField("name", "the name of the rig") { .string($0.rig.name) },
      EventField("seed", "the seed of all random numbers") { .integer($0.rig.seed) },
      EventField("clock", "virtual or real") { .string($0.rig.clock.rawValue) },
    ]
  }
}

extension RunEvent.NotificationSent: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("on", "the event: forecast-change or alarm") { .string($0.event) },
    EventField("command", "the program and its arguments") {
      .array($0.command.map { .string($0) })
    },
    EventField("run", "whether the program was run, which needs --allow-run") { .bool($0.wasRun) },
  ]
}

extension RunEvent.FaultReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("fault", "the kind of the fault in rigs") { .string($0.fault.name) },
    EventField("number", "its number in the list of the rig, from 1") {
      .integer($0.fault.number)
    },
    EventField("bus", "the number of the bus in the rig") { .integer($0.fault.bus) },
    EventField("fired", "whether it fired at all") { .bool($0.count > 0) },
    EventField("count", "how often it fired: transfers, frames or effects") {
      .integer($0.count)
    },
    EventField("complete", "whether it fired as often as configured") {
      .bool($0.fault.hasFired)
    },
    EventField("planned", "the configured number of times; omitted for an unlimited fault") {
      $0.fault.planned.map { .integer($0) }
    },
    EventField("address", "the address of the target, if the fault has one") {
      $0.fault.plan.address.map { .integer($0.rawValue) }
    },
    EventField("first_t", "the time of its first effect, in seconds") {
      $0.fault.plan.span.map { .seconds($0.first) }
    },
    EventField("last_t", "the time of its last effect, in seconds") {
      $0.fault.plan.span.map { .seconds($0.last) }
    },
    EventField("first_transfer", "the number of its first affected transfer on the bus, from 1") {
      $0.fault.plan.evidence.first.map { .integer($0.transfer) }
    },
    EventField("last_transfer", "the number of its last affected transfer on the bus, from 1") {
      $0.fault.plan.evidence.last.map { .integer($0.transfer) }
    },
    EventField("first_address", "the address in its first affected transfer") {
      $0.fault.plan.evidence.first?.address.map { .integer($0.rawValue) }
    },
    EventField("last_address", "the address in its last affected transfer") {
      $0.fault.plan.evidence.last?.address.map { .integer($0.rawValue) }
    },
  ]
}

extension RunEvent.FaultReport {
  /// The fields of the fault and its firings as one JSON object.
  package var evidence: JSONValue {
    .object(
      Self.fields.compactMap { field in field.value(self).map { (key: field.name, value: $0) } })
  }
}

extension RunEvent.BoardReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "the number of its bus in the rig") { .integer($0.bus) },
    EventField("commands", "the number of commands that it received") { .integer($0.commands) },
    EventField("too_long", "the number of reads longer than its limit") { .integer($0.tooLong) },
    EventField("lost", "the number of lost responses") { .integer($0.lost) },
    EventField("refused", "the number of operations without a connection") { .integer($0.refused) },
    EventField("battery_percent", "the state of charge of its battery in %") {
      .integer($0.battery)
    },
    EventField("out_of_range", "operations without a connection because the board was out of range")
    {
      $0.refusals[.outOfRange].map { .integer($0) }
    },
    EventField(
      "not_advertising", "operations without a connection because the board did not advertise"
    ) {
      $0.refusals[.silent].map { .integer($0) }
    },
    EventField("flat", "operations without a connection because the battery was empty") {
      $0.refusals[.flat].map { .integer($0) }
    },
    decimal("charge_mah", "the charge that it used, in mAh") { $0.charge },
    EventField(
      "flat_since_s",
      "the time at which its battery became empty, in seconds; omitted if it did not"
    ) {
      $0.flatSince.map { .seconds($0) }
    },
    decimal("lasts_h", "the battery life at this rate, always awake, in hours") {
      $0.life
    },
    decimal(
      "lasts_asleep_h", "the battery life with sleep between radio events, in hours"
    ) { $0.lifeAsleep },
    EventField("connections", "over Bluetooth LE frames: the number of connections") {
      $0.radio.map { .integer($0.connections) }
    },
    EventField("requests", "over Bluetooth LE frames: the number of requests through the stack") {
      $0.radio.map { .integer($0.requests) }
    },
    EventField("stack_failed", "the last failure of the Bluetooth stack, if any") {
      $0.radio?.failure.map { .string($0) }
    },
  ]
}

extension RunEvent.TrafficReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "the number of the bus in the rig") { .integer($0.bus) },
    EventField("transfers", "the number of transfers so far") {
      .integer($0.transfers)
    },
    EventField("errors", "the number of failed transfers") { .integer($0.errors) },
    EventField("final", "whether the run is over and these are its totals") { .bool($0.isFinal) },
  ]
}

extension RunEvent.ReplayReport: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "the number of the bus in the rig") { .integer($0.bus) },
    EventField("same", "whether all transfers matched the trace") { .bool($0.isSame) },
    EventField("lines", "the differences and the skipped transfers, in words") {
      .array($0.lines.map { .string($0) })
    },
  ]
}

extension Verdict: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("passed", "whether every expectation was met") { .bool($0.passed) },
    EventField("expectations", "the number of expectations") { .integer($0.findings.count) },
    EventField("failed", "the number of expectations that were not met") { .integer($0.failed) },
    EventField(
      "findings",
      "for each expectation its text, its line in the rig, whether it passed, and the detail"
    ) {
      .array($0.findings.map(\.json))
    },
  ]
}

extension Verdict.Finding {
  fileprivate var json: JSONValue {
    .object(
      [
        ("expectation", .string(expectation.title)), ("line", .integer(expectation.line)),
        ("passed", .bool(passed)), ("detail", .string(detail)),
      ] + (faults.isEmpty ? [] : [("faults", .array(faults.map(\.evidence)))]))
  }
}

extension RunEvent.Notice: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("subject", "one of \(Subject.allCases.map(\.rawValue).joined(separator: ", "))") {
      .string($0.subject.rawValue)
    },
    EventField("text", "a sentence") { .string($0.text) },
  ]
}

extension RunEvent.ChargeReport: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("charge_uc", "the charge that it used since power-on, in µC") {
        .decimal($0.microcoulombs)
      }
    ]
}

extension RunEvent.DriverWarning: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "the number of the bus in the rig") { .integer($0.bus) },
    EventField("address", "the address of the part, 7 bits") {
      .integer($0.address.rawValue)
    },
    EventField("node", "the device node that the program used") { .string("/dev/i2c-\($0.node)") },
    EventField("text", "the most severe error and its number of occurrences") {
      .string($0.warning.sentence)
    },
    EventField("others", "the number of other kinds of errors") {
      .integer($0.warning.others)
    },
  ]
}

extension RunEvent.ProgramEnd: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("status", "the exit status, 128 + n if signal n ended it") { .integer($0.status) },
    EventField(
      "reason",
      "the reason why firmware could not continue, or its address when it could make no more progress"
    ) { $0.reason.map { .string($0) } },
  ]
}

extension RunEvent.RunFailure: ReportedEvent {
  package static let fields: [EventField<Self>] = [
    EventField("status", "the exit status") { .integer($0.status) },
    EventField("messages", "the failure and possible remedies") {
      .array($0.messages.map { .string($0) })
    },
  ]
}

extension RunEvent.SerialLine: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("port", "the serial port, by its name in the datasheet") { .string($0.port) },
    EventField("text", "the line without its line ending") { .string($0.text) },
  ]
}

extension RunEvent.PinChange: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("pin", "the pin, by its name in the datasheet") { .string($0.pin) },
    EventField("level", "`high` or `low`") { .string($0.isHigh ? "high" : "low") },
  ]
}

extension RunEvent.Consumption: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("consumer", "a state of the microcontroller, or a sensor") { .string($0.consumer) },
    EventField("seconds", "the time in which it drew current; omitted if unknown") {
      $0.duration.map { .seconds($0) }
    },
    EventField("charge_uc", "the charge that it drew, in µC") { .decimal($0.microcoulombs) },
    EventField("share", "the fraction of the total charge, from 0 to 1") { .decimal($0.share) },
    EventField("source", "the source of the current: document, table, condition") {
      .string($0.source)
    },
  ]
}

extension RunEvent.Footprint: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("flash_bytes", "the flash that the image occupies") {
      $0.bytes[.flash].map { .integer($0) }
    },
    EventField("ram_bytes", "the RAM of its variables; omitted if unknown") {
      $0.bytes[.ram].map { .integer($0) }
    },
    EventField("stack_bytes", "the largest depth of its stack; omitted if not measured") {
      $0.bytes[.stack].map { .integer($0) }
    },
  ]
}

extension RunEvent.Screen: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("bus", "the number of the bus") { .integer($0.bus) },
    EventField("address", "the address of the display, such as `0x3c`") {
      .string("\($0.address)")
    },
    EventField("lit", "whether the panel is on") { .bool($0.isLit) },
    EventField(
      "rows", "the rows of pixels from the top, `#` for a pixel that is lit and `.` for others"
    ) {
      .array(
        $0.pixels.map { row in .string(String(row.map { $0 ? "#" : "." })) })
    },
  ]
}
