import Bridges
package import Runs
import Text

extension RunEvent.BoardReport {
  /// What the board did, why it could not be reached, and how long its battery lasts.
  package var sentences: [String] {
    let reasons = SimulatedGATTLink.Absence.allCases.compactMap { absence in
      refusals[absence].map { "\($0) \(absence.rawValue)" }
    }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
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
    if let charge, let life, let lifeAsleep {
      lines.append(
        "its battery gave \(Decimal.fixed(charge, 2)) mAh; at this rate it lasts \(Self.time(life)) with its "
          + "microcontroller awake, \(Self.time(lifeAsleep)) asleep between radio events"
      )
      // No rig changes them.
      lines.append(BoardPower().origin)
    }
    return lines
  }

  /// A time of hours in the unit in which it is best read.
  private static func time(_ hours: Double) -> String {
    hours < 72 ? "\(Decimal.fixed(hours, 1)) h" : "\(Decimal.fixed(hours / 24, 1)) days"
  }
}
