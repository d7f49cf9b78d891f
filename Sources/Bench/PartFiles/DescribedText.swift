import I2C
package import I2CTrace
import Parts
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

  private mutating func written(_ bytes: [UInt8]) -> String? {
    if part.registers.isAddressed {
      register = part.registers.list.firstIndex { $0.address == bytes[0] }
      guard let register else { return nil }
      let name = part.registers.list[register].name
      guard bytes.count > 1 else { return name }
      return "\(name) <- 0x" + bytes.dropFirst().map { Hexadecimal.digits($0) }.joined()
    }
    let codes = [1, 2].map { bytes.prefix($0).reduce(UInt16(0)) { $0 << 8 | UInt16($1) } }
    command = part.commands.firstIndex { $0.code.map(codes.contains) ?? false }
    return command.map { part.commands[$0].name }
  }

  private func read(_ bytes: [UInt8]) -> String? {
    if let register, part.registers.isAddressed {
      let word = ordered(bytes).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let value = part.registers.list[register].value else {
        return "0x" + bytes.map { Hexadecimal.digits($0) }.joined()
      }
      return text(value, word)
    }
    let silent = part.commands.firstIndex { $0.code == nil }
    guard let index = command ?? silent else { return nil }
    var items = part.commands[index].response
    if items.isEmpty, let silent { items = part.commands[silent].response }
    return decoded(items, bytes) ?? "byte".counted(bytes.count)
  }

  private func ordered(_ bytes: [UInt8]) -> [UInt8] {
    let word = Array(bytes.prefix(part.registers.list[register ?? 0].bytes ?? part.registers.bytes))
    return part.registers.isLittleEndian ? word.reversed() : word
  }

  /// Returns the values in a response; `nil` if it contains none.
  private func decoded(_ items: [PartDescription.Item], _ bytes: [UInt8]) -> String? {
    let data =
      part.checksum?.placement == .word
      ? bytes.enumerated().filter { $0.offset % 3 != 2 }.map(\.element) : bytes
    var (bits, width, rest) = (UInt64(0), 0, data[...])
    var values: [String] = []
    for item in items {
      while width < item.bits, let byte = rest.popFirst() {
        bits = bits << 8 | UInt64(byte)
        width += 8
      }
      guard width >= item.bits else { break }
      width -= item.bits
      let word = UInt32(truncatingIfNeeded: bits >> UInt64(width) & (1 << UInt64(item.bits) - 1))
      if case .value(let index) = item.content { values.append(text(index, word)) }
    }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  private func text(_ index: Int, _ word: UInt32) -> String {
    let value = part.values[index]
    // A scale that a field selects is only known to the part.
    guard value.scale.field == nil else { return "\(value.name) code \(value.number(of: word))" }
    return "\(value.name) "
      + Decimal.rounded(value.value(of: word, scale: value.scale.elements[0]), 3)
  }
}
