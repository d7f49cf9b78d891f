import I2C
import I2CTrace
import Support

/// A parser of shell logs that contain commands of i2c-tools and their output.
struct ToolsParser: CaptureParser {
  /// A command with its output so far.
  private struct Pending {
    let command: ToolsCommand
    var lines: [[UInt8]] = []
    var cells: [Int: ToolsDump.Cell] = [:]
    var error: I2CError?
  }

  private let options: CaptureReader.Options
  private var pending: Pending?

  init(_ options: CaptureReader.Options) { self.options = options }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace)
    if let row = ToolsDump.row(text) {
      try take(row, sink.line)
    } else if let word = words.first, word.hasPrefix("0x") {
      guard pending != nil else {
        throw TraceError(line: sink.line, "bytes without the command that printed them")
      }
      pending?.lines.append(try Self.bytes(words[...], sink.line))
    } else if text.hasPrefix("Error: ") {
      pending?.error = I2CError(worded: text[...])
    } else if text.hasPrefix("msg "), let index = words.firstIndex(of: "buf"),
      words.contains("read,")
    {
      pending?.lines.append(try Self.bytes(words[(index + 1)...], sink.line))
    } else if let command = try ToolsCommand(text, sink.line) {
      try flush(&sink)
      pending = Pending(command: command)
    } else if let index = words.firstIndex(of: "sleep"),
      let seconds = words[index...].dropFirst().first,
      let length = CaptureText.nanoseconds(seconds)
    {
      try flush(&sink)
      sink.pause(nanoseconds: length)
    }
  }

  mutating func finish(_ sink: inout CaptureSink) throws(TraceError) { try flush(&sink) }

  private static func bytes(_ words: ArraySlice<Substring>, _ line: Int) throws(TraceError)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    for word in words {
      let digits = word.dropFirst(2)
      guard word.hasPrefix("0x"), let number = UInt16(digits, radix: 16),
        [2, 4].contains(digits.count)
      else { throw TraceError(line: line, "'\(word)' is not a byte such as 0x60") }
      // A word is printed as a number, so its second byte is printed first.
      bytes.append(UInt8(truncatingIfNeeded: number))
      if digits.count == 4 { bytes.append(UInt8(number >> 8)) }
    }
    return bytes
  }

  private mutating func take(_ row: [ToolsDump.Cell], _ line: Int) throws(TraceError) {
    if pending == nil, let address = options.address {
      pending = Pending(command: ToolsCommand(dumpOf: address, bus: options.bus))
    }
    guard case .dump = pending?.command.action else {
      throw TraceError(
        line: line, "registers without the i2cdump command that printed them; use --address")
    }
    for cell in row { pending?.cells[cell.register] = cell }
  }

  /// Converts the pending command and its output to transfers.
  private mutating func flush(_ sink: inout CaptureSink) throws(TraceError) {
    guard let pending else { return }
    self.pending = nil
    let bus = pending.command.bus
    switch pending.command.action {
    case .messages(var messages):
      if let error = pending.error { return try sink.emit(messages, error: error, bus: bus) }
      var answers = pending.lines[...]
      for index in messages.indices where messages[index].segment.direction == .read {
        guard messages[index].segment.count > 0 else { continue }
        guard let bytes = answers.popFirst(), bytes.count == messages[index].segment.count else {
          return sink.omit(.silentCommand)
        }
        messages[index].bytes = bytes
      }
      try sink.emit(messages, bus: bus)
    case .get(let address, let register, let access):
      try get(address, register, access, pending, &sink)
    case .dump(let address, let access):
      guard !pending.cells.isEmpty else { return sink.omit(.silentCommand) }
      for transfer in ToolsDump.transfers(pending.cells, of: address, access) {
        try sink.emit(transfer.messages, error: transfer.error, bus: bus)
      }
    }
  }

  private func get(
    _ address: I2CAddress, _ register: UInt8?, _ access: ToolsCommand.Access, _ pending: Pending,
    _ sink: inout CaptureSink
  ) throws(TraceError) {
    let bus = pending.command.bus
    let read: [UInt8]
    switch (pending.error, pending.lines.first) {
    case (nil, nil): return sink.omit(.silentCommand)
    case (nil, let bytes?): read = bytes
    default: read = []
    }
    let isBlock = access == .smbusBlock
    let bytes = isBlock && pending.error == nil ? [UInt8(clamping: read.count)] + read : read
    let expected = access == .word ? 2 : access == .byte || access == .consecutive ? 1 : bytes.count
    guard pending.error != nil || bytes.count == expected else {
      return sink.omit(.silentCommand)
    }
    var messages: [TracedMessage] = []
    if let register { messages.append(TracedMessage(.write(1, to: address), [register])) }
    if access == .consecutive, pending.error == nil {
      try sink.emit(messages, bus: bus)
      messages = []
    }
    messages.append(
      TracedMessage(
        I2CSegment(
          address: address, direction: .read, count: expected,
          flags: isBlock ? .receiveLength : []), bytes))
    try sink.emit(messages, error: pending.error, bus: bus)
  }
}

