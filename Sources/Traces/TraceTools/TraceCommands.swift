package import Files
import I2C
package import I2CTrace
import Text

/// What `aneroid trace` does with traces.
package enum TraceCommands {
  /// Prints a trace for people: a line a transfer, with the meaning to a known chip.
  ///
  /// - Parameters:
  ///   - input: the trace.
  ///   - print: takes lines.
  /// - Throws: `Failure` at the first wrong line; those before it have been printed.
  /// - Returns: whether the trace is whole: it was not cut off.
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

  /// Reads a whole trace; prints what is in it.
  ///
  /// - Parameters:
  ///   - input: the trace.
  ///   - print: takes lines.
  /// - Throws: `Failure` at the first wrong line.
  /// - Returns: whether the trace is whole: it was not cut off.
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

  /// Does something with each transfer; whether the trace is whole.
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
