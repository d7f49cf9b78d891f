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
      number(found.highest.humidity), Self.share(found.coverage), Self.words(spot),
    ]
  }

  /// A share in whole percent; what is little is not nothing.
  private static func share(_ share: Double) -> String {
    share > 0 && share < 0.005 ? "<1 %" : JSONText.number(share * 100, 0) + " %"
  }

  /// Whether the rule of storage was kept, in words.
  static func words(_ spot: Spot) -> String {
    guard let storage = spot.storage else { return "" }
    guard let isKept = storage.isKept else { return "\(storage.rule.name): nothing measured" }
    // What lay outside lay outside; that all was well, and a mean, need the whole time.
    guard spot.found.isEnough || !storage.excursions.allSatisfy(storage.isAllowed) else {
      return "\(storage.rule.name): too few data to judge"
    }
    let count = storage.excursions.count
    return "\(storage.rule.name): " + (isKept ? "kept" : "not kept")
      + (count == 0 ? "" : ", \("excursion".counted(count))")
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

  /// Why it says little yet; `nil` where every place has been measured for long enough.
  var doubt: String? {
    let few = spots.filter { !$0.found.isEnough }
    guard let most = few.map(\.found.covered).max() else { return nil }
    let seconds = most / 1_000_000_000
    let longest =
      seconds < 7200
      ? "\(seconds / 60) min" : JSONText.number(Double(seconds) / 3600, 1) + " h"
    let share = JSONText.number(MappingStudy.leastCoverage * 100, 0)
    return
      "Too few data to judge: \(few.count) of \("place".counted(spots.count)) \(few.count == 1 ? "has" : "have") values for less than a day or less "
      + "than \(share) % of the period (the most: \(seconds < 120 ? "\(seconds) s" : longest)). Cold rooms are mapped for 24 to "
      + "72 hours, warehouses for a week (WHO Technical Report Series 961, annex 9, supplement 8)."
  }

  /// What stands above the places of monitors.
  var monitorsTitle: String {
    doubt == nil ? "Monitors belong to" : "Monitors would belong to, as far as is known"
  }

  /// The study as text.
  package var text: String {
    let rows = [Self.columns] + spots.map(row)
    let widths = Self.columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = [
      "Warehouse \(hub), \(UTCStamp.text(span.lowerBound)) to \(UTCStamp.text(span.upperBound)), "
        + "reading".counted(count), "",
    ]
    for row in rows {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    if let doubt { lines += ["", doubt] }
    lines += ["", monitorsTitle + ":"]
    lines += monitors.map { monitor in
      "  \(monitor.place): \(monitor.reasons.map(Self.words).joined(separator: ", "))"
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
