import Support

/// Alarms as comma-separated values (RFC 4180) for spreadsheets, one alarm per row.
///
/// A field with several values, such as the acknowledgements, contains one value per line. Line n
/// of each acknowledgement field (name, time, expiry and note) belongs to the n-th acknowledgement.
public enum AlarmTable {
  private static let columns: [(name: String, value: @Sendable (ZoneAlarm) -> String)] = [
    ("number", { "\($0.number)" }),
    ("tag", { $0.key.tag }),
    ("zone", { $0.zone }),
    ("cause", { $0.key.cause.rawValue }),
    ("level", { $0.key.level.rawValue }),
    ("limit", { Decimal.shortest($0.rule.limit) }),
    ("began", { Moment.text($0.began) }),
    ("raised", { Moment.text($0.raised) }),
    ("peak", { Decimal.shortest($0.peak) }),
    ("peak_time", { Moment.text($0.peakTime) }),
    ("returned", { $0.returned.map(Moment.text) ?? "" }),
    ("duration_s", { $0.duration.map { Decimal.shortest(Double($0) / 1e9) } ?? "" }),
    ("told", { $0.notifications.map(\.name).joined(separator: "; ") }),
    ("acknowledged_by", { lines($0.acknowledgements.map(\.name)) }),
    ("acknowledged", { lines($0.acknowledgements.map { Moment.text($0.time) }) }),
    (
      "acknowledged_until", { lines($0.acknowledgements.map { $0.expires.map(Moment.text) ?? "" }) }
    ),
    ("note", { lines($0.acknowledgements.map(\.note)) }),
    ("phase", { $0.phase.rawValue }),
    ("closed", { $0.closed.map(Moment.text) ?? "" }),
    ("closed_by", { $0.closedBy?.name ?? "" }),
    ("closing_note", { $0.closedBy?.note ?? "" }),
  ]

  /// Joins texts with line breaks.
  private static func lines(_ texts: [String]) -> String { texts.joined(separator: "\n") }

  /// Returns the table with a header row; every row ends with CR LF.
  public static func csv(_ alarms: [ZoneAlarm]) -> String {
    let header = columns.map(\.name).joined(separator: ",")
    let rows = alarms.map { alarm in
      columns.map { field($0.value(alarm)) }.joined(separator: ",")
    }
    return ([header] + rows).map { $0 + "\r\n" }.joined()
  }

  /// Quotes a field if needed, and prefixes text that a spreadsheet would evaluate as a formula with an apostrophe.
  private static func field(_ text: String) -> String {
    let isNumber = Double(text) != nil
    let isFormula = !isNumber && "=+-@\t\r".contains { text.first == $0 }
    let safe = (isFormula ? "'" : "") + text
    let needsQuotes = safe.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return needsQuotes ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
  }
}
