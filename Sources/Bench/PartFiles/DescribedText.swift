import I2C
package import I2CTrace
package import Parts
import Support

/// Names the commands, registers and values of a described part in a trace.
package struct DescribedText: TransferText {
  private let part: PartDescription
  /// The command or register that the next read answers.
  private var command: Int?
  private var register: Int?

  package init(_ part: PartDescription) { self.part = part }

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    if let error = transfer.error {
      let isRead = transfer.messages.last?.segment.direction == .read
      let isMeasuring = command.map { part.commands[$0].measurement != nil } ?? false
      return error.kind == .addressNack && isRead && isMeasuring ? "measurement running" : nil
    }
    var pieces: [String] = []
    for message in transfer.messages where !message.bytes.isEmpty {
      let piece =
        switch message.segment.direction {
        case .write: written(message.bytes)
        case .read: read(message.bytes).map { "-> " + $0 }
        }
      guard let piece else { return nil }
      pieces.append(piece)
    }
    return pieces.isEmpty ? nil : pieces.joined(separator: "; ")
  }

  package mutating func readsResult(_ transfer: TracedTransfer) -> Bool {
    guard transfer.error == nil else { return false }
    var isResult = false
    for message in transfer.messages where !message.bytes.isEmpty {
      switch message.segment.direction {
      case .write: _ = written(message.bytes)
      case .read: isResult = isResult || returnsResult
      }
    }
    return isResult
  }

  /// `true` if the next read returns a measured value.
  private var returnsResult: Bool {
    if part.registers.isAddressed {
      return register.map { part.registers.list[$0].value != nil } ?? false
    }
    guard let index = part.command(answeringAfter: command) else { return false }
    return part.commands[index].response.contains { item in
      if case .value = item.content { true } else { false }
    }
  }

  private mutating func written(_ bytes: [UInt8]) -> String? {
    if part.registers.isAddressed {
      register = part.registers.list.firstIndex { $0.address == bytes[0] }
      guard let register else { return nil }
      let name = part.registers.list[register].name
      guard bytes.count > 1 else { return name }
      return "\(name) <- 0x" + bytes.dropFirst().map { Hexadecimal.digits($0) }.joined()
    }
    command = part.commands(with: bytes).first
    return command.map { part.commands[$0].name }
  }

  private func read(_ bytes: [UInt8]) -> String? {
    if let register, part.registers.isAddressed {
      let word = part.registers.word(of: Array(bytes.prefix(part.registers.width(of: register))))
      guard let value = part.registers.list[register].value else {
        return "0x" + bytes.map { Hexadecimal.digits($0) }.joined()
      }
      return text(value, word)
    }
    let silent = part.commands.firstIndex { $0.code == nil }
    guard let index = command ?? silent else { return nil }
    let isAnswered = !part.commands[index].response.isEmpty
    let answered = part.commands[isAnswered ? index : silent ?? index]
    let values = part.codes(in: part.separated(bytes, of: answered).data, of: answered)
    guard !values.isEmpty else { return "byte".counted(bytes.count) }
    return values.map { text($0.value, $0.code) }.joined(separator: ", ")
  }

  private func text(_ index: Int, _ word: UInt32) -> String {
    let value = part.values[index]
    // A scale that a field selects is only known to the part.
    guard value.scale.field == nil, value.gain == nil, !value.isCalibrated,
      value.source.field == nil
    else {
      return "\(value.name) code \(value.number(of: word))"
    }
    return "\(value.name) "
      + Decimal.rounded(value.value(of: word, scale: value.scale.elements[0]), 3)
  }
}

