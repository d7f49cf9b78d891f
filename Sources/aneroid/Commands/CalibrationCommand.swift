import ArgumentParser
import Chips
import Files

/// `aneroid calibration`: prints calibrations in the form that rigs take.
struct CalibrationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibration",
    abstract: "Print the calibration of a part as a file for rigs, whatever form it comes in.",
    discussion: """
      EXAMPLES
        i2cdump -y 1 0x76 b > dump.txt
        aneroid calibration dump.txt > my-part.yaml
        aneroid calibration periph-i2c
        aneroid calibration bench.i2ctrace
        aneroid calibration

      \(CalibrationForm.forms.split(separator: "\n").joined(separator: " "))

      A rig takes the same as 'calibration: my-part.yaml'. Without an argument the built-in ones \
      are listed.
      """)

  @Argument(
    help: "A file, - for standard input, or the name of a built-in calibration.",
    completion: Completions.calibrations)
  var calibration: String?

  func run() throws {
    try TraceCommand.finish { output throws(Failure) in
      if let calibration {
        output.write(try CalibrationForm.text(of: calibration))
        return true
      }
      let rows = try Calibrations.list()
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        let gap = String(repeating: " ", count: width - row.name.count + 2)
        output.write("\(row.name)\(gap)\(row.chip)  \(row.provenance)\n")
      }
      return true
    }
  }
}
