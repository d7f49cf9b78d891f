import I2C
public import I2CTrace

/// The formats to which a trace can be exported.
public enum ExportKind: String, Hashable, Sendable, CaseIterable {
  /// A Value Change Dump of SDA and SCL, for PulseView, GTKWave and other I2C decoders.
  case vcd
  /// A CSV table with a row for each message.
  case csv
  /// A shell script of i2ctransfer commands that repeats the transfers, with the responses as comments.
  case i2ctransfer
}

/// Exports a trace, transfer by transfer.
public struct TraceExporter {
  private var form: any ExportForm
  private let bus: Int?

  /// Begins an export.
  ///
  /// - Parameters:
  ///   - kind: the format.
  ///   - header: the header of the trace.
  ///   - bus: the only bus to export; `nil` for all buses.
  ///   - print: the closure called with the text in pieces.
  public init(
    _ kind: ExportKind, _ header: TraceHeader, bus: Int?, to print: @escaping ([UInt8]) -> Void
  ) {
    self.bus = bus
    form =
      switch kind {
      case .vcd: ChangeDumpForm(header, bus, print)
      case .csv: TableForm(print)
      case .i2ctransfer: ScriptForm(print)
      }
  }

  /// Exports a transfer.
  public mutating func take(_ transfer: TracedTransfer) {
    guard bus == nil || transfer.bus == bus else { return }
    form.take(transfer)
  }

  /// Ends the export.
  ///
  /// - Returns: the parts that could not be exported, one sentence each.
  public mutating func finish() -> [String] { form.finish() }
}

/// An export format.
protocol ExportForm {
  mutating func take(_ transfer: TracedTransfer)
  mutating func finish() -> [String]
}

/// Exports a shell script of i2ctransfer commands that repeats a trace, with the responses as
/// comments.
struct ScriptForm: ExportForm {
  private let print: ([UInt8]) -> Void
  private var line = LineBuffer()
  private var end: UInt64 = 0
  private var unsupported = 0

  init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
    line.append("#!/bin/sh\n")
  }

  mutating func take(_ transfer: TracedTransfer) {
    let gap = transfer.time > end ? (transfer.time - end) / 1_000_000 : 0
    if gap > 0 { line.append(text: "sleep \(Double(gap) / 1000)\n") }
    end = transfer.time &+ transfer.duration
    let isSupported =
      transfer.messages.count <= 42
      && transfer.messages.allSatisfy {
        $0.segment.flags.isSubset(of: .receiveLength) && $0.segment.address.rawValue <= 0x7F
      }
    if !isSupported { unsupported += 1 }
    let isReserved = transfer.messages.contains {
      !(0x08...0x77).contains($0.segment.address.rawValue)
    }
    line.append(
      text: "\(isSupported ? "" : "# ")i2ctransfer -y\(isReserved ? " -a" : "") \(transfer.bus)")
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
    guard unsupported > 0 else { return [] }
    return [
      "\(unsupported) transfers are comments: i2ctransfer does not support ten-bit addresses and flags"
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

/// Exports a CSV table with a row for each message.
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

  /// Appends nanoseconds as seconds with nine decimals.
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
