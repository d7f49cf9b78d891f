import Text

/// Alarms as comma-separated values (RFC 4180), for spreadsheets: one a row, each with its whole life.
///
/// What there may be several of, such as acknowledgements, stands in one field on a line each: line by line, name, moment,
/// expiry and note belong together.
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
    ("told", { $0.told.map(\.name).joined(separator: "; ") }),
    ("acknowledged_by", { lines($0.receipts.map(\.name)) }),
    ("acknowledged", { lines($0.receipts.map { Moment.text($0.time) }) }),
    ("acknowledged_until", { lines($0.receipts.map { $0.expires.map(Moment.text) ?? "" }) }),
    ("note", { lines($0.receipts.map(\.note)) }),
    ("phase", { $0.phase.rawValue }),
    ("closed", { $0.closed.map(Moment.text) ?? "" }),
    ("closed_by", { $0.closedBy?.name ?? "" }),
    ("closing_note", { $0.closedBy?.note ?? "" }),
  ]

  /// Texts on a line each.
  private static func lines(_ texts: [String]) -> String { texts.joined(separator: "\n") }

  /// The table with its header, a row each with its end.
  public static func csv(_ alarms: [ZoneAlarm]) -> String {
    let header = columns.map(\.name).joined(separator: ",")
    let rows = alarms.map { alarm in
      columns.map { field($0.value(alarm)) }.joined(separator: ",")
    }
    return ([header] + rows).map { $0 + "\r\n" }.joined()
  }

  /// A field, in quotes where it needs them; what a spreadsheet would take for a formula begins with an apostrophe.
  private static func field(_ text: String) -> String {
    let isNumber = Double(text) != nil
    let isFormula = !isNumber && "=+-@\t\r".contains { text.first == $0 }
    let safe = (isFormula ? "'" : "") + text
    let needsQuotes = safe.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return needsQuotes ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
  }
}
