import Rigs
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

extension RunEvent.Footprint: TimedEvent {
  package static let fields: [EventField<Self>] = [
    timeField,
    EventField("flash_bytes", "what the image fills of the flash") {
      $0.bytes[.flash].map { .integer($0) }
    },
    EventField("ram_bytes", "what it wants for its variables; left out where it does not say") {
      $0.bytes[.ram].map { .integer($0) }
    },
    EventField("stack_bytes", "how deep its stack went; left out where nobody looked") {
      $0.bytes[.stack].map { .integer($0) }
    },
  ]
}
