import Bridges
import Runs
import Text

extension TextReport {
  /// What a board did, why it could not be reached, and how long its battery lasts.
  func boardLines(_ board: RunEvent.BoardReport) -> [String] {
    let reasons = SimulatedGATTLink.Absence.allCases.compactMap { absence in
      board.refusals[absence].map { "\($0) \(absence.rawValue)" }
    }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    var lines = [
      "board on bus \(board.bus): \(board.commands) commands (its light blinked as often), \(board.lost) "
        + "answers lost, \(board.refused) without a connection\(why), battery \(board.battery) %"
    ]
    if let charge = board.charge, let life = board.life, let asleep = board.lifeAsleep {
      lines.append(
        "its battery gave \(Decimal.fixed(charge, 2)) mAh; at this rate it lasts \(time(life)) with its "
          + "microcontroller awake, \(time(asleep)) asleep between radio events (currents are assumed)"
      )
    }
    return lines
  }

  /// A time of hours in the unit in which it is best read.
  private func time(_ hours: Double) -> String {
    hours < 72 ? "\(Decimal.fixed(hours, 1)) h" : "\(Decimal.fixed(hours / 24, 1)) days"
  }
}