/// The table printed by i2cdump.
enum ToolsDump {
  /// A register in the table.
  struct Cell {
    let register: Int
    /// The byte, or the two bytes of a word with the low byte first; empty if the read failed
    /// (`XX`).
    let bytes: [UInt8]
  }

  /// Parses a row such as `80: 8c 50 XX …`; returns `nil` if the line is not a row.
  static func row(_ text: String) -> [Cell]? {
    let line = text.drop(while: \.isWhitespace)
    guard let colon = line.firstIndex(of: ":"), line[..<colon].count == 2,
      let first = CaptureText.byte(line[..<colon])
    else { return nil }
    // Registers that were not read are blank, so the column identifies the register.
    let rest = line[line.index(after: colon)...].dropFirst()
    let words = rest.prefix { $0 != "?" && $0 != "." }.split(separator: " ")
    let width = words.first?.count == 4 ? 4 : 2
    let columns = width == 4 ? 8 : 16
    var cells: [Cell] = []
    for column in 0..<columns {
      let text = rest.dropFirst(column * (width + 1)).prefix(width)
      guard text.count == width, !text.contains(" ") else { continue }
      if text.allSatisfy({ $0 == "X" }) {
        cells.append(Cell(register: Int(first) + column, bytes: []))
      } else if text.allSatisfy(\.isHexDigit), let value = UInt16(text, radix: 16) {
        let low = UInt8(truncatingIfNeeded: value)
        cells.append(
          Cell(register: Int(first) + column, bytes: width == 4 ? [low, UInt8(value >> 8)] : [low]))
      }
    }
    return cells.isEmpty ? nil : cells
  }

  /// Returns the transfers of i2cdump for a table: one for each register, or for each block of 32 registers.
  static func transfers(
    _ cells: [Int: Cell], of address: I2CAddress, _ access: ToolsCommand.Access
  ) -> [TracedTransfer] {
    let registers = cells.keys.inOrder()
    var transfers: [TracedTransfer] = []
    func add(_ messages: [TracedMessage], _ error: I2CError?) {
      transfers.append(
        TracedTransfer(time: 0, duration: 0, bus: 0, messages: messages, error: error))
    }
    func write(_ register: Int) -> TracedMessage {
      TracedMessage(.write(1, to: address), [UInt8(truncatingIfNeeded: register)])
    }
    if access == .consecutive, let first = registers.first { add([write(first)], nil) }
    var index = 0
    while index < registers.count {
      let register = registers[index]
      var bytes = cells[register]?.bytes ?? []
      index += 1
      while access == .block || access == .smbusBlock, index < registers.count, bytes.count < 32,
        registers[index] == register + bytes.count, let more = cells[registers[index]]?.bytes,
        !bytes.isEmpty, !more.isEmpty
      {
        bytes += more
        index += 1
      }
      let count = bytes.isEmpty ? (access == .word ? 2 : 1) : bytes.count
      let read = TracedMessage(.read(count, from: address), bytes)
      let error = bytes.isEmpty ? I2CError(reported: .enxio) : nil
      add(access == .consecutive ? [read] : [write(register), read], error)
    }
    return transfers
  }
}
