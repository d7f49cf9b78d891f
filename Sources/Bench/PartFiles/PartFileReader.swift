import I2C
import Parts
import Quantities
import Schema
import Support
import VirtualI2C

/// Turns a checked part file into a description, and collects the errors that no key can express.
struct PartFileReader {
  var checker: Checker
  var part = PartDescription()
  /// The kinds of things of which some are invalid; a missing name of such a kind is no further error.
  var damaged: Set<String> = []

  init(checker: Checker) { self.checker = checker }

  /// Reads the file; names are resolved after all of them are known.
  mutating func part(_ file: CheckedValue) -> PartDescription {
    header(file)
    for (key, nouns) in [
      ("values", ["value"]), ("registers", ["register", "field"]),
      ("measurements", ["measurement"]), ("commands", ["command"]),
    ] where file[key]?.isSound == false {
      damaged.formUnion(nouns)
    }
    if let checksum = file["checksum"], checksum.isSound {
      part.checksum = PartDescription.Checksum(
        polynomial: UInt8(checksum["polynomial"]?.integer ?? 0),
        start: UInt8(checksum["start"]?.integer ?? 0),
        placement: checksum["after"]?.text.flatMap(PartDescription.Checksum.Placement.init) ?? .word
      )
    }
    for given in list(file["inputs"]) { input(given) }
    calibration(file["calibration"])
    registers(file["registers"])
    part.heater = heater(file["heater"])
    part.lowSupply = lowSupply(file["low_supply"])
    clearings(file["registers"])
    values(file["values"])
    registerValues(file["registers"])
    part.measurements = list(file["measurements"]).map { measurement($0) }
    commands(file["commands"])
    fetches(file["commands"])
    part.resettingFields = settings(file["registers"]?["reset_by"])
    part.preparations = list(file["prepare"]).compactMap { preparation($0) }
    unique(file)
    starts(file["measurements"])
    if part.commands.isEmpty, !part.registers.isAddressed,
      damaged.isDisjoint(with: ["command", "register"])
    {
      checker.note("a part needs 'commands', or 'registers' with addresses", at: file.position)
    }
    if !part.commands.isEmpty, part.registers.isAddressed, let commands = file["commands"] {
      checker.note(
        "a part has either commands or registers with addresses; a register that commands reach has no 'at'",
        at: commands.position)
    }
    return part
  }

  private mutating func header(_ file: CheckedValue) {
    if let name = file["part"], let text = name.text {
      let words = text.split(separator: ":", omittingEmptySubsequences: false)
      let isPlain = words.allSatisfy { word in
        !word.isEmpty
          && word.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
      }
      if words.count == 2, isPlain {
        (part.vendor, part.name) = (String(words[0]), String(words[1]))
      } else {
        checker.note(
          "part: '\(text.clipped)' is not manufacturer and name in small letters, such as 'sensirion:sht4x'",
          at: name.position)
      }
    }
    part.title = file["title"]?.text ?? ""
    part.summary = file["summary"]?.text ?? ""
    part.sources = (file["sources"]?.list ?? []).compactMap(\.text)
    part.addresses = (file["addresses"]?.list ?? []).compactMap {
      $0.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
    }
    part.addressPins = file["address_pins"]?.text ?? ""
    part.startTime = span(file["start"])
    part.idleCurrent = file["current"]?.number
    for assumption in DescribedBehavior.assumptions {
      guard let answer = file["documented"]?[assumption.key]?.text else { continue }
      assumption.select(.word(answer), in: &part.behavior)
      part.documented.insert(assumption.key)
    }
    part.ignoresUnknownCommands = file["unknown_commands"]?.text == "ignored"
  }

