import I2C
import Parts
import Support
import VirtualI2C

/// What a part file describes, as text: addresses, values, commands or registers, and durations.
package struct PartPage {
  private let part: PartDescription
  private let remarks: [String]

  /// Creates the page of a part.
  ///
  /// - Parameters:
  ///   - part: the part.
  ///   - file: the text of its file, whose first comments are shown as remarks.
  package init(_ part: DescribedPart, file: String) {
    self.part = part.description
    remarks = PartFile.remarks(in: file)
  }

  /// The page, which ends with a line break.
  package var text: String {
    var lines = [
      "\(part.title) (\(part.vendor):\(part.name)): \(part.summary)", "",
      "addresses   \(DescribedPart(part).addressSummary)",
      "start       \(time(part.startTime)) after power-on",
    ]
    if let checksum = part.checksum {
      let place =
        switch checksum.placement {
        case .response: "after each response"
        case .none: "where a command says so"
        case .word, .byte: "after each \(checksum.placement)"
        case .words: "after each word, with those before"
        case .bytes: "after each byte, with those before"
        }
      lines.append(
        "checksum    CRC-8, polynomial 0x\(Hexadecimal.digits(checksum.polynomial)), start 0x"
          + "\(Hexadecimal.digits(checksum.start)), \(place)")
    }
    if let calibration = part.calibration {
      lines.append("calibration \(type(of: calibration).name): \(calibration.bytes.count) bytes")
    }
    if let current = part.idleCurrent {
      lines.append("current     \(Decimal.shortest(current)) uA")
    }
    if let heater = part.heater {
      lines.append(
        "heater      \(heater.rise.elements.map(Decimal.shortest).joined(separator: ", ")) C while \(conditions(heater.conditions)), "
          + "time constant \(Decimal.duration(heater.timeConstant))")
    }
    if let supply = part.lowSupply {
      lines.append(
        "supply      \(part.registers.fields[supply.field].name) below \(Decimal.shortest(supply.volts)) V"
      )
    }
    if !part.documented.isEmpty {
      let answers = DescribedBehavior.assumptions.filter { part.documented.contains($0.key) }
        .map { "\($0.key) \($0.answerText(in: part.behavior))" }
      lines.append("documented  \(answers.joined(separator: ", "))")
    }
    lines += part.sources.enumerated().map { ($0 == 0 ? "sources     " : "            ") + $1 }
    lines += remarks.enumerated().map { ($0 == 0 ? "remarks     " : "            ") + $1 }
    lines += section("inputs", inputRows)
    lines += section("values", valueRows) + section("commands", commandRows)
    lines += section("registers", registerRows) + section("measurements", measurementRows)
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    let table = rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return String("  \(cells.joined(separator: "  "))".trimmedEnd)
    }
    return ["", title] + table
  }

  private var inputRows: [[String]] {
    part.inputs.map { input in
      let range = input.range.map {
        "audited from \(Decimal.shortest($0.lowerBound)) to \(Decimal.shortest($0.upperBound))"
      }
      return [input.name, origin(of: input), range ?? ""]
    }
  }

  private func origin(of input: PartInput) -> String {
    switch input.origin {
    case .given(let usual):
      return "\(Decimal.shortest(usual)) \(input.unit)"
    case .product(let one, let other):
      return "\(part.inputs[one].name) x \(part.inputs[other].name), in \(input.unit)"
    case .difference(let one, let other):
      return "\(part.inputs[one].name) - \(part.inputs[other].name), in \(input.unit)"
    }
  }

  private var valueRows: [[String]] {
    part.values.map { value in
      if case .product(let one, let other, let divisor) = value.source.elements[0] {
        return [
          value.name, "\(value.bits) bits\(value.isSigned ? ", signed" : "")",
          "code is \(name(one)) x \(name(other)) / \(Decimal.shortest(divisor))",
        ]
      }
      if !value.table.isEmpty {
        return [
          value.name, "\(value.bits) bits\(value.isSigned ? ", signed" : "")",
          "table of \(value.table.count) points",
        ]
      }
      if value.isCalibrated {
        return [value.name, "\(value.bits) bits\(value.isSigned ? ", signed" : "")", "calibrated"]
      }
      let scale =
        value.scale.field.map { "scale by \(part.registers.fields[$0].name)" }
        ?? "\(Decimal.shortest(value.scale.elements[0])) x code"
      let offset =
        value.offset == 0
        ? "" : " \(value.offset < 0 ? "-" : "+") \(Decimal.shortest(abs(value.offset)))"
      let gain = value.gain.map { " / \(factor($0))" } ?? ""
      return [
        value.name, "\(value.bits) bits\(value.isSigned ? ", signed" : "")", scale + gain + offset,
      ]
    }
  }

  /// The factor that a field selects: `(sensitivity / 69)`, `(1 to 1024 by averages)`.
  private func factor(_ multiplier: PartDescription.Multiplier) -> String {
    let field = part.registers.fields[multiplier.field].name
    guard let first = multiplier.factors.first, let last = multiplier.factors.last else {
      return "(\(field) / \(Decimal.shortest(multiplier.divisor)))"
    }
    return "(\(Decimal.shortest(first)) to \(Decimal.shortest(last)) by \(field))"
  }

  private func name(_ factor: PartDescription.Value.Factor) -> String {
    switch factor {
    case .value(let index): part.values[index].name
    case .register(let index): part.registers.list[index].name
    }
  }

  private var commandRows: [[String]] {
    part.commands.map { command in
      let code =
        command.code.map { "0x" + Hexadecimal.digits($0, $0 > 0xFF ? 4 : 2) } ?? "read"
      let arguments = command.arguments.map { " " + Hexadecimal.digits($0) }.joined()
      var words: [String] = []
      if let index = command.measurement {
        words.append("starts '\(part.measurements[index].name)'")
      }
      if let field = command.codeField {
        words.append("its last bits set '\(part.registers.fields[field].name)'")
      }
      if let index = command.writes { words.append("writes '\(part.registers.list[index].name)'") }
      if command.resets { words.append("resets") }
      if command.busyTime.maximum > 0 { words.append("busy for \(time(command.busyTime))") }
      if !command.conditions.isEmpty { words.append("while \(conditions(command.conditions))") }
      if let index = command.fetch { words.append("then '\(part.commands[index].name)'") }
      if !command.forbidden.isEmpty {
        words.append("not acknowledged while \(conditions(command.forbidden))")
      }
      words += command.sets.map {
        "sets \(part.registers.fields[$0.field].name) = \($0.value)"
      }
      if !command.response.isEmpty {
        words.append("returns \(command.response.map(name).joined(separator: ", "))")
      }
      return [code + arguments, command.name, words.joined(separator: "; ")]
    }
  }

  private func settings(_ settings: [PartDescription.Setting]) -> String {
    settings.map { "\(part.registers.fields[$0.field].name) = \($0.value)" }.joined(separator: ", ")
  }

  private func conditions(_ conditions: [PartDescription.Condition]) -> String {
    conditions.map { condition in
      let values = condition.values.map { "\($0)" }.joined(separator: " or ")
      return "\(part.registers.fields[condition.field].name) = \(values)"
    }.joined(separator: ", ")
  }

  private func name(_ item: PartDescription.Item) -> String {
    switch item.content {
    case .value(let index): part.values[index].name
    case .register(let index): part.registers.list[index].name
    case .constant(let word): "0x" + Hexadecimal.digits(word, max(1, (item.bits + 3) / 4))
    case .serial: "serial"
    case .calibration(let index): "calibration \(index)"
    }
  }

  private var registerRows: [[String]] {
    part.registers.list.enumerated().map { index, register in
      let digits = 2 * (register.bytes ?? part.registers.bytes)
      let content =
        register.value.map { "shows \(part.values[$0].name)" }
        ?? register.calibration.map { "calibration from byte \($0)" }
        ?? "reset 0x\(Hexadecimal.digits(register.reset, digits))"
      let fields = part.registers.fields.filter { $0.register == index }.map { field in
        let scattered = field.scattered.map(String.init).joined(separator: ",")
        let highest = field.width == 1 ? "" : "\(field.lowest + field.width - 1):"
        return field.name + " " + (scattered.isEmpty ? "\(highest)\(field.lowest)" : scattered)
      }
      let writable =
        register.writable == 0
        ? "" : ", writable 0x\(Hexadecimal.digits(register.writable, digits))"
      let kept =
        register.kept == 0 ? "" : ", kept 0x\(Hexadecimal.digits(register.kept, digits))"
      return [
        register.address.map { "0x" + Hexadecimal.digits($0) } ?? "-", register.name,
        content + writable + kept,
        fields.joined(separator: ", "),
      ]
    }
  }

  /// The durations, each as a bar: `=` up to the typical time, `-` up to the longest.
  private var measurementRows: [[String]] {
    let longest = part.measurements.compactMap { $0.maximum.elements.max() }.max() ?? 1
    return part.measurements.map { measurement in
      let (typical, maximum) = (
        measurement.typical.elements.max() ?? 0, measurement.maximum.elements.max() ?? 0
      )
      func columns(_ time: UInt64) -> Int { Int(Double(time) / Double(max(longest, 1)) * 40) }
      let bar =
        String(repeating: "=", count: columns(typical))
        + String(repeating: "-", count: columns(maximum) - columns(typical))
      let starts = measurement.starts.isEmpty ? "" : "; starts with \(settings(measurement.starts))"
      let period =
        measurement.every.map { every in
          let by = every.field.map { ", by \(part.registers.fields[$0].name)" } ?? ""
          let condition =
            measurement.conditions.isEmpty ? "" : " while \(conditions(measurement.conditions))"
          return "; each \(time(every.elements[0]))\(by)\(condition)"
        } ?? ""
      let field =
        (measurement.maximum.field.map { ", by \(part.registers.fields[$0].name)" } ?? "")
        + (measurement.times.map { ", x \(factor($0))" } ?? "")
      let busy =
        switch measurement.meanwhile {
        case .nack: "not acknowledged meanwhile"
        case .stretch: "stretches the clock"
        case .last: "answers with the last result"
        }
      return [
        measurement.name, "|" + bar.padded(to: 40) + "|",
        "\(time(typical)), at most \(time(maximum))\(field); \(busy)\(starts)\(period)"
          + (measurement.needsNew ? "; no answer without a new result" : ""),
      ]
    }
  }

  private func time(_ span: PartDescription.Span) -> String {
    span.typical == span.maximum
      ? time(span.maximum) : "\(time(span.typical)), at most \(time(span.maximum))"
  }

  private func time(_ nanoseconds: UInt64) -> String {
    nanoseconds < 1_000_000_000
      ? "\(Decimal.rounded(Double(nanoseconds) / 1e6, 3)) ms" : Decimal.duration(nanoseconds)
  }
}

extension String {
  fileprivate var trimmedEnd: Substring {
    self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]
  }

  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
