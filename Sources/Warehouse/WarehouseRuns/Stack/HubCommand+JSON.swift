import Text
import Warehouse

extension HubCommand {
  /// The document that a hub reads as this command.
  var json: String {
    var fields: [(key: String, value: JSONValue)]
    func seconds(_ duration: Int64) -> JSONValue { .seconds(UInt64(max(duration, 0))) }
    switch self {
    case .acknowledge(let alarm, let name, let note, let duration):
      fields = [
        ("command", .string("acknowledge")), ("alarm", .integer(alarm)), ("name", .string(name)),
        ("note", .string(note)),
      ]
      if let duration { fields.append(("for_s", seconds(duration))) }
    case .silence(let zone, let name, let note, let duration):
      fields = [
        ("command", .string("silence")), ("zone", .string(zone)), ("name", .string(name)),
        ("note", .string(note)), ("for_s", seconds(duration)),
      ]
    case .endSilence(let zone, let name):
      fields = [
        ("command", .string("end-silence")), ("zone", .string(zone)), ("name", .string(name)),
      ]
    case .close(let alarm, let name, let note):
      fields = [
        ("command", .string("close")), ("alarm", .integer(alarm)), ("name", .string(name)),
        ("note", .string(note)),
      ]
    }
    return JSONValue.object(fields).compact
  }
}
