import I2C
import Text
package import VirtualI2C

extension Personality {
  /// The page of the documentation.
  package static var page: String {
    var lines = [
      "# Personalities of adapters",
      "",
      "What an adapter can do, its limits and the errno that it gives: programs meet the difference.",
      "",
      "## Overview",
      "",
      "Printed by `aneroid doctor --personalities`. A bus takes one by name, `adapter: {personality: cp2112}`;",
      "other keys of the adapter stand over it. Where the source says general knowledge, nobody has looked it up.",
      "",
    ]
    lines +=
      MarkdownTable(
        [
          "name", "adapter", "NACK of address, of data", "arbitration, time-out", "limits",
          "longest stretch",
        ], all.map(\.row)
      ).lines
    lines += ["", "### Sources", ""]
    lines += all.map { "- `\($0.name)`: \($0.source)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What there is to say of this one.
  package var paragraph: String {
    let names = [
      "adapter", "NACK of address, of data", "arbitration, time-out", "limits", "longest stretch",
    ]
    return
      (["\(name)"] + zip(names, row.dropFirst()).map { "  \($0.0): \($0.1)" }
      + ["  source: \(source)", "  in a rig: adapter: {personality: \(name)}"])
      .joined(separator: "\n") + "\n"
  }

  private var row: [String] {
    let errno = errnoPolicy
    return [
      "`\(name)`", "\(summary)",
      "\(Self.name(errno.addressNack)), \(Self.name(errno.dataNack))",
      "\(Self.name(errno.arbitrationLost)), \(Self.name(errno.timeOut))", limits,
      "\(Double(stretchLimit) / 1e6) ms",
    ]
  }

  private static func name(_ errno: I2CErrno) -> String {
    errno.name.map { "\($0)" } ?? "\(errno.rawValue)"
  }

  private var limits: String {
    let figures = [
      ("read", quirks.maxReadLength), ("write", quirks.maxWriteLength),
      ("messages", quirks.maxMessages), ("write before a read", quirks.maxCombinedWriteLength),
      ("read after a write", quirks.maxCombinedReadLength),
    ]
    let known = figures.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    let all = known + (quirks.noZeroLength ? ["no empty messages"] : [])
    return all.isEmpty ? "none" : all.joined(separator: ", ")
  }
}
