import I2C
import Parts
import Quantities
import Schema
import Support

/// The commands of a part file, and the items of their responses.
extension PartFileReader {
  mutating func commands(_ value: CheckedValue?) {
    for given in list(value) {
      var command = PartDescription.Command()
      command.name = given["name"]?.text ?? ""
      command.code = given["code"]?.integer.map { UInt16($0) }
      codeField(given["code_field"], of: &command)
      command.arguments = (given["arguments"]?.list ?? []).compactMap {
        $0.integer.map { UInt8($0) }
      }
      command.writes = given["writes"].flatMap {
        named($0, among: part.registers.list.map(\.name), "register")
      }
      command.isChecked = given["checked"]?.boolean ?? false
      let bytes = command.writes.map { part.registers.list[$0].bytes ?? part.registers.bytes }
      command.length = command.arguments.isEmpty ? bytes ?? 0 : command.arguments.count
      if command.isChecked {
        if part.checksum == nil || command.length % 2 != 0 || command.length == 0 {
          checker.note(
            "checked: it needs 'checksum' and words of two bytes to write",
            at: given["checked"]?.position ?? given.position)
        }
        command.length += command.length / 2
      }
      command.measurement = given["measures"].flatMap {
        named($0, among: part.measurements.map(\.name), "measurement")
      }
      command.placement = given["checksum_after"]?.text.flatMap(
        PartDescription.Checksum.Placement.init)
      command.identifies = identifies(
        given, isReachable: command.code ?? 0x100 <= 0xFF, "a command with a code of one byte")
      command.resets = given["resets"]?.boolean ?? false
      command.busyTime = span(given["busy"])
      command.conditions = conditions(given["when"])
      command.sets = settings(given["sets"])
      command.forbidden = conditions(given["forbidden_while"])
      command.response = (given["returns"]?.list ?? []).compactMap { item($0) }
      if command.response.reduce(0, { $0 + $1.bits }) % 8 != 0, let returns = given["returns"] {
        checker.note("returns: the response is not a whole number of bytes", at: returns.position)
      }
      part.commands.append(command)
    }
    let codes = part.commands.map(\.code)
    for (index, code) in codes.enumerated() {
      guard let code, code > 0xFF, let short = codes.firstIndex(of: code >> 8) else { continue }
      checker.note(
        "the code of '\(part.commands[short].name)' is the first byte of that of '\(part.commands[index].name)'",
        at: list(value)[short].position)
    }
    for (index, code) in codes.enumerated()
    where part.commands[..<index].contains(where: {
      $0.hasCode(code)
        && ($0.conditions.isEmpty || $0.conditions == part.commands[index].conditions)
    }) {
      checker.note(
        "two commands have the code of '\(part.commands[index].name)'",
        at: list(value)[index].position)
    }
  }

  /// Reads the field that the lowest bits of a code set.
  private mutating func codeField(
    _ given: CheckedValue?, of command: inout PartDescription.Command
  ) {
    guard let given,
      let field = named(given, among: part.registers.fields.map(\.name), "field")
    else { return }
    let width = part.registers.fields[field].width
    guard width < 16, let code = command.code, code & (1 << UInt16(width) - 1) == 0 else {
      return checker.note(
        "code_field: the code has to end with \(width) zero \(width == 1 ? "bit" : "bits"), as many as the field has",
        at: given.position)
    }
    (command.codeField, command.codeMask) = (field, 1 << UInt16(width) - 1)
  }

  private mutating func item(_ given: CheckedValue) -> PartDescription.Item? {
    guard given.isSound else { return nil }
    if let constant = given.integer {
      if constant >> 16 != 0 {
        checker.note(
          "returns: a bare constant has 16 bits; see 'constant' and 'bits'", at: given.position)
      }
      return PartDescription.Item(content: .constant(UInt32(constant)), bits: 16)
    }
    if let word = given.text { return item(named: word, bits: nil, at: given.position) }
    let bits = given["bits"]?.integer
    if let constant = given["constant"]?.integer {
      if constant >> (bits ?? 16) != 0 {
        checker.note(
          "constant: it needs more than \(bits ?? 16) bits",
          at: given["constant"]?.position ?? given.position)
      }
      return PartDescription.Item(content: .constant(UInt32(constant)), bits: bits ?? 16)
    }
    if let index = given["calibration"]?.integer {
      guard let calibration = part.calibration, 2 * index + 2 <= calibration.bytes.count else {
        checker.note("calibration: the part has no such word", at: given.position)
        return nil
      }
      return PartDescription.Item(content: .calibration(index), bits: 16)
    }
    guard let name = given["value"] ?? given["register"], let text = name.text else {
      checker.note(
        "a piece needs 'value', 'register', 'constant' or 'calibration'", at: given.position)
      return nil
    }
    return item(named: text, bits: bits, at: name.position)
  }

  private mutating func item(
    named word: String, bits: Int?, at position: Position
  ) -> PartDescription.Item? {
    if let index = part.values.firstIndex(where: { $0.name == word }) {
      let value = part.values[index]
      return PartDescription.Item(
        content: .value(index), bits: bits ?? (value.bits + value.shift + 7) / 8 * 8)
    }
    if let index = part.registers.list.firstIndex(where: { $0.name == word }) {
      let bytes = part.registers.list[index].bytes ?? part.registers.bytes
      return PartDescription.Item(content: .register(index), bits: bits ?? 8 * bytes)
    }
    let serials = ["serial", "serial-1", "serial-2", "serial-3"]
    if let index = serials.firstIndex(of: word) {
      return PartDescription.Item(content: .serial(index), bits: 16)
    }
    guard damaged.isDisjoint(with: ["value", "register"]) else { return nil }
    let known = part.values.map(\.name) + part.registers.list.map(\.name) + serials
    checker.note(
      "returns: '\(word.clipped)' is neither a value nor a register"
        + NearestWord.hint(word, among: known), at: position)
    return nil
  }
}
