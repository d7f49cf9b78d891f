package import HubQueue
import Quantities
package import Warehouse

/// Readings as records.
enum ReadingRecord {
  /// The record of a reading: all but hub, number and time, which every record has.
  static func record(_ reading: TagReading, in tag: WarehousePolicy.ExpectedTag) -> NewRecord {
    let flags = reading.quality.names.map(JSONText.quoted)
    let raw = reading.raw.map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count < 2 ? "0" + digits : digits
    }
    return NewRecord(
      kind: "reading", key: reading.tag, time: reading.time,
      body: JSONText.object([
        ("tag", JSONText.quoted(reading.tag)), ("name", JSONText.quoted(tag.name)),
        ("zone", JSONText.quoted(tag.zone)),
        ("model", reading.kind.isEmpty ? nil : JSONText.quoted(reading.kind)),
        ("firmware", reading.firmware.map(JSONText.quoted)),
        ("temperature_c", number(reading.values.temperature, 3)),
        ("humidity_rh", number(reading.values.humidity, 3)),
        ("pressure_pa", number(reading.values.pressure, 1)),
        ("battery", reading.battery.map { "\($0)" }), ("rssi", reading.rssi.map { "\($0)" }),
        ("quality", flags.isEmpty ? nil : JSONText.array(flags)),
        (
          "characteristic",
          reading.characteristic.isEmpty ? nil : JSONText.quoted(reading.characteristic)
        ),
        ("raw", raw.isEmpty ? nil : JSONText.quoted(raw.joined())),
      ]))
  }

  private static func number(_ value: Double?, _ decimals: Int) -> String? {
    value.map { JSONText.number($0, decimals) }
  }
}

/// The log of alarms as records.
package enum AlarmLog {
  /// The record of an entry: the line that the log has, without its time, which every record has.
  package static func record(_ entry: AlarmEntry) -> NewRecord {
    let line = entry.json
    let rest = line.firstIndex(of: ",").map { line[line.index(after: $0)...] } ?? "}"
    let number = entry.number.map { "\($0)" } ?? "hub"
    return NewRecord(kind: "alarm", key: number, time: entry.time, body: "{" + rest)
  }

  /// The entry of a record; `nil` where it is none.
  package static func entry(_ record: NewRecord) -> AlarmEntry? {
    AlarmEntry(
      json: "{\"time\":\"\(UTCStamp.exact(record.time))\"," + record.body.dropFirst())
  }

  /// The book that the log in a queue makes.
  package static func book(of queue: RecordQueue) throws -> AlarmBook {
    var book = AlarmBook()
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: 0, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { return book }
      for record in records {
        if let entry = entry(record.record) { book.apply(entry) }
      }
      after = last.sequence
    }
  }
}

extension AlarmEntry {
  /// The number of the alarm that it is about.
  var number: UInt64? {
    switch happening {
    case .raised(let raising): raising.number
    case .again(let number, _, _), .worse(let number, _), .returned(let number),
      .told(let number, _), .acknowledged(let number, _), .expired(let number),
      .closed(let number, _):
      number
    case .breach, .breachOver, .heldBack, .silenced, .silenceOver: nil
    }
  }
}

extension HubCommand {
  /// What was done, in words.
  var done: String {
    switch self {
    case .acknowledge(let number, _, _, _): "alarm \(number) is acknowledged"
    case .silence(let zone, _, _, _): "the zone '\(zone)' is silenced"
    case .endSilence(let zone, _): "the zone '\(zone)' is no longer silenced"
    case .close(let number, _, _): "alarm \(number) is closed"
    }
  }

  /// Its name, as it is allowed or not.
  package var action: String {
    switch self {
    case .acknowledge: "acknowledge"
    case .silence: "silence"
    case .endSilence: "end-silence"
    case .close: "close"
    }
  }

  /// Who wants it.
  package var person: String {
    switch self {
    case .acknowledge(_, let name, _, _), .silence(_, let name, _, _), .endSilence(_, let name),
      .close(_, let name, _):
      name
    }
  }
}
