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
    guard value.scale.field == nil, !value.isCalibrated, value.source.field == nil else {
      return "\(value.name) code \(value.number(of: word))"
    }
    return "\(value.name) "
      + Decimal.rounded(value.value(of: word, scale: value.scale.elements[0]), 3)
  }
}
