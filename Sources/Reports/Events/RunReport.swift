import Glibc
import I2C
import Parts
package import Rigs
package import Runs
package import Support

/// A report of a run, created from the run's events.
package protocol RunReport: AnyObject {
  /// Handles an event. Events arrive in order of time, with the verdict last.
  func take(_ event: RunEvent)

  /// Completes the report after the last event.
  func finish()
}

extension RunReport {
  package func finish() {}
}

/// A report of events as JSON Lines, which are printed as the events occur.
package final class JSONLinesReport: RunReport {
  private let print: (String) -> Void

  /// Creates a report that prints with a closure.
  package init(to print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Prints the event as one line.
  package func take(_ event: RunEvent) { print(event.json.compact + "\n") }
}

/// A report of the whole run as one JSON object, printed at the verdict or, if there is no verdict,
/// by `finish()`.
package final class JSONReport: RunReport {
  private let print: (String) -> Void
  private var rig: JSONValue?
  private var arrays: [RunEvent.Kind: Spool] = [:]
  private var end: JSONValue?
  private var isPrinted = false

  /// Creates a report that prints with a closure.
  package init(to print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Stores the event, or prints the object if the event is the verdict.
  package func take(_ event: RunEvent) {
    switch event {
    case .began: rig = event.json
    case .ended: end = event.json
    case .verdict: emit(verdict: event.json)
    default: if event.kind.array != nil { keep(event) }
    }
  }

  /// Prints the object if there was no verdict.
  package func finish() { if !isPrinted { emit(verdict: nil) } }

  private func emit(verdict: JSONValue?) {
    isPrinted = true
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

/// A text buffer that stores a small part in memory and the rest in an unlinked temporary file.
package final class Spool {
  /// The size of the buffer in memory in bytes.
  private static let most = 1 << 18

  private var gathered: [UInt8] = []
  private var descriptor: Int32 = -1
  /// Whether no file can be written, in which case everything stays in memory.
  private var hasNoFile = false

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether the buffer is empty.
  package var isEmpty: Bool { gathered.isEmpty && descriptor < 0 }

  package func append(_ text: String) {
    gathered += text.utf8
    if gathered.count > Self.most { spill() }
  }

  /// Passes the text in pieces, in order, and empties the buffer.
  package func drain(_ take: (String) -> Void) {
    if descriptor >= 0, lseek(descriptor, 0, SEEK_SET) == 0 {
      // End each piece at a character boundary.
      var rest: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: Self.most)
      while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
        rest += chunk[..<count]
        let whole = rest.count - Self.unfinished(rest)
        take(String(decoding: rest[..<whole], as: UTF8.self))
        rest.removeFirst(whole)
      }
    }
    take(String(decoding: gathered, as: UTF8.self))
  }

  /// Returns the number of bytes at the end that belong to an incomplete character.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      return length > count ? count : 0
    }
    return 0
  }

  private func spill() {
    guard !hasNoFile else { return }
    if descriptor < 0 {
      descriptor = ScratchFile.open()
      guard descriptor >= 0 else {
        hasNoFile = true
        return
      }
    }
    let end = lseek(descriptor, 0, SEEK_END)
    if writeAll(gathered, to: descriptor) == 0 {
      gathered.removeAll(keepingCapacity: true)
    } else {
      // If the disk is full, remove the incomplete write; the text stays in memory.
      ftruncate(descriptor, end)
      hasNoFile = true
    }
  }
}

/// A report that prints messages for the user of a program whose I2C buses the bench provides.
package final class ProgramReport: RunReport {
  private let explanation: () -> String
  private let say: (String) -> Void
  private var warnings: [RunEvent.DriverWarning] = []
  /// `true` if the parts answer what data sheets leave open against the program.
  private var isHarsh = false

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - explanation: returns the command that explains the bus errors of the program.
  ///   - say: prints a message.
  package init(
    explanation: @autoclosure @escaping () -> String, to say: @escaping (String) -> Void
  ) {
    self.explanation = explanation
    self.say = say
  }

  /// Prints the message of an event.
  ///
  /// Warnings are summarised in one line at the end.
  package func take(_ event: RunEvent) {
    switch event {
    case .began(let rig, _): isHarsh = rig.isHarsh
    case .notice(let notice) where notice.subject == .connection:
      say("\(notice.text), at \(Decimal.seconds(notice.time)) s")
    case .notice(let notice): say(notice.text)
    case .fault(let report):
      say(
        report.fault.firings(location: " on bus \(report.fault.bus)")
          + report.fault.evidence.moments)
    case .board(let board): if let sentence = board.refusal { say(sentence) }
    case .warning(let warning): warnings.append(warning)
    case .failure(let failure): failure.messages.forEach(say)
    case .ended: sayRemarks()
    default: break
    }
  }

  private func sayRemarks() {
    guard let first = warnings.first else { return }
    let more =
      warnings.count == 1 ? "" : "; \(warnings.count - 1) other parts were also used incorrectly"
    let next =
      first.warning.isExplained
      ? "explained by: \(explanation())"
      : "to see each transfer, use --trace FILE, then aneroid trace show FILE"
    let judgement =
      first.warning.doubt
      ?? (isHarsh
        ? "The part is harsh, and a real one may behave the same way"
        : "A real part behaves the same way")
    say("\(first.sentence)\(more). \(judgement); \(next)")
  }
}

extension RunEvent.DriverWarning {
  /// The sentence about the first error in the program's use of a part, with the part's bus and
  /// address.
  fileprivate var sentence: String {
    let others =
      warning.others == 0
      ? "" : ", and \(warning.others) more kind\(warning.others == 1 ? "" : "s") of error"
    return "\(address) on i2c-\(node): \(warning.sentence)\(others)"
  }
}

extension Verdict {
  /// Converts the verdict to findings, one for each expectation.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - seconds: the wall-clock duration of the run in seconds.
  /// - Returns: the findings, in the order of the rig.
  package func inspection(of rig: Rig, seconds: Double) -> Inspection {
    var inspection = Inspection(
      "aneroid run", of: rig.name, suite: rig.name,
      nouns: Inspection.Nouns(rule: "expectation", message: "seen", defect: "were not met"),
      findings.map { $0.finding(in: rig) })
    inspection.seconds = seconds
    return inspection
  }
}

extension Verdict.Finding {
  fileprivate func finding(in rig: Rig) -> Support.Finding {
    Support.Finding(
      passed ? .passed : .error, expectation.title,
      at: Support.Finding.Location(file: rig.file, line: expectation.line), detail,
      evidence: (time.map { [Support.Finding.Evidence("time", Decimal.elapsed($0))] } ?? [])
        + faults.map {
          Support.Finding.Evidence("fault", $0.fault.evidence.text, $0.evidence)
        })
  }
}