  /// Reads a duration, or the typical and the longest one.
  mutating func span(_ value: CheckedValue?) -> PartDescription.Span {
    guard let value, value.isSound else { return PartDescription.Span() }
    if let time = value.nanoseconds.map(UInt64.init) {
      return PartDescription.Span(typical: time, maximum: time)
    }
    let typical = UInt64(value["typical"]?.nanoseconds ?? 0)
    let maximum = UInt64(value["maximum"]?.nanoseconds ?? 0)
    if maximum < typical {
      checker.note("maximum: it is shorter than the typical time", at: value.position)
    }
    return PartDescription.Span(typical: typical, maximum: max(typical, maximum))
  }

  private mutating func input(_ given: CheckedValue) {
    var input = PartInput()
    input.name = given["name"]?.text ?? ""
    input.unit = given["unit"]?.text ?? ""
    input.isCircuit = given["circuit"]?.boolean ?? false
    input.range = pair(given["range"], \.number)
    input.tolerance = given["tolerance"]?.number
    input.isMagnitude = given["magnitude"]?.boolean ?? false
    if ["usual", "product", "difference"].count(where: { given[$0] != nil }) != 1 {
      checker.note(
        "an input needs one of 'usual', 'product' and 'difference'", at: given.position)
    }
    if let usual = given["usual"], let number = usual.number {
      input.origin = .given(usual: number)
      if input.range?.contains(number) == false {
        checker.note("usual: it is outside of 'range'", at: usual.position)
      }
    }
    for (key, origin) in [
      ("product", PartInput.Origin.product), ("difference", PartInput.Origin.difference),
    ] {
      guard let pair = given[key], pair.isSound else { continue }
      // Only the inputs before it are known, so that none follows from itself.
      let sides = pair.list.compactMap { named($0, among: part.inputs.map(\.name), "input") }
      if pair.list.count != 2 {
        checker.note("\(key): two inputs are needed", at: pair.position)
      } else if sides.count == 2 {
        input.origin = origin(sides[0], sides[1])
      }
    }
    part.inputs.append(input)
  }

  private mutating func calibration(_ value: CheckedValue?) {
    guard let value, value.isSound, let form = CalibrationForms.named(value["form"]?.text ?? "")
    else { return }
    let given = value["constants"]?.list.compactMap(\.integer)
    if let mistake = given.flatMap({ form.mistake(in: $0) }) {
      checker.note("constants: \(mistake)", at: value["constants"]?.position ?? value.position)
      return
    }
    part.calibration = form.init(given ?? form.constants.map(\.example))
  }

  private mutating func heater(_ value: CheckedValue?) -> PartDescription.Heater? {
    guard let value, value.isSound else { return nil }
    if let time = value["time_constant"], time.nanoseconds == 0 {
      checker.note("time_constant: it is longer than 0s", at: time.position)
    }
    return PartDescription.Heater(
      conditions: conditions(value["while"]),
      rise: choice(value["rise"], \.number) ?? PartDescription.Choice(0),
      timeConstant: UInt64(value["time_constant"]?.nanoseconds ?? 0))
  }

  private mutating func lowSupply(_ value: CheckedValue?) -> PartDescription.LowSupply? {
    guard let value, value.isSound, let name = value["field"],
      let field = named(name, among: part.registers.fields.map(\.name), "field")
    else { return nil }
    if part.registers.fields[field].width != 1 {
      checker.note("field: it has more than one bit", at: name.position)
    }
    return PartDescription.LowSupply(
      field: field, volts: value["below"]?.number ?? 0,
      isKnownAtStart: value["at_start"]?.boolean ?? false)
  }

  private mutating func preparation(_ given: CheckedValue) -> PartDescription.Preparation? {
    guard let name = given["write"] else {
      return named(given, among: part.commands.map(\.name), "command").map { .command($0) }
    }
    guard let register = named(name, among: part.registers.list.map(\.name), "register"),
      let word = given["value"]?.integer
    else { return nil }
    if part.registers.list[register].address == nil {
      checker.note("write: only a register with an address can be written", at: name.position)
    }
    return .write(register, UInt32(truncatingIfNeeded: word))
  }

