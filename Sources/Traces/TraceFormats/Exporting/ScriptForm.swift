import I2C
import I2CTrace

/// A shell script of i2ctransfer commands that does a trace again; what was answered stands in comments.
struct ScriptForm: ExportForm {
  private let print: ([UInt8]) -> Void
  private var line = LineBuffer()
  private var end: UInt64 = 0
  private var unsayable = 0

  init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
    line.append("#!/bin/sh\n")
  }

  mutating func take(_ transfer: TracedTransfer) {
    let gap = transfer.time > end ? (transfer.time - end) / 1_000_000 : 0
    if gap > 0 { line.append(text: "sleep \(Double(gap) / 1000)\n") }
    end = transfer.time &+ transfer.duration
    let isSayable =
      transfer.messages.count <= 42
      && transfer.messages.allSatisfy {
        $0.segment.flags.isSubset(of: .receiveLength) && $0.segment.address.rawValue <= 0x7F
      }
    if !isSayable { unsayable += 1 }
    let isReserved = transfer.messages.contains {
      !(0x08...0x77).contains($0.segment.address.rawValue)
    }
    line.append(
      text: "\(isSayable ? "" : "# ")i2ctransfer -y\(isReserved ? " -a" : "") \(transfer.bus)")
    for message in transfer.messages {
      let letter = message.segment.direction == .write ? "w" : "r"
      line.append(text: " \(letter)\(message.segment.count)@\(message.segment.address)")
      guard message.segment.direction == .write else { continue }
      for byte in message.bytes { append(byte) }
    }
    line.append(UInt8(ascii: "\n"))
    for message in transfer.messages
    where message.segment.direction == .read && !message.bytes.isEmpty {
      line.append("#")
      for byte in message.bytes { append(byte) }
      line.append(UInt8(ascii: "\n"))
    }
    if let error = transfer.error { line.append(text: "# failed: \(error)\n") }
    if line.bytes.count > 1 << 16 { flush() }
  }

  mutating func finish() -> [String] {
    flush()
    guard unsayable > 0 else { return [] }
    return [
      "\(unsayable) transfers are comments: i2ctransfer knows no ten-bit addresses and no flags"
    ]
  }

  private mutating func append(_ byte: UInt8) {
    line.append(" 0x")
    line.append(hexadecimal: byte)
  }

  private mutating func flush() {
    print(line.bytes)
    line.removeAll()
  }
}
