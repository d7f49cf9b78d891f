import I2C
import I2CTrace
import Text

/// The table that i2cdump prints.
enum ToolsDump {
  /// What it shows of a register.
  struct Cell {
    let register: Int
    /// One byte, or two of a word, the low one first; none where reading failed (XX).
    let bytes: [UInt8]
  }

  /// The cells of a row such as `80: 8c 50 XX …`, or `nil` where a line is none.
  static func row(_ text: String) -> [Cell]? {
    let line = text.drop(while: \.isWhitespace)
    guard let colon = line.firstIndex(of: ":"), line[..<colon].count == 2,
      let first = CaptureText.byte(line[..<colon])
    else { return nil }
    // Registers that were not asked for are blank: the place in the line says which is which.
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

  /// What i2cdump did for a table: a transfer for each register, of blocks for 32 of them.
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
