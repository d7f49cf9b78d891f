import I2C
import I2CTrace

/// A table with a row for each message.
struct TableForm: ExportForm {
  private let print: ([UInt8]) -> Void
  private var line = LineBuffer()
  private var number = 0

  init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
    line.append(
      "transfer,time_s,duration_s,bus,message,address,direction,count,bytes,error,errno\n")
  }

  mutating func take(_ transfer: TracedTransfer) {
    number += 1
    for (index, message) in transfer.messages.enumerated() {
      line.append(number: UInt64(number))
      for nanoseconds in [transfer.time, transfer.duration] { append(seconds: nanoseconds) }
      line.append(text: ",\(transfer.bus),\(index),\(message.segment.address),")
      line.append(message.segment.direction == .write ? "write," : "read,")
      line.append(number: UInt64(message.segment.count))
      line.append(UInt8(ascii: ","))
      for byte in message.bytes { line.append(hexadecimal: byte) }
      if let error = transfer.error, error.message == index {
        let errno = error.errno.name.map { "\($0)" } ?? "\(error.errno.rawValue)"
        line.append(text: ",\(error.kind.name),\(errno)\n")
      } else {
        line.append(",,\n")
      }
    }
    if line.bytes.count > 1 << 16 { flush() }
  }

  mutating func finish() -> [String] {
    flush()
    return []
  }

  /// Adds nanoseconds as seconds with nine decimals.
  private mutating func append(seconds nanoseconds: UInt64) {
    line.append(UInt8(ascii: ","))
    line.append(number: nanoseconds / 1_000_000_000)
    line.append(UInt8(ascii: "."))
    let fraction = String(nanoseconds % 1_000_000_000)
    line.append(text: String(repeating: "0", count: 9 - fraction.count) + fraction)
  }

  private mutating func flush() {
    print(line.bytes)
    line.removeAll()
  }
}
