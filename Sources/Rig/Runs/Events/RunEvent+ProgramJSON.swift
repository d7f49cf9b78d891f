import DriverDefects
import I2C
package import Text

extension RunEvent.Notice {
  package var json: JSONValue {
    .object([
      ("event", .string(RunEvent.Kind.notice.rawValue)), ("t", .seconds(time)),
      ("subject", .string(subject.rawValue)), ("text", .string(text)),
    ])
  }
}

extension RunEvent.ChargeReport {
  package var json: JSONValue {
    .object(RunEvent.head(.charge, time, place) + [("charge_uc", .decimal(microcoulombs))])
  }
}

extension RunEvent.Remark {
  package var json: JSONValue {
    .object([
      ("event", .string(RunEvent.Kind.remark.rawValue)), ("t", .seconds(time)),
      ("bus", .integer(bus)), ("address", .integer(remark.address.rawValue)),
      ("node", .string("/dev/i2c-\(node)")), ("text", .string(remark.sentence)),
      ("others", .integer(remark.others)),
    ])
  }
}

extension RunEvent.ProgramEnd {
  package var json: JSONValue {
    .object([
      ("event", .string(RunEvent.Kind.end.rawValue)), ("t", .seconds(time)),
      ("status", .integer(status)),
    ])
  }
}

extension RunEvent.RunFailure {
  package var json: JSONValue {
    .object([
      ("event", .string(RunEvent.Kind.failure.rawValue)), ("status", .integer(status)),
      ("messages", .array(messages.map { .string($0) })),
    ])
  }
}
