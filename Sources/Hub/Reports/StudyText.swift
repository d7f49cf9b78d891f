import HubQueue
import Quantities
import Warehouse

extension WarehouseStudy {
  /// The columns of its table.
  static let columns = [
    "place", "zone", "mean °C", "lowest", "highest", "MKT °C", "mean %", "highest %", "covered",
    "storage",
  ]

  /// A row of its table.
  func row(_ spot: Spot) -> [String] {
    func number(_ value: Double?, _ decimals: Int = 1) -> String {
      value.map { JSONText.number($0, decimals) } ?? "–"
    }
    let found = spot.found
    return [
      found.name, spot.tag.zone, number(found.mean.temperature), number(found.lowest.temperature),
      number(found.highest.temperature), number(found.kineticMean), number(found.mean.humidity),
      number(found.highest.humidity), number(found.coverage * 100, 0) + " %", Self.words(spot),
    ]
  }

  /// Whether the rule of storage was kept, in words.
  static func words(_ spot: Spot) -> String {
    guard let storage = spot.storage else { return "" }
    guard let isKept = storage.isKept else { return "\(storage.rule.name): nothing measured" }
    let count = storage.excursions.count
    return "\(storage.rule.name): " + (isKept ? "kept" : "not kept")
      + (count == 0 ? "" : ", \(count) \(count == 1 ? "excursion" : "excursions")")
  }

  /// Why a monitor belongs to a place, in words.
  static func words(_ reason: MappingStudy.Reason) -> String {
    switch reason {
    case .hottest: "the highest temperature"
    case .coldest: "the lowest temperature"
    case .wettest: "the highest humidity"
    case .widest: "the widest range of temperature"
    case .typical: "nearest to the mean of all"
    }
  }

  /// The study as text.
  package var text: String {
    let rows = [Self.columns] + spots.map(row)
    let widths = Self.columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = [
      "Warehouse \(hub), \(UTCStamp.text(span.lowerBound)) to \(UTCStamp.text(span.upperBound)), "
        + "\(count) readings", "",
    ]
    for row in rows {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    lines += ["", "Monitors belong to:"]
    lines += monitors.map { monitor in
      "  \(monitor.place): \(monitor.reasons.map(Self.words).joined(separator: ", "))"
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
