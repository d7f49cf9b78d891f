import I2C
import Parts
import Text

extension RunEvent.Notice: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("subject", "one of \(Subject.allCases.map(\.rawValue).joined(separator: ", "))") {
      .string($0.subject.rawValue)
    },
    EventField("text", "a sentence") { .string($0.text) },
  ]
}

extension RunEvent.ChargeReport: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("charge_uc", "the charge that it used since power came on, in µC") {
        .decimal($0.microcoulombs)
      }
    ]
}

extension RunEvent.Remark: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField, EventField("bus", "N of the bus in the rig") { .integer($0.bus) },
    EventField("address", "the address of the part, 7 bits") {
      .integer($0.address.rawValue)
    },
    EventField("node", "the file that the program used") { .string("/dev/i2c-\($0.node)") },
    EventField("text", "the worst of what it did, and how often") {
      .string($0.remark.sentence)
    },
    EventField("others", "how many other kinds of mistakes there were") {
      .integer($0.remark.others)
    },
  ]
}

extension RunEvent.ProgramEnd: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("status", "the exit status, 128 + n if signal n ended it") { .integer($0.status) },
    EventField(
      "reason",
      "why firmware could not go on, or where it was when nothing more was to come of it"
    ) { $0.reason.map { .string($0) } },
  ]
}

extension RunEvent.RunFailure: ToldEvent {
  package static let fields: [EventField<Self>] = [
    EventField("status", "the exit status that says so") { .integer($0.status) },
    EventField("messages", "what failed, and what to try") {
      .array($0.messages.map { .string($0) })
    },
  ]
}