  /// Checks that each measurement is started by something.
  private mutating func starts(_ value: CheckedValue?) {
    guard damaged.isEmpty, checker.errors.isEmpty else { return }
    for (index, given) in list(value).enumerated() where part.measurements.indices.contains(index) {
      let measurement = part.measurements[index]
      guard measurement.starts.isEmpty, measurement.every == nil,
        !part.commands.contains(where: { $0.measurement == index })
      else { continue }
      checker.note(
        "nothing starts the measurement: a command that 'measures' it, written fields ('starts'), or a period ('every')",
        at: given.position)
    }
  }

  /// Reads the commands with which a driver fetches results, once all commands are known.
  private mutating func fetches(_ value: CheckedValue?) {
    for (index, given) in list(value).enumerated() where part.commands.indices.contains(index) {
      guard let name = given["fetch"] else { continue }
      guard let fetch = named(name, among: part.commands.map(\.name), "command") else { continue }
      part.commands[index].fetch = fetch
      if fetch == index || part.commands[fetch].response.isEmpty {
        checker.note(
          "fetch: the command must be another one, which returns something", at: name.position)
      }
    }
  }

  // MARK: Registers

  private mutating func registers(_ value: CheckedValue?) {
    guard let value, value.isSound else { return }
    part.registers.bytes = value["bytes"]?.integer ?? 1
    part.registers.isLittleEndian = value["order"]?.text == "little"
    part.registers.continuation =
      value["continues"]?.text.flatMap(PartDescription.Registers.Continuation.init) ?? .next
    for (index, register) in list(value["list"]).enumerated() {
      let bytes = register["bytes"]?.integer
      part.registers.list.append(
        PartDescription.Register(
          name: register["name"]?.text ?? "",
          address: register["at"]?.integer.map { UInt8($0) },
          reset: UInt32(register["reset"]?.integer ?? 0),
          writable: UInt32(register["writable"]?.integer ?? 0),
          kept: UInt32(register["kept"]?.integer ?? 0), bytes: bytes,
          calibration: calibrationByte(
            register["calibration"], count: bytes ?? part.registers.bytes),
          identifies: identifies(
            register, isReachable: register["at"] != nil, "a register with an address")))
      if let at = register["at"],
        part.registers.list.dropLast().contains(where: { $0.address.map(Int.init) == at.integer })
      {
        checker.note("at: another register has this address", at: at.position)
      }
      let width = 8 * (bytes ?? part.registers.bytes)
      for key in ["reset", "writable", "kept"] {
        guard let bits = register[key], let number = bits.integer, number >> width != 0 else {
          continue
        }
        checker.note("\(key): the register has only \(width) bits", at: bits.position)
      }
      for field in list(register["fields"]) {
        if let field = self.field(field, of: index, width: width) {
          part.registers.fields.append(field)
        } else {
          damaged.insert("field")
        }
      }
    }
  }

  /// Reads whether drivers recognise the part by a register or by the response to a command.
  ///
  /// A fault of the bus, which recognises one by the first byte of a write, must be able to change it.
  mutating func identifies(
    _ given: CheckedValue, isReachable: Bool, _ needed: String
  ) -> Bool {
    guard let key = given["identifies"], key.boolean == true else { return false }
    if !isReachable { checker.note("identifies: only \(needed) can", at: key.position) }
    return true
  }

  /// Reads a field of a register with a number of bits; `nil`, with the error noted, if it is not in the register.
  private mutating func field(
    _ given: CheckedValue, of register: Int, width: Int
  ) -> PartDescription.Field? {
    let name = given["name"]?.text ?? ""
    let scattered = given["bits"]?.list.compactMap(\.integer) ?? []
    if (given["bit"] == nil) == (given["bits"] == nil)
      || given["bits"] != nil && given["width"] != nil
    {
      checker.note("a field needs 'bit', with or without 'width', or 'bits'", at: given.position)
      return nil
    }
    if Set(scattered).count < scattered.count, let bits = given["bits"] {
      checker.note("bits: each bit is listed once", at: bits.position)
      return nil
    }
    let lowest = scattered.min() ?? given["bit"]?.integer ?? 0
    let count = given["bits"] == nil ? given["width"]?.integer ?? 1 : scattered.count
    let highest = scattered.max() ?? lowest + count - 1
    guard highest < width else {
      checker.note(
        "the field '\(name)' ends at bit \(highest), but the register has only \(width) bits",
        at: given.position)
      return nil
    }
    return PartDescription.Field(
      name: name, register: register, lowest: lowest, width: count, scattered: scattered)
  }

