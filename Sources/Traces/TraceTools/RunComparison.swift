package import Files
import Glibc
import I2C
import I2CTrace
import Parts

/// Compares a run with a trace, of real hardware for example: what was asked, what was answered, and what the
/// answers mean.
package struct RunComparison {
  private let reference: String
  /// Where the run is recorded meanwhile; a file of its own unless it is kept anyway.
  private let recording: String
  private let isKept: Bool
  /// Where the run is recorded when nobody wants that file.
  private let scratch: ScratchFile?

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - text: the trace, `trace:FILE` or its path.
  ///   - kept: where the run is recorded anyway.
  /// - Throws: `Failure` when there is no such trace.
  package init(against text: String, kept: String?) throws(Failure) {
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
  /// - Returns: whether all bytes are the same.
  package func judge(to print: @escaping (String) -> Void) throws(Failure) -> Bool {
    func run() throws(Failure) -> TraceInput { try TraceInput(recording, named: "this run") }
    let there = try TraceInput(reference)
    var difference = TraceDifference(there, try run(), tellsAnswersApart: true, to: print)
    let isSame = try difference.run()
    for bus in there.header.buses {
      let parts = try TraceModel.parts(of: TraceInput(reference), bus: bus.number)
      let own = try TraceModel.parts(of: run(), bus: bus.number)
      for (address, part) in parts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        guard let line = own[address].flatMap({ part.difference(from: $0) }) else {
          continue
        }
        print("\(address) on bus \(bus.number): \(line)\n")
      }
    }
    return isSame
  }
}
