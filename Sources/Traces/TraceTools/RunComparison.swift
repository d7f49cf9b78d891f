package import Files
import Glibc
import I2C
import I2CTrace
import Parts
package import Quantities
import Text

/// Compares a run with a trace, of real hardware for example: what was asked, what was answered, and what the
/// answers mean.
package struct RunComparison {
  private let reference: String
  /// Where the run is recorded meanwhile; a file of its own unless it is kept anyway.
  private let recording: String
  private let isKept: Bool
  /// Where the run is recorded when nobody wants that file.
  private let scratch: ScratchFile?
  /// By how much readings may differ, in the kept units; `nil` where every byte counts.
  private let tolerances: PerQuantity<Double?>?

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - text: the trace, `trace:FILE` or its path.
  ///   - kept: where the run is recorded anyway.
  ///   - tolerances: by how much readings may differ, in the kept units; what is not given is not judged.
  ///     Every byte counts where there are none.
  /// - Throws: `Failure` when there is no such trace.
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

  /// The path in `trace:FILE`.
  package static func path(_ text: String) -> String {
    text.hasPrefix("trace:") ? String(text.dropFirst(6)) : text
  }

  /// Creates the file that the run must be recorded in.
  ///
  /// - Throws: `Failure` when that is not possible.
  package func output() throws(Failure) -> TraceOutput {
    try TraceOutput(recording, isKept: isKept)
  }

  /// Compares the run, which is over and recorded.
  ///
  /// - Parameter print: takes lines.
  /// - Throws: `Failure` that names the line of the trace that is wrong.
  /// - Returns: whether all bytes are the same, or all readings near enough where that was asked for.
  package func judge(to print: @escaping (String) -> Void) throws(Failure) -> Bool {
    func run() throws(Failure) -> TraceInput { try TraceInput(recording, named: "this run") }
    let there = try TraceInput(reference)
    // Where readings are judged, bytes that differ are no news.
    var difference = TraceDifference(
      there, try run(), tellsAnswersApart: true, to: tolerances == nil ? print : { _ in })
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
        let place = "\(address) on bus \(bus.number)"
        if let tolerances {
          let (isWithin, text) = Self.judged(difference, tolerances)
          isNear = isNear && isWithin
          print("\(isWithin ? "ok    " : "FAIL  ")\(place): \(text)\n")
        } else if difference.count > 0 {
          print("\(place): \(Self.text(difference))\n")
        }
      }
    }
    guard tolerances != nil else { return isSame }
    guard compared > 0 else {
      print("no sensor whose readings can be compared is in both: every byte counts\n")
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

  /// Whether readings are near enough, and what they differ by.
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
        return "no \(quantity.rawValue) to judge"
      }
      let unit = "\(quantity.keptSymbol)"
      let text = "\(quantity.rawValue) by \(Decimal.fixed(largest, 3)) \(unit)"
      guard let allowed = tolerances[quantity] else { return text + " (not judged)" }
      if !(largest <= allowed) { isWithin = false }
      return text + " (\(Decimal.shortest(allowed)) \(unit) allowed)"
    }
    return (
      isWithin, "\(difference.count) readings, differing at most: \(parts.joined(separator: ", "))"
    )
  }
}