  /// Reads the index of a byte of the calibration, of which a register shows some.
  private mutating func calibrationByte(_ value: CheckedValue?, count: Int) -> Int? {
    guard let value, let index = value.integer else { return nil }
    guard let calibration = part.calibration, index + count <= calibration.bytes.count else {
      checker.note(
        part.calibration.map {
          "calibration: it has only \($0.bytes.count) bytes"
        } ?? "calibration: the part has no 'calibration'", at: value.position)
      return nil
    }
    return index
  }

  private mutating func registerValues(_ value: CheckedValue?) {
    for (index, register) in list(value?["list"]).enumerated()
    where part.registers.list.indices.contains(index) {
      guard let shown = register["shows"] else { continue }
      let found = named(shown, among: part.values.map(\.name), "value")
      part.registers.list[index].value = found
      let width = 8 * (part.registers.list[index].bytes ?? part.registers.bytes)
      if let found, part.values[found].bits + part.values[found].shift > width {
        checker.note("shows: the register has only \(width) bits", at: shown.position)
      }
    }
  }

  // MARK: Values and measurements

  private mutating func values(_ value: CheckedValue?) {
    part.values = list(value).map { self.value($0) }
    for (index, given) in list(value).enumerated() {
      guard let product = given["product"], product.isSound else { continue }
      let factors = product.list.compactMap { factor($0) }
      for case .value(let other) in factors where other >= index {
        checker.note(
          "product: '\(part.values[other].name)' must be listed before its product",
          at: product.position)
      }
      if product.list.count != 2 {
        checker.note("product: two values or registers are needed", at: product.position)
      }
      guard factors.count == 2 else { continue }
      part.values[index].source = PartDescription.Choice(
        .product(factors[0], factors[1], divisor: given["per"]?.number ?? 1))
      part.values[index].scale = PartDescription.Choice(1)
    }
  }

  private mutating func factor(_ name: CheckedValue) -> PartDescription.Value.Factor? {
    let word = name.text ?? ""
    if let index = part.values.firstIndex(where: { $0.name == word }) { return .value(index) }
    return named(name, among: part.registers.list.map(\.name), "register").map { .register($0) }
  }

  private mutating func value(_ given: CheckedValue) -> PartDescription.Value {
    var value = PartDescription.Value()
    value.name = given["name"]?.text ?? ""
    value.bits = given["bits"]?.integer ?? 16
    value.isSigned = given["signed"]?.boolean ?? false
    value.shift = given["shift"]?.integer ?? 0
    value.offset = given["offset"]?.number ?? 0
    value.noise = given["noise"]?.number ?? 0
    value.first = given["first"]?.integer ?? 0
    value.table = table(given)
    value.isCalibrated = given["calibrated"]?.boolean ?? false
    value.isClearedByReading = given["read_once"]?.boolean ?? false
    if value.isCalibrated, let scale = choice(given["scale"], \.number),
      !scale.elements.allSatisfy({ $0 > 0 })
    {
      checker.note("scale: the divisor of a calibrated value is above 0", at: given.position)
    }
    if value.isCalibrated, part.calibration == nil {
      checker.note("calibrated: the part has no 'calibration'", at: given.position)
    }
    if (given["of"] != nil) == (given["product"] != nil) {
      checker.note("a value needs either 'of' or 'product'", at: given.position)
    }
    let per = given["per"]?.number ?? 1
    if let scale = choice(given["scale"], \.number) {
      value.scale = scale.map { $0 / per }
      if scale.elements.contains(0), let scale = given["scale"] {
        checker.note("scale: 0 has no inverse", at: scale.position)
      }
    }
    if let source = source(of: given) { value.source = source }
    value.gain = multiplier(given["gain"])
    value.precision = precision(given["precision"], bits: value.bits)
    if value.bits + value.shift > 32 {
      checker.note("bits and shift need more than 32 bits", at: given.position)
      (value.bits, value.shift) = (16, 0)
    }
    value.limits = limits(given["limits"], of: value)
    if let first = given["first"], !value.room.contains(value.first) {
      checker.note("first: \(value.roomText)", at: first.position)
    }
    value.range = pair(given["range"], \.number)
    return value
  }

