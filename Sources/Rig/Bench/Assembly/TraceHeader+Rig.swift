import I2CTrace
import Rigs
import Text
import TraceTools

extension TraceHeader {
  /// The header of what happens on the buses of a rig.
  init(_ rig: Rig, clock: String, start: Int64, buses: [Bus]) {
    self.init(
      generator: "aneroid \(Version.text)", clock: clock, seed: rig.seed,
      start: start == 0 ? nil : UTCTime.stamp(start), rigDigest: rig.digest, buses: buses,
      note: "rig \(rig.name)")
  }
}
