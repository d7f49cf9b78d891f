import Quantities

/// What stands in the last field of a recorded row: the marks of a watch, and for which quantities nobody vouches.
struct RecordedMark: Hashable {
  /// What was marked.
  let mark: String
  /// The quantities that were outside of what the sensor is specified for.
  let outside: [Quantity]

  /// The marks with which a measurement begins anew, and with which one goes on after a pause: what is recalled obeys them.
  static let start = "start", goesOn = "goes on"
  /// The mark with which a recording begins a run whose times do not go on from those before.
  static let newRun = "new run"

  private static let head = "outside specification: "

  /// Creates the marks of a row.
  init(_ mark: String, outside: [Quantity]) { (self.mark, self.outside) = (mark, outside) }

  /// Reads the field of a row.
  init(_ text: String) {
    var (words, outside): ([String], [Quantity]) = ([], [])
    for part in text.split(separator: ";").map({ $0.drop { $0 == " " } }) {
      guard part.hasPrefix(Self.head) else {
        words.append(String(part))
        continue
      }
      outside = part.dropFirst(Self.head.count).split(separator: " ").compactMap {
        Quantity(rawValue: String($0))
      }
    }
    self.init(words.joined(separator: "; "), outside: outside)
  }

  /// The field; without commas, as a row has commas between its fields.
  var text: String {
    let names = outside.isEmpty ? "" : Self.head + outside.map(\.rawValue).joined(separator: " ")
    return [mark, names].filter { !$0.isEmpty }.joined(separator: "; ")
  }
}
