import Text

extension RunEvent.SerialLine: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("port", "the serial port, as the data sheet calls it") { .string($0.port) },
    EventField("text", "the line without its end") { .string($0.text) },
  ]
}

extension RunEvent.Consumption: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("consumer", "a state of the microcontroller, or a sensor") { .string($0.consumer) },
    EventField("seconds", "for how long it took a current; left out where nobody counts") {
      $0.duration.map { .seconds($0) }
    },
    EventField("charge_uc", "the charge that it took, in µC") { .decimal($0.microcoulombs) },
    EventField("share", "how much of all that is, from 0 to 1") { .decimal($0.share) },
    EventField("source", "where the current stands: document, table, condition") {
      .string($0.source)
    },
  ]
}
