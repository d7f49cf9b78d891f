/// Why a text is no calibration.
struct CalibrationFormatError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
