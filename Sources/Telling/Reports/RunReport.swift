package import Runs
import Text

/// Something that tells a run to its reader.
package protocol RunReport: AnyObject {
  /// Takes an event; events come in order of time, the verdict last.
  func take(_ event: RunEvent)
}

/// One JSON object a line, as things happen.
package final class JSONLinesReport: RunReport {
  private let print: (String) -> Void

  /// Creates a report that prints to something.
  package init(to print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Prints the event as one line.
  package func take(_ event: RunEvent) { print(event.json.compact + "\n") }
}

/// One JSON object that holds the whole run, printed at its end.
package final class JSONReport: RunReport {
  private let print: (String) -> Void
  private var rig: JSONValue?
  private var arrays: [RunEvent.Kind: Spool] = [:]

  /// Creates a report that prints to something.
  package init(to print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Keeps the event; the verdict prints all.
  package func take(_ event: RunEvent) {
    switch event {
    case .began: rig = event.json
    case .verdict:
      print("{")
      if let rig { print("\"rig\":\(rig.compact),") }
      for kind in RunEvent.Kind.allCases {
        guard let array = kind.array else { continue }
        print("\"\(array)\":[")
        arrays[kind]?.drain(print)
        print("],")
      }
      print("\"verdict\":\(event.json.compact)}\n")
    default: if event.kind.array != nil { keep(event) }
    }
  }

  private func keep(_ event: RunEvent) {
    let kind = event.kind
    let array = arrays[kind] ?? Spool()
    arrays[kind] = array
    array.append((array.isEmpty ? "" : ",") + event.json.compact)
  }
}
