import I2C
package import I2CTrace
package import Support

/// Import of captures made by other tools as traces, and export of traces to other formats.
package enum TraceConversion {
  /// Imports a capture.
  ///
  /// The capture is read twice. The first pass validates it, so nothing is written if it is
  /// invalid.
  ///
  /// - Parameters:
  ///   - path: the path of the capture; `-` is standard input.
  ///   - kind: the format of the capture.
  ///   - options: properties of the bus that the capture does not contain.
  ///   - note: a note on the capture's origin, for the header of the trace.
  ///   - output: the path of the trace file; `nil` to call `print`.
  ///   - print: the closure called with the trace if `output` is `nil`.
  /// - Throws: `Failure` with the invalid line of the capture, or with the file that cannot be read
  ///   or written.
  /// - Returns: messages for the user, one sentence each.
  package static func importing(
    _ path: String, _ kind: CaptureKind, _ options: CaptureReader.Options, note: String?,
    to output: String?, print: @escaping ([UInt8]) -> Void
  ) throws(Failure) -> [String] {
    try OutputDestination.check([output], reading: [path])
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
    return ["\(input.name): \(count)"] + summary.omissions.map { "omitted: \($0)" }
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
  ///   - path: the path of the trace; `-` is standard input.
  ///   - kind: the format.
  ///   - bus: the only bus to export; `nil` for all buses.
  ///   - output: the path of the exported file; `nil` to call `print`.
  ///   - print: the closure called with the text if `output` is `nil`.
  /// - Throws: `Failure` with the invalid line of the trace, or with the file that cannot be read
  ///   or written.
  /// - Returns: messages for the user, one sentence each, and whether the trace was complete.
  package static func exporting(
    _ path: String, _ kind: ExportKind, bus: Int?, to output: String?,
    print: @escaping ([UInt8]) -> Void
  ) throws(Failure) -> (notices: [String], isWhole: Bool) {
    try OutputDestination.check([output], reading: [path])
    if output == nil { try OutputDestination.checkStandardOutput(reading: path) }
    var input = try TraceInput(path)
    let numbers = input.header.buses.map(\.number)
    let list = numbers.map(String.init).joined(separator: ", ")
    if let bus, !numbers.contains(bus) {
      throw Failure(.unavailable, "\(input.name): no bus \(bus) in the trace (buses: \(list))")
    }
    guard kind != .vcd || bus != nil || numbers.count == 1 else {
      throw Failure(
        .unavailable, "\(input.name): vcd needs a single bus (buses: \(list)); use --bus N")
    }
    let file = if let output { try OutputFile(output) } else { nil as OutputFile? }
    var exporter = TraceExporter(kind, input.header, bus: bus) { bytes in
      if let file { file.write(bytes) } else { print(bytes) }
    }
    let isWhole = try TraceCommands.each(&input) { _, transfer in exporter.take(transfer) }
    var notices = exporter.finish()
    if !isWhole {
      notices.append("\(input.name): the trace was cut off; its complete transfers are exported")
    }
    try file?.finish()
    return (notices, isWhole)
  }
}

/// The subcommands of `aneroid trace`.
package enum TraceCommands {
  /// Prints a trace with one transfer per line, and explains the transfers of known chips.
  ///
  /// - Parameters:
  ///   - input: the trace.
  ///   - print: called with lines.
  /// - Throws: `Failure` at the first invalid line, after printing the lines before it.
  /// - Returns: whether the trace is complete: `false` if it was cut off.
  package static func show(
    _ input: TraceInput, to print: (String) -> Void
  ) throws(Failure) -> Bool {
    var input = input
    for bus in input.header.buses {
      let frequency = bus.frequency == 0 ? "" : ", \(bus.frequency / 1000) kHz"
      print(
        "# bus \(bus.number)\(frequency)   \(input.header.generator.visible)   \((input.header.note ?? "").visible)\n"
      )
    }
    let isSingle = input.header.buses.count == 1
    var registers = RegisterText()
    return try each(&input) { _, transfer in
      let bus = isSingle ? "" : "i2c-\(transfer.bus) "
      let text = "\(Decimal.fixed(Double(transfer.time) / 1e9, 6)) \(bus)\(transfer)"
      let meaning = registers.meaning(of: transfer).map { "   \($0)" } ?? ""
      print(text + meaning + "\n")
    }
  }

  /// Reads a whole trace and prints a summary.
  ///
  /// - Parameters:
  ///   - input: the trace.
  ///   - print: called with lines.
  /// - Throws: `Failure` at the first invalid line.
  /// - Returns: whether the trace is complete: `false` if it was cut off.
  package static func check(
    _ input: TraceInput, to print: (String) -> Void
  ) throws(Failure) -> Bool {
    var input = input
    var (count, failed, end): (Int, Int, UInt64) = (0, 0, 0)
    let isWhole = try each(&input) { _, transfer in
      count += 1
      if transfer.error != nil { failed += 1 }
      end = max(end, transfer.time &+ transfer.duration)
    }
    print(
      "\(input.name): \(isWhole ? "ok" : "cut off"), \("transfer".counted(count)), \(failed) failed, "
        + "\(Decimal.duration(end))\n")
    return isWhole
  }

  /// Calls a closure with each transfer; returns whether the trace is complete.
  package static func each(
    _ input: inout TraceInput, _ body: (Int, TracedTransfer) -> Void
  ) throws(Failure) -> Bool {
    do {
      while let (line, transfer) = try input.next() { body(line, transfer) }
      return true
    } catch let failure as Failure {
      throw failure
    } catch {
      return false
    }
  }
}