  /// Reads the lowest and the highest code, or those that a field selects.
  private mutating func limits(
    _ given: CheckedValue?, of value: PartDescription.Value
  ) -> PartDescription.Choice<ClosedRange<Int>>? {
    guard let given, given.isSound else { return nil }
    func pair(_ value: CheckedValue) -> ClosedRange<Int>? {
      let codes = value.list.compactMap(\.integer)
      return codes.count == 2 && codes[0] <= codes[1] ? codes[0]...codes[1] : nil
    }
    let all = given["of"].map(list) ?? [given]
    guard all.allSatisfy({ pair($0) != nil }) else {
      checker.note("limits: two codes are needed, the lower first", at: given.position)
      return nil
    }
    guard let limits = choice(given, pair) else { return nil }
    let isInRoom = limits.elements.allSatisfy {
      value.room.contains($0.lowerBound) && value.room.contains($0.upperBound)
    }
    if !isInRoom { checker.note("limits: \(value.roomText)", at: given.position) }
    return isInRoom ? limits : nil
  }

  /// Reads the number of measured bits of a code.
  private mutating func precision(
    _ given: CheckedValue?, bits: Int
  ) -> PartDescription.Choice<Int>? {
    guard let given, let precision = choice(given, \.integer) else { return nil }
    if precision.elements.contains(where: { $0 > bits }) {
      checker.note("precision: the code has only \(bits) bits", at: given.position)
    }
    return precision
  }

  /// Reads the points of a table; empty, with the error noted, if they have no inverse.
  private mutating func table(_ given: CheckedValue) -> [PartDescription.Value.Point] {
    guard let table = given["table"], table.isSound else { return [] }
    let rows = table.list.map { $0.list.compactMap(\.number) }
    if let scale = given["scale"] {
      checker.note("a value has either 'scale' or 'table'", at: scale.position)
    }
    if let points = PartDescription.Value.points(rows) { return points }
    checker.note(
      "table: two or more pairs are needed, with rising codes, and values that only rise or only fall",
      at: table.position)
    return []
  }

  /// Returns what a value measures, by a field.
  private mutating func source(
    of given: CheckedValue
  ) -> PartDescription.Choice<PartDescription.Value.Source>? {
    guard let source = given["of"], let names = choice(source, \.text) else { return nil }
    let known = Quantity.allCases.map { "\($0)" } + part.inputs.map(\.name)
    var sources: [PartDescription.Value.Source] = []
    for name in names.elements {
      guard let index = known.firstIndex(of: name) else {
        checker.note(
          "of: '\(name.clipped)' is neither a quantity of the air nor an input"
            + NearestWord.hint(name, among: known), at: source.position)
        continue
      }
      let count = Quantity.allCases.count
      sources.append(
        index < count ? .air(Quantity.allCases[index]) : .input(index - count))
    }
    return sources.isEmpty ? nil : PartDescription.Choice(field: names.field, sources)
  }

