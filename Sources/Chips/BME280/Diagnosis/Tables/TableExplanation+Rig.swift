import BME280
import DriverDefects
import Text

extension TableExplanation {
  /// The device of a rig that has this calibration, as its list of devices takes it.
  package var device: String {
    let nvm = calibration.bytes
    let digits = nvm.indices.map { Hexadecimal.digits(nvm[$0]) }
    let lower = digits.prefix(Calibration.lowerLength).joined()
    let upper = digits.dropFirst(Calibration.lowerLength).joined()
    return "{address: 0x76, model: bme280, calibration: {0x88: \"\(lower)\", 0xE1: \"\(upper)\"}}"
  }
}
