import I2C
import Parts
import Rigs
package import Runs

/// What the user of a program that ran on a bench is told, in sentences.
package final class ProgramReport: RunReport {
  private let explanation: () -> String
  private let say: (String) -> Void
  private var remarks: [RunEvent.Remark] = []

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - explanation: the command that explains what the program did wrong on a bus.
  ///   - say: takes a sentence.
  package init(
    explanation: @autoclosure @escaping () -> String, to say: @escaping (String) -> Void
  ) {
    self.explanation = explanation
    self.say = say
  }

  /// Says what the event means to the user; what was done wrong, in one line at the end.
  package func take(_ event: RunEvent) {
    switch event {
    case .notice(let notice): say(notice.text)
    case .fault(let report):
      say(report.fault.firings(report.count, place: " on bus \(report.fault.bus)"))
    case .board(let board): if let sentence = board.refusal { say(sentence) }
    case .remark(let remark): remarks.append(remark)
    case .failure(let failure): failure.messages.forEach(say)
    case .ended: sayRemarks()
    default: break
    }
  }

  private func sayRemarks() {
    guard let first = remarks.first else { return }
    let more = remarks.count == 1 ? "" : "; \(remarks.count - 1) other parts were used wrongly too"
    let next =
      first.remark.isExplained
      ? "explained by: \(explanation())"
      : "to see each transfer: --trace FILE, then aneroid trace show FILE"
    say("\(first.sentence)\(more). A real part answers the same; \(next)")
  }
}

extension RunEvent.Remark {
  /// What was done wrong and where, in words.
  fileprivate var sentence: String {
    let others =
      remark.others == 0
      ? "" : ", and \(remark.others) more kind\(remark.others == 1 ? "" : "s") of mistake"
    return "\(address) on i2c-\(node): \(remark.sentence)\(others)"
  }
}
