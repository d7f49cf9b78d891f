import I2C
import I2CTrace

/// A log of a shell with the commands of i2c-tools and what they printed.
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
    } else if text.hasPrefix("msg "), let place = words.firstIndex(of: "buf"),
      words.contains("read,")
    {
      pending?.lines.append(try Self.bytes(words[(place + 1)...], sink.line))
    } else if let command = try ToolsCommand(text, sink.line) {
      try flush(&sink)
      pending = Pending(command: command)
    } else if let place = words.firstIndex(of: "sleep"),
      let seconds = words[place...].dropFirst().first,
      let length = CaptureText.nanoseconds(seconds)
    {
      try flush(&sink)
      sink.rest(nanoseconds: length)
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
      else { throw TraceError(line: line, "'\(word)' is no byte such as 0x60") }
      // A word is printed as a number: its high byte, which came second, stands first.
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
        line: line, "registers without the i2cdump command that printed them; say --address")
    }
    for cell in row { pending?.cells[cell.register] = cell }
  }

  /// Turns the command and its output into what went over the bus.
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
          return sink.leaveOut(.silentCommand)
        }
        messages[index].bytes = bytes
      }
      try sink.emit(messages, bus: bus)
    case .get(let address, let register, let access):
      try get(address, register, access, pending, &sink)
    case .dump(let address, let access):
      guard !pending.cells.isEmpty else { return sink.leaveOut(.silentCommand) }
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
    case (nil, nil): return sink.leaveOut(.silentCommand)
    case (nil, let bytes?): read = bytes
    default: read = []
    }
    let isBlock = access == .smbusBlock
    let bytes = isBlock && pending.error == nil ? [UInt8(clamping: read.count)] + read : read
    let expected = access == .word ? 2 : access == .byte || access == .consecutive ? 1 : bytes.count
    guard pending.error != nil || bytes.count == expected else {
      return sink.leaveOut(.silentCommand)
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
