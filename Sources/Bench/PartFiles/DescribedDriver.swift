package import I2C
package import Parts
import Quantities
import Support

/// A driver that measures with the commands or registers of a part file.
///
/// It waits for the longest time of the description and decodes with its formulas.
package final class DescribedDriver: SensorDriver {
  package let address: I2CAddress
  private let part: PartDescription
  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let reading: [(command: Int, response: Int)]
  /// The codes of calibrated quantities, with the factors that the oversampling selects.
  private var calibrated: [Quantity: (code: Int, factor: Double)] = [:]

  /// The content of the fields that the driver has written or assumes, to select scales.
  private var registers: [UInt32]

  init(
    _ part: PartDescription, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) {
    (self.part, self.adapter, self.clock, self.address) = (part, adapter, clock, address)
    registers = part.registers.list.map(\.reset)
    reading = part.reading
  }

  package func start() throws(SensorFailure) {
    clock.wait(nanoseconds: part.startTime.maximum)
    for preparation in part.preparations {
      switch preparation {
      case .command(let index): try send(index, "preparing the part")
      case .write(let register, let word): try write(word, to: register, "preparing the part")
      }
    }
    if let repeated = part.measurements.first(where: { $0.every != nil }) {
      let period = part.period(of: repeated, in: registers) ?? 0
      clock.wait(nanoseconds: part.duration(of: repeated, in: registers).maximum + period)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    var codes = [UInt32?](repeating: nil, count: part.values.count)
    if part.registers.isAddressed {
      try sampleRegisters(&codes)
    } else {
      try sampleCommands(&codes)
    }
    var sample = Sample()
    for (index, value) in part.values.enumerated() {
      guard case .air(let quantity) = chosen(value.source), let code = codes[index],
        !value.isCalibrated
      else { continue }
      sample.values[quantity] = value.value(of: code, scale: part.scale(of: value, in: registers))
      sample.codes[quantity] = Int32(truncatingIfNeeded: value.number(of: code))
    }
    if let calibration = part.calibration, let temperature = calibrated[.temperature] {
      let pressure = calibrated[.pressure] ?? (0, 1)
      let values = calibration.values(
        temperature: temperature.code, factor: temperature.factor, pressure: pressure.code,
        factor: pressure.factor)
      (sample.values[.temperature], sample.codes[.temperature]) = (
        values.celsius, Int32(truncatingIfNeeded: temperature.code)
      )
      if calibrated[.pressure] != nil {
        (sample.values[.pressure], sample.codes[.pressure]) = (
          values.pascals, Int32(truncatingIfNeeded: pressure.code)
        )
      }
    }
    return sample
  }

  /// Keeps the code of a calibrated value with its factor, for the moment when both are known.
  private func keep(_ code: UInt32, of index: Int) {
    let value = part.values[index]
    guard value.isCalibrated, case .air(let quantity) = chosen(value.source) else { return }
    calibrated[quantity] = (value.number(of: code), part.scale(of: value, in: registers))
  }

  /// Waits for the longest duration of a measurement.
  private func wait(for measurement: PartDescription.Measurement) {
    clock.wait(nanoseconds: part.duration(of: measurement, in: registers).maximum)
  }

  // MARK: Commands

  /// Sends the commands of a reading, waits for their measurements and reads the responses.
  private func sampleCommands(_ codes: inout [UInt32?]) throws(SensorFailure) {
    for (index, response) in reading {
      let measurement = part.commands[index].measurement
      try send(index, measurement == nil ? "requesting a result" : "starting a measurement")
      if let measurement { wait(for: part.measurements[measurement]) }
      if part.commands[index].fetch != nil { try send(response, "requesting the result") }
      try receive(part.commands[response], &codes)
    }
  }

  private func send(_ index: Int, _ step: String) throws(SensorFailure) {
    let command = part.commands[index]
    guard command.code != nil else { return }
    do throws(I2CError) {
      try adapter.write(command.message.span, to: address)
    } catch {
      throw SensorFailure(.wire(error), step: step, cause: error.description)
    }
    for setting in command.sets { part.registers.set(setting, in: &registers) }
    if command.measurement == nil { clock.wait(nanoseconds: command.busyTime.maximum) }
  }

  private func receive(
    _ command: PartDescription.Command, _ codes: inout [UInt32?]
  ) throws(SensorFailure) {
    let step = "reading the result"
    let bytes = try read(part.responseLength(of: command), step)
    let (data, wrong) = part.separated(bytes, of: command)
    if let wrong {
      throw SensorFailure(
        .other, step: step,
        cause:
          "the checksum is 0x\(Hexadecimal.digits(wrong.found)), not 0x\(Hexadecimal.digits(wrong.right))"
      )
    }
    for (value, code) in part.codes(in: data, of: command) {
      codes[value] = code
      keep(code, of: value)
    }
  }

  // MARK: Registers

  private func sampleRegisters(_ codes: inout [UInt32?]) throws(SensorFailure) {
    let triggered = part.measurements.filter { $0.every == nil && !$0.starts.isEmpty }
    let repeats = part.measurements.contains { measurement in
      measurement.every != nil
        && part.registers.fulfil(measurement.conditions, in: registers)
    }
    if let measurement = triggered.first, !repeats {
      try trigger(measurement)
    }
    for (index, register) in part.registers.list.enumerated() {
      guard let value = register.value, let address = register.address else { continue }
      let word = try readRegister(address, part.registers.width(of: index))
      registers[index] = word
      codes[value] = word
      keep(word, of: value)
    }
  }

  /// Writes the fields that start a measurement, and waits for its end.
  private func trigger(_ measurement: PartDescription.Measurement) throws(SensorFailure) {
    let register = part.registers.fields[measurement.starts[0].field].register
    for setting in measurement.starts { part.registers.set(setting, in: &registers) }
    try write(registers[register], to: register, "starting a measurement")
    wait(for: measurement)
  }

  private func write(
    _ word: UInt32, to register: Int, _ step: String
  ) throws(SensorFailure) {
    guard let address = part.registers.list[register].address else { return }
    registers[register] = word
    let bytes = part.registers.bytes(of: word, count: part.registers.width(of: register))
    do throws(I2CError) {
      try adapter.write(([address] + bytes).span, to: self.address)
    } catch {
      throw SensorFailure(.wire(error), step: step, cause: error.description)
    }
  }

  private func readRegister(_ register: UInt8, _ bytes: Int) throws(SensorFailure) -> UInt32 {
    var found = [UInt8](repeating: 0, count: bytes)
    do throws(I2CError) {
      var span = found.mutableSpan
      try adapter.readRegisters(from: register, count: bytes, into: &span, at: address)
    } catch {
      throw SensorFailure(.wire(error), step: "reading the result", cause: error.description)
    }
    return part.registers.word(of: found)
  }

  private func read(_ count: Int, _ step: String) throws(SensorFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    do throws(I2CError) {
      var span = bytes.mutableSpan
      try adapter.read(into: &span, from: address)
    } catch {
      throw SensorFailure(.wire(error), step: step, cause: error.description)
    }
    return bytes
  }

  // MARK: Fields

  private func chosen<Element>(_ choice: PartDescription.Choice<Element>) -> Element {
    choice[choice.field.map { part.registers.value(of: $0, in: registers) } ?? 0]
  }
}

extension PartDescription {
  /// The commands with which a driver reads all values, each with the command whose response it reads: the first one that
  /// returns a value, or that starts a measurement whose result a read without a command returns.
  var reading: [(command: Int, response: Int)] {
    var missing = Set(values.indices)
    var reading: [(command: Int, response: Int)] = []
    let silent = commands.firstIndex { $0.code == nil }
    var read: Set<PartDescription.Value.Source> = []
    let contents = registers.list.map(\.reset)
    for (index, command) in commands.enumerated()
    where command.code != nil && registers.fulfil(command.conditions, in: contents) {
      let isAnswered = !command.response.isEmpty
      let answer = isAnswered ? index : command.measurement == nil ? nil : command.fetch ?? silent
      guard let response = answer else { continue }
      if command.fetch != nil {
        // Each quantity that the commands select is read once.
        let value = command.measurement.flatMap { measurements[$0].values.first }.map { values[$0] }
        let selected = value.map { value in
          command.sets.first { $0.field == value.source.field }.map { value.source[$0.value] }
            ?? value.source[0]
        }
        if let selected, read.insert(selected).inserted { reading.append((index, response)) }
        missing.subtract(command.measurement.map { measurements[$0].values } ?? [])
        continue
      }
      let returned = commands[response].response.compactMap { item -> Int? in
        if case .value(let value) = item.content { value } else { nil }
      }
      guard returned.contains(where: missing.contains) else { continue }
      missing.subtract(returned)
      reading.append((index, response))
    }
    return reading
  }
}