/// Notices programs that read a result before its measurement has ended, or send a command that the part does not have.
package struct DescribedListener: PartListener {
  private let part: PartDescription
  private var contents: [UInt32]
  /// The command or register that the next read answers.
  private var command: Int?
  private var register: Int?
  /// The running measurement and the time of its start, in nanoseconds.
  private var running: (measurement: Int, start: UInt64)?
  /// The first error of each kind, and its number of occurrences.
  private var early = (sentence: "", count: 0)
  private var unknown = (sentence: "", count: 0)

  package init(_ part: PartDescription) {
    self.part = part
    contents = part.registers.list.map(\.reset)
  }

  package mutating func take(_ transfer: TracedTransfer) {
    let first = transfer.messages.first
    if let error = transfer.error {
      if error.kind == .dataNack, let bytes = first?.bytes { notAcknowledged(bytes) }
      return
    }
    for message in transfer.messages where !message.bytes.isEmpty {
      switch message.segment.direction {
      case .write: written(message.bytes, at: transfer.time + transfer.duration)
      case .read: read(at: transfer.time)
      }
    }
  }

  package mutating func warning() -> PartWarning? {
    let all = [early, unknown].filter { $0.count > 0 }
    guard let first = all.first else { return nil }
    let times = first.count == 1 ? "once" : "\(first.count) times"
    return PartWarning(
      "\(first.sentence) (\(times))", others: all.count - 1, isExplained: false,
      doubt: early.count > 0 ? nil : "A real part may have this command")
  }

  private mutating func notAcknowledged(_ bytes: [UInt8]) {
    guard !part.commands.isEmpty, !bytes.isEmpty, part.commands(with: bytes).isEmpty else { return }
    if unknown.count == 0 {
      let code = bytes.prefix(2).map { Hexadecimal.digits($0) }.joined()
      unknown.sentence = "0x\(code) is not acknowledged: the part file has no such command"
    }
    unknown.count += 1
  }

  private mutating func written(_ bytes: [UInt8], at time: UInt64) {
    if part.registers.isAddressed {
      register = part.registers.list.firstIndex { $0.address == bytes[0] }
      if let register { store(Array(bytes.dropFirst()), in: register, at: time) }
      return
    }
    command = part.commands(with: bytes).first {
      part.registers.fulfil(part.commands[$0].conditions, in: contents)
    }
    guard let command else { return }
    if let field = part.commands[command].codeField {
      let value = UInt32(bytes[part.commands[command].code ?? 0 > 0xFF ? 1 : 0])
      part.registers.set(PartDescription.Setting(field: field, value: value), in: &contents)
    }
    for setting in part.commands[command].sets { part.registers.set(setting, in: &contents) }
    if let measurement = part.commands[command].measurement { running = (measurement, time) }
  }

  private mutating func store(_ bytes: [UInt8], in register: Int, at time: UInt64) {
    guard bytes.count == part.registers.width(of: register) else { return }
    contents[register] = part.registers.word(of: bytes)
    let isRunning = running.map { time < $0.start + duration(of: $0.measurement) } ?? false
    let started = part.measurement(startedBy: contents[register], in: register)
    if let started, !isRunning { running = (started, time) }
  }

  /// The typical duration with the current settings, in nanoseconds.
  private func duration(of measurement: Int) -> UInt64 {
    part.duration(of: part.measurements[measurement], in: contents).typical
  }

  private mutating func read(at time: UInt64) {
    guard let (index, start) = running else { return }
    let measurement = part.measurements[index]
    guard measurement.meanwhile == .last, time < start + duration(of: index) else {
      running = nil
      return
    }
    guard isResult(of: measurement) else { return }
    if early.count == 0 {
      early.sentence =
        "a result is read \(milliseconds(time - start)) ms after the start of the measurement, which takes "
        + "up to \(milliseconds(part.duration(of: measurement, in: contents).maximum)) ms"
    }
    early.count += 1
  }

  /// Returns whether a read returns values of a measurement, without a flag that shows that it is running.
  private func isResult(of measurement: PartDescription.Measurement) -> Bool {
    if part.registers.isAddressed {
      let value = register.flatMap { part.registers.list[$0].value }
      return value.map(measurement.values.contains) ?? false
    }
    guard let answering = part.command(answeringAfter: command) else { return false }
    let flags = Set(
      (measurement.busy.map(\.field) + measurement.newFields).map {
        part.registers.fields[$0].register
      })
    let contents = part.commands[answering].response.map(\.content)
    return contents.contains { content in
      if case .value(let value) = content { measurement.values.contains(value) } else { false }
    }
      && !contents.contains { content in
        if case .register(let register) = content { flags.contains(register) } else { false }
      }
  }

  private func milliseconds(_ time: UInt64) -> String { Decimal.fixed(Double(time) / 1e6, 2) }
}
