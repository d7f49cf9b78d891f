import Glibc
import I2C
import I2CTrace
import Parts
package import Quantities
package import Support

/// A comparison of a run with a trace, for example one recorded on real hardware.
///
/// It compares requests, responses and readings.
package struct RunComparison {
  private let reference: String
  /// The path of the recorded run, which is a temporary file unless the recording is kept.
  private let recording: String
  private let isKept: Bool
  /// The temporary file for a recording that is not kept.
  private let scratch: ScratchFile?
  /// The tolerances for readings, in the stored units; `nil` to compare all bytes.
  private let tolerances: PerQuantity<Double?>?

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - text: the reference trace, as `trace:FILE` or its path.
  ///   - kept: the path at which to keep the recording of the run; `nil` to delete it.
  ///   - tolerances: the tolerances for readings, in the stored units. Quantities without a
  ///     tolerance are not checked. Default: no tolerances, so all bytes must be equal.
  /// - Throws: `Failure` if the trace does not exist.
  package init(
    against text: String, kept: String?, within tolerances: PerQuantity<Double?>? = nil
  ) throws(Failure) {
    self.tolerances = tolerances
    reference = Self.path(text)
    _ = try TraceInput(reference)
    isKept = kept != nil
    scratch = kept == nil ? try ScratchFile() : nil
    recording = kept ?? scratch?.path ?? ""
  }

  /// Returns the path in `trace:FILE`, or the text itself without that prefix.
  package static func path(_ text: String) -> String {
    text.hasPrefix("trace:") ? String(text.dropFirst(6)) : text
  }

  /// Creates the output for the recording of the run.
  ///
  /// - Throws: `Failure` if the file cannot be created.
  package func output() throws(Failure) -> TraceOutput {
    try TraceOutput(recording, isKept: isKept)
  }

  /// Compares the recorded run after its end.
  ///
  /// - Parameter print: the closure called with each line of the result.
  /// - Throws: `Failure` with the line number of an error in a trace.
  /// - Returns: whether all bytes are equal or, with tolerances, all readings are within them.
  package func judge(to print: @escaping (String) -> Void) throws(Failure) -> Bool {
    func run() throws(Failure) -> TraceInput { try TraceInput(recording, named: "this run") }
    let there = try TraceInput(reference)
    // With tolerances, different bytes are not reported.
    var difference = TraceDifference(
      there, try run(), separatesResponses: true, to: tolerances == nil ? print : { _ in })
    let isSame = try difference.run()
    var compared = 0
    var isNear = true
    for bus in there.header.buses {
      let parts = try TraceModel.parts(of: TraceInput(reference), bus: bus.number)
      let own = try TraceModel.parts(of: run(), bus: bus.number)
      for (address, part) in parts.inOrder(by: { $0.key.rawValue < $1.key.rawValue }) {
        guard let other = own[address], let difference = part.difference(from: other) else {
          continue
        }
        compared += 1
        let sensor = "\(address) on bus \(bus.number)"
        if let tolerances {
          let (isWithin, text) = Self.judged(difference, tolerances)
          isNear = isNear && isWithin
          print("\(isWithin ? "ok    " : "FAIL  ")\(sensor): \(text)\n")
        } else if difference.count > 0 {
          print("\(sensor): \(Self.text(difference))\n")
        }
      }
    }
    guard tolerances != nil else { return isSame }
    guard compared > 0 else {
      print(
        "no sensor has comparable readings in both the trace and this run, so all bytes are compared\n"
      )
      return isSame
    }
    return isNear
  }

  private static func text(_ difference: RecordDifference) -> String {
    let parts = [(Quantity.pressure, 3), (.temperature, 3), (.humidity, 2)].compactMap {
      quantity, digits in
      difference.largest[quantity].map {
        "\(Decimal.fixed(quantity == .pressure ? quantity.shown($0) : $0, digits)) "
          + (quantity == .pressure ? "hPa" : "\(quantity.keptSymbol)")
      }
    }
    return
      "\(difference.count) readings, differing by \(parts.joined(separator: ", ")) at most"
  }

  /// Returns whether all readings are within the tolerances, and their largest differences.
  private static func judged(
    _ difference: RecordDifference, _ tolerances: PerQuantity<Double?>
  ) -> (Bool, String) {
    guard difference.count > 0, difference.first == difference.second else {
      return (false, "\(difference.first) readings in the trace, \(difference.second) in this run")
    }
    var isWithin = true
    let parts = [Quantity.pressure, .temperature, .humidity].compactMap { quantity -> String? in
      guard let largest = difference.largest[quantity] else {
        guard tolerances[quantity] != nil else { return nil }
        isWithin = false
        return "no \(quantity.rawValue) to compare"
      }
      let unit = "\(quantity.keptSymbol)"
      let text = "\(quantity.rawValue) by \(Decimal.fixed(largest, 3)) \(unit)"
      guard let allowed = tolerances[quantity] else { return text + " (no tolerance)" }
      if !(largest <= allowed) { isWithin = false }
      return text + " (\(Decimal.shortest(allowed)) \(unit) allowed)"
    }
    return (
      isWithin, "\(difference.count) readings, differing at most: \(parts.joined(separator: ", "))"
    )
  }
}
