import Quantities
import Text

/// Finds values in JSON: an object on each line, or one over several lines.
final class JSONSource: ValueSource {
  private let assignments: [Assignment]
  private var unfinished = ""

  init(_ assignments: [Assignment]) { self.assignments = assignments }

  var quantities: Set<Quantity> { Set(assignments.map(\.unit.quantity)) }

  func values(in line: String) -> [ShownValue] {
    for text in [line, unfinished + line] {
      // A number or a text alone is a line about something else.
      guard let value = JSONValue(reading: text.utf8), value.isContainer else { continue }
      unfinished = ""
      return assignments.compactMap { assignment in
        Self.number(at: assignment.place, in: value).map { ShownValue($0, assignment.unit) }
      }
    }
    // What does not end within a megabyte is no JSON.
    unfinished = unfinished.utf8.count < 1 << 20 ? unfinished + line + "\n" : ""
    return []
  }

  /// The number at a path of keys and indices, as its shortest text.
  private static func number(at path: String, in value: JSONValue) -> String? {
    var place = value
    for key in path.split(separator: ".") {
      if let value = place[String(key)] {
        place = value
      } else if let list = place.array, let index = Int(key), list.indices.contains(index) {
        place = list[index]
      } else {
        return nil
      }
    }
    switch place {
    case .number: return place.double?.description
    case .string(let text): return text
    case .null: return "nan"
    default: return nil
    }
  }
}
