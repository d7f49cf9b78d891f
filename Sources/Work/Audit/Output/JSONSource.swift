import Quantities
import Foundation

/// Finds values in JSON: an object on each line, or one over several lines.
final class JSONSource: ValueSource {
  private let assignments: [Assignment]
  private var unfinished = ""

  init(_ assignments: [Assignment]) { self.assignments = assignments }

  var quantities: Set<Quantity> { Set(assignments.map(\.unit.quantity)) }

  func values(in line: String) -> [ShownValue] {
    for text in [line, unfinished + line] {
      guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { continue }
      unfinished = ""
      return assignments.compactMap { assignment in
        Self.number(at: assignment.place, in: object).map { ShownValue($0, assignment.unit) }
      }
    }
    // What does not end within a megabyte is no JSON.
    unfinished = unfinished.utf8.count < 1 << 20 ? unfinished + line + "\n" : ""
    return []
  }

  /// The number at a path of keys and indices, as its shortest text.
  private static func number(at path: String, in object: Any) -> String? {
    var place = object
    for key in path.split(separator: ".") {
      if let dictionary = place as? [String: Any], let value = dictionary[String(key)] {
        place = value
      } else if let list = place as? [Any], let index = Int(key), list.indices.contains(index) {
        place = list[index]
      } else {
        return nil
      }
    }
    switch place {
    case let number as NSNumber: return "\(number.doubleValue)"
    case let text as String: return text
    case is NSNull: return "nan"
    default: return nil
    }
  }
}
