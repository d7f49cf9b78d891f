import I2C
import Parts
import Rigs
import Support

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
