import Bridges
package import Runs
import Text

extension RunEvent.BoardReport {
  /// What the board did, why it could not be reached, and how long its battery lasts.
  package var sentences: [String] {
    var lines = [
      "board on bus \(bus): \(commands) commands (its light blinked as often), \(lost) "
        + "answers lost, \(refused) without a connection\(why), battery \(battery) %"
    ]
    if let radio {
      let failed = radio.failure.map { "; the stack failed meanwhile: \($0)" } ?? ""
      lines.append(
        "over Bluetooth LE frames: \(radio.requests) requests through the stack, connected "
          + (radio.connections == 1 ? "once" : "\(radio.connections) times") + failed)
    }
    if let flatSince {
      let all =
        charge.map { " gave all of its \(Decimal.shortest(($0 * 1e4).rounded() / 1e4)) mAh and" }
        ?? ""
      let since = flatSince == 0 ? "the start" : Decimal.elapsed(flatSince)
      lines.append("its battery\(all) has been flat since \(since)")
    }
    if let charge {
      if let life, let lifeAsleep {
        let gave = flatSince == nil ? "its battery gave \(Decimal.fixed(charge, 2)) mAh; " : ""
        lines.append(
          gave + "at this rate it lasts \(Self.time(life)) with its "
            + "microcontroller awake, \(Self.time(lifeAsleep)) asleep between radio events"
        )
      }
      // No rig changes them.
      lines.append(BoardPower().origin)
    }
    return lines
  }

  /// That operations met no connection, and why; `nil` where none did.
  var refusal: String? {
    refused == 0
      ? nil : "the board on bus \(bus): \("operation".counted(refused)) met no connection\(why)"
  }

  /// Why operations met no connection, and how many.
  private var why: String {
    let reasons = SimulatedGATTLink.Absence.allCases.compactMap { absence in
      refusals[absence].map { "\($0) \(absence.rawValue)" }
    }
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
  }

  /// A time of hours in the unit in which it is best read.
  private static func time(_ hours: Double) -> String {
    hours < 72 ? "\(Decimal.fixed(hours, 1)) h" : "\(Decimal.fixed(hours / 24, 1)) days"
  }
}
