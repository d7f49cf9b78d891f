import Rigs
import Runs

/// Says once that the air is no longer known and its last value holds.
struct AirNotice {
  private let rig: Rig
  private var hasTold = false

  init(_ rig: Rig) { self.rig = rig }

  /// The notice, when the time has come for it.
  mutating func look(at time: UInt64) -> RunEvent.Notice? {
    guard !hasTold, let known = rig.environment.knownTime,
      time > known + FirmwareBench.lead(of: rig)
    else { return nil }
    hasTold = true
    return RunEvent.Notice(time: time, subject: .air, text: rig.endOfAir(known))
  }
}
