package import Files
import I2CTrace
import Text
package import TraceFormats

/// Creates traces from what other tools recorded, and gives traces the form of other tools.
package enum TraceConversion {
  /// Imports a capture.
  ///
  /// It is read twice: first to its end, so that nothing is written when it is wrong.
  ///
  /// - Parameters:
  ///   - path: the capture; `-` is standard input.
  ///   - kind: what wrote it.
  ///   - options: what it does not say itself.
  ///   - note: where it comes from, for the header.
  ///   - output: the trace; `nil` for `print`.
  ///   - print: takes the trace where there is no file.
  /// - Throws: `Failure` that names the line of the capture, or the file that fails.
  /// - Returns: what to tell the user, one sentence each.
  package static func importing(
    _ path: String, _ kind: CaptureKind, _ options: CaptureReader.Options, note: String?,
    to output: String?, print: @escaping ([UInt8]) -> Void
  ) throws(Failure) -> [String] {
    try OutputPlace.check([output], reading: [path])
    let input = try InputFile(path)
    try input.keep()
    let summary = try read(input, kind, options) { _ in }
    try input.rewind()
    let origin = ["imported from \(kind.rawValue)", note, kind.limits].compactMap(\.self)
    let header = TraceHeader(
      generator: "aneroid \(Version.text)", clock: summary.hasTimes ? "real" : TraceHeader.noClock,
      buses: summary.buses.map { TraceHeader.Bus(number: $0) },
      note: origin.joined(separator: "; "))
    let file = if let output { try OutputFile(output) } else { nil as OutputFile? }
    var writer = TraceWriter(header, isBuffered: true) { bytes in
      if let file { file.write(bytes) } else { print(bytes) }
    }
    _ = try read(input, kind, options) { writer.write($0) }
    writer.flush()
    try file?.finish()
    let count = "transfer".counted(summary.transfers)
    return ["\(input.name): \(count)"] + summary.omissions.map { "left out: \($0)" }
  }

  private static func read(
    _ input: InputFile, _ kind: CaptureKind, _ options: CaptureReader.Options,
    _ take: @escaping (TracedTransfer) -> Void
  ) throws(Failure) -> CaptureReader.Summary {
    do {
      var reader = CaptureReader(kind, options) { try input.chunk() }
      return try reader.read(take)
    } catch {
      throw TraceInput.failure(error, input.name)
    }
  }

  /// Exports a trace.
  ///
  /// - Parameters:
  ///   - path: the trace; `-` is standard input.
  ///   - kind: the form.
  ///   - bus: the only bus to be exported, all where `nil`.
  ///   - output: the file; `nil` for `print`.
  ///   - print: takes the text where there is no file.
  /// - Throws: `Failure` that names the line of the trace, or the file that fails.
  /// - Returns: what to tell the user, one sentence each, and whether the trace was whole.
  package static func exporting(
    _ path: String, _ kind: ExportKind, bus: Int?, to output: String?,
    print: @escaping ([UInt8]) -> Void
  ) throws(Failure) -> (notices: [String], isWhole: Bool) {
    try OutputPlace.check([output], reading: [path])
    if output == nil { try OutputPlace.checkStandardOutput(reading: path) }
    var input = try TraceInput(path)
    let numbers = input.header.buses.map(\.number)
    let list = numbers.map(String.init).joined(separator: ", ")
    if let bus, !numbers.contains(bus) {
      throw Failure(.unavailable, "\(input.name): there is no bus \(bus) (there are \(list))")
    }
    guard kind != .vcd || bus != nil || numbers.count == 1 else {
      throw Failure(
        .unavailable, "\(input.name): the lines of which bus? there are \(list); say --bus N")
    }
    let file = if let output { try OutputFile(output) } else { nil as OutputFile? }
    var exporter = TraceExporter(kind, input.header, bus: bus) { bytes in
      if let file { file.write(bytes) } else { print(bytes) }
    }
    let isWhole = try TraceCommands.each(&input) { _, transfer in exporter.take(transfer) }
    var notices = exporter.finish()
    if !isWhole {
      notices.append("\(input.name): the trace was cut off; what was whole is exported")
    }
    try file?.finish()
    return (notices, isWhole)
  }
}
