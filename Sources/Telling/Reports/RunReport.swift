package import Runs
import Text

/// Something that tells a run to its reader.
package protocol RunReport: AnyObject {
  /// Takes an event; events come in order of time, the verdict last.
  func take(_ event: RunEvent)

  /// Tells what is still to be told, after the last event; only a report that waits for the end has anything.
  func finish()
}

extension RunReport {
  package func finish() {}
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

/// One JSON object that holds the whole run, printed at its end: by the verdict, or where nothing is judged by ``finish()``.
package final class JSONReport: RunReport {
  private let print: (String) -> Void
  private var rig: JSONValue?
  private var arrays: [RunEvent.Kind: Spool] = [:]
  private var end: JSONValue?
  private var isTold = false

  /// Creates a report that prints to something.
  package init(to print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Keeps the event; the verdict prints all.
  package func take(_ event: RunEvent) {
    switch event {
    case .began: rig = event.json
    case .ended: end = event.json
    case .verdict: tell(verdict: event.json)
    default: if event.kind.array != nil { keep(event) }
    }
  }

  /// Prints all, where no verdict came.
  package func finish() { if !isTold { tell(verdict: nil) } }

  private func tell(verdict: JSONValue?) {
    isTold = true
    print("{")
    if let rig { print("\"rig\":\(rig.compact),") }
    var ends: [String] = []
    for kind in RunEvent.Kind.allCases {
      guard let array = kind.array else { continue }
      print("\"\(array)\":[")
      arrays[kind]?.drain(print)
      print("],")
    }
    if let end { ends.append("\"end\":\(end.compact)") }
    if let verdict { ends.append("\"verdict\":\(verdict.compact)") }
    print(ends.joined(separator: ",") + "}\n")
  }

  private func keep(_ event: RunEvent) {
    let kind = event.kind
    let array = arrays[kind] ?? Spool()
    arrays[kind] = array
    array.append((array.isEmpty ? "" : ",") + event.json.compact)
  }
}
