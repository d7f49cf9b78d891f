/// The units of a CF time axis: `hours since 2013-10-01 00:00:00`.
struct TimeUnits {
  let secondsPerUnit: Double
  let epoch: Int

  /// Reads the units; `nil` for what is none.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count >= 3, words[1].lowercased() == "since" else { return nil }
    switch words[0].lowercased() {
    case "seconds", "second", "secs", "sec", "s": secondsPerUnit = 1
    case "minutes", "minute", "mins", "min": secondsPerUnit = 60
    case "hours", "hour", "hrs", "hr", "h": secondsPerUnit = 3600
    case "days", "day", "d": secondsPerUnit = 86400
    default: return nil
    }
    var moment = words.dropFirst(2).joined(separator: " ")
    for zone in [" UTC", " GMT", " +00:00", " +0:00", " 0:00", "+00:00"]
    where moment.hasSuffix(zone) {
      moment.removeLast(zone.count)
    }
    guard let epoch = CivilTime.parse(moment) else { return nil }
    self.epoch = epoch
  }

  /// The moment of a value, to the second; `nil` for one that no calendar holds.
  func seconds(_ value: Double) -> Int? {
    let offset = (value * secondsPerUnit).rounded()
    guard offset.isFinite, abs(offset) < 1e12 else { return nil }
    return epoch + Int(offset)
  }
}