  private mutating func measurement(_ given: CheckedValue) -> PartDescription.Measurement {
    var measurement = PartDescription.Measurement()
    measurement.name = given["name"]?.text ?? ""
    measurement.values = names(given["values"], among: part.values.map(\.name), "value")
    if let typical = choice(given["takes"]?["typical"], \.nanoseconds) {
      measurement.typical = typical.map { UInt64($0) }
      measurement.maximum =
        choice(given["takes"]?["maximum"], \.nanoseconds)?.map { UInt64($0) } ?? measurement.typical
    }
    for (shortest, longest) in zip(measurement.typical.elements, measurement.maximum.elements)
    where longest < shortest {
      checker.note(
        "maximum: it is shorter than the typical time",
        at: given["takes"]?["maximum"]?.position ?? given.position)
      measurement.maximum = measurement.typical
    }
    measurement.times = multiplier(given["times"])
    measurement.meanwhile =
      given["meanwhile"]?.text.flatMap(PartDescription.Measurement.Meanwhile.init) ?? .last
    measurement.busy = settings(given["busy"])
    for setting in measurement.busy where part.registers.fields[setting.field].width != 1 {
      checker.note(
        "busy: the field '\(part.registers.fields[setting.field].name)' has more than one bit",
        at: given["busy"]?.position ?? given.position)
    }
    measurement.starts = settings(given["starts"])
    if let every = choice(given["every"], \.nanoseconds) {
      measurement.every = every.map { UInt64($0) }
      if every.elements.contains(0) {
        checker.note(
          "every: a period is longer than 0", at: given["every"]?.position ?? given.position)
      }
    }
    measurement.conditions = conditions(given["while"])
    measurement.needsNew = given["needs_new"]?.boolean ?? false
    measurement.ends = settings(given["ends"])
    measurement.current = given["current"]?.number
    if let noise = given["noise"], noise.isSound {
      measurement.noise = noise.list.compactMap(\.number)
      if measurement.noise.count != given["values"]?.list.count {
        checker.note("noise: one number for each of its values is needed", at: noise.position)
        measurement.noise = []
      }
      if measurement.noise.count != measurement.values.count { measurement.noise = [] }
    }
    measurement.newFields = newFields(given["shows_new"])
    if measurement.every != nil, measurement.meanwhile != .last, let key = given["meanwhile"] {
      checker.note(
        "meanwhile: a part that measures by itself answers with its last result", at: key.position)
    }
    return measurement
  }

  private mutating func newFields(_ value: CheckedValue?) -> [Int] {
    guard let value, value.isSound else { return [] }
    let names = value.text == nil ? value.list : [value]
    return names.compactMap { name in
      let field = named(name, among: part.registers.fields.map(\.name), "field")
      if let field, part.registers.fields[field].width != 1 {
        checker.note("shows_new: the field has more than one bit", at: name.position)
      }
      return field
    }
  }

  /// Reads the registers that clear fields, once all registers are known.
  private mutating func clearings(_ value: CheckedValue?) {
    for field in list(value?["list"]).flatMap({ list($0["fields"]) }) {
      guard let given = field["cleared_by"],
        let index = part.registers.fields.firstIndex(where: { $0.name == field["name"]?.text })
      else { continue }
      part.registers.fields[index].clearingRegisters = names(
        given, among: part.registers.list.map(\.name), "register")
    }
  }

  // MARK: Names

  func list(_ value: CheckedValue?) -> [CheckedValue] {
    value?.list.filter(\.isSound) ?? []
  }

  mutating func settings(_ value: CheckedValue?) -> [PartDescription.Setting] {
    list(value).compactMap { given in
      guard let name = given["field"],
        let field = named(name, among: part.registers.fields.map(\.name), "field")
      else { return nil }
      guard let value = given["is"] else { return nil }
      return PartDescription.Setting(field: field, value: number(value, of: field))
    }
  }

  mutating func conditions(_ value: CheckedValue?) -> [PartDescription.Condition] {
    list(value).compactMap { given in
      guard let name = given["field"],
        let field = named(name, among: part.registers.fields.map(\.name), "field"),
        let values = given["is"], values.isSound
      else { return nil }
      let numbers = values.integer == nil ? values.list : [values]
      return PartDescription.Condition(field: field, values: numbers.map { number($0, of: field) })
    }
  }

