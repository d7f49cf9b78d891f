import BME280
import Text

extension CalibrationFile {
  /// The calibration in the form in which files keep it and a rig may hold its registers.
  package var yaml: String {
    let lower = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    func digits(_ range: Range<Int>) -> String {
      "\"" + range.map { Hexadecimal.digits(nvm[$0]) }.joined() + "\""
    }
    var registers = "0x88: \(digits(0..<lower))"
    if chip.measuresHumidity {
      registers += ", 0xE1: \(digits(lower..<Calibration.bme280Length))"
    }
    return """
      \(comment)device: \(quoted(device))
      chip: \(chip.name)
      provenance: \(quoted(provenance))
      registers: {\(registers)}

      """
  }

  /// The words, for people.
  private var comment: String {
    guard
      let calibration = Calibration(
        bytes: nvm.span.extracting(first: Calibration.length(on: chip)))
    else { return "" }
    let temperature = [Int(calibration.t1), Int(calibration.t2), Int(calibration.t3)]
    let pressure = [
      Int(calibration.p1), Int(calibration.p2), Int(calibration.p3), Int(calibration.p4),
      Int(calibration.p5), Int(calibration.p6), Int(calibration.p7), Int(calibration.p8),
      Int(calibration.p9),
    ]
    let humidity = [
      Int(calibration.h1), Int(calibration.h2), Int(calibration.h3), Int(calibration.h4),
      Int(calibration.h5), Int(calibration.h6),
    ]
    var lines = [("T", temperature), ("P", pressure)]
    if chip.measuresHumidity { lines.append(("H", humidity)) }
    return lines.map { name, words in
      let last = words.count
      return "# dig_\(name)1 to dig_\(name)\(last): "
        + words.map(String.init).joined(separator: " ") + "\n"
    }.joined()
  }

  private func quoted(_ text: String) -> String { JSONValue.string(text).compact }
}