  /// Returns a value of a field; notes an error if the field has too few bits.
  mutating func number(_ value: CheckedValue, of field: Int) -> UInt32 {
    let number = value.integer ?? 0
    let width = part.registers.fields[field].width
    if number >> width != 0 {
      checker.note(
        "is: the field '\(part.registers.fields[field].name)' has only \(width) \(width == 1 ? "bit" : "bits")",
        at: value.position)
    }
    return UInt32(number)
  }

  mutating func names(_ value: CheckedValue?, among known: [String], _ noun: String)
    -> [Int]
  {
    list(value).compactMap { named($0, among: known, noun) }
  }

  mutating func named(_ value: CheckedValue, among known: [String], _ noun: String) -> Int? {
    guard let word = value.text else { return nil }
    if let index = known.firstIndex(of: word) { return index }
    guard !damaged.contains(noun) else { return nil }
    checker.note(
      "there is no \(noun) '\(word.clipped)'" + NearestWord.hint(word, among: known),
      at: value.position)
    return nil
  }

  private mutating func choice<Element: Hashable & Sendable>(
    _ value: CheckedValue?, _ element: (CheckedValue) -> Element?
  ) -> PartDescription.Choice<Element>? {
    guard let value, value.isSound else { return nil }
    if let one = element(value) { return PartDescription.Choice(one) }
    guard let by = value["by"],
      let field = named(by, among: part.registers.fields.map(\.name), "field")
    else { return nil }
    let elements = list(value["of"]).compactMap(element)
    let count = 1 << part.registers.fields[field].width
    guard elements.count == count else {
      checker.note(
        "of: the field '\(part.registers.fields[field].name)' has \(count) values, but \(elements.count) are listed",
        at: value.position)
      return elements.first.map { PartDescription.Choice($0) }
    }
    return PartDescription.Choice(field: field, elements)
  }

  /// Reads a factor that a field selects, or to which it is proportional.
  private mutating func multiplier(_ given: CheckedValue?) -> PartDescription.Multiplier? {
    guard let given, given.isSound, let by = given["by"] else { return nil }
    if (given["of"] == nil) == (given["per"] == nil) {
      checker.note("a factor needs either 'of' or 'per'", at: given.position)
    }
    if let per = given["per"]?.number {
      return named(by, among: part.registers.fields.map(\.name), "field").map {
        PartDescription.Multiplier(field: $0, divisor: per)
      }
    }
    guard given["of"] != nil, let choice = choice(given, \.number), let field = choice.field else {
      return nil
    }
    return PartDescription.Multiplier(field: field, factors: choice.elements)
  }

  private mutating func pair<Bound: Comparable>(
    _ value: CheckedValue?, _ bound: (CheckedValue) -> Bound?
  ) -> ClosedRange<Bound>? {
    guard let value, value.isSound else { return nil }
    let bounds = value.list.compactMap(bound)
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      checker.note("two numbers are needed, the lower first", at: value.position)
      return nil
    }
    return bounds[0]...bounds[1]
  }

  /// Checks that no two things have the same name.
  private mutating func unique(_ file: CheckedValue) {
    let registers = list(file["registers"]?["list"])
    let groups: [(String, [CheckedValue])] = [
      ("value", list(file["values"])), ("register", registers),
      ("field", registers.flatMap { list($0["fields"]) }), ("command", list(file["commands"])),
      ("measurement", list(file["measurements"])), ("input", list(file["inputs"])),
    ]
    for (noun, things) in groups {
      var names: Set<String> = []
      for thing in things {
        guard let name = thing["name"]?.text, !names.insert(name).inserted else { continue }
        checker.note("two \(noun)s have the name '\(name.clipped)'", at: thing.position)
      }
    }
  }
}
