import I2C
import I2CTrace
import Support

/// A parser of the CSV table that Saleae Logic's I2C analyzer exports.
///
/// Logic 2 writes a row for each start, address, byte and stop. Logic 1 writes a row for each byte,
/// with the ID of its packet and an eight-bit address.
struct SaleaeParser: CaptureParser {
  /// The indices of the table's columns, by version of Logic.
  private enum Columns {
    case logic2(type: Int, time: Int, acknowledged: Int, address: Int, isRead: Int, data: Int)
    case logic1(time: Int, packet: Int, address: Int, data: Int, direction: Int, acknowledged: Int)
  }

  private var columns: Columns?
  private var assembler: WireAssembler
  private var packet: Substring?
  private var end: Int64?

  init(_ options: CaptureReader.Options) { assembler = WireAssembler(bus: options.bus) }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    guard !line.isEmpty else { return }
    guard let texts = CSV.fields(of: line, CSV.Form(isPadded: true)) else {
      throw TraceError(line: sink.line, "this is not a row of a table")
    }
    let cells = texts.map { $0[...] }
    guard let columns else {
      self.columns = try Self.columns(cells, sink.line)
      return
    }
    func cell(_ index: Int) throws(TraceError) -> Substring {
      guard cells.indices.contains(index) else {
        throw TraceError(line: sink.line, "the row has \(cells.count) columns only")
      }
      return cells[index]
    }
    switch columns {
    case .logic2(let type, let time, let acknowledged, let address, let isRead, let data):
      try takeEvent(
        try cell(type), time: try cell(time), acknowledged: try cell(acknowledged),
        address: try cell(address), isRead: try cell(isRead), data: try cell(data), &sink)
    case .logic1(let time, let packet, let address, let data, let direction, let acknowledged):
      try takeByte(
        try cell(data), time: try cell(time), packet: try cell(packet), address: try cell(address),
        direction: try cell(direction), acknowledged: try cell(acknowledged), &sink)
    }
  }

  mutating func finish(_ sink: inout CaptureSink) throws(TraceError) {
    if case .logic1 = columns, packet != nil { try assembler.stop(at: end, &sink) }
    assembler.finish(&sink)
  }

  private static func columns(_ names: [Substring], _ line: Int) throws(TraceError) -> Columns {
    let names = names.map { $0.lowercased() }
    func index(_ name: String) -> Int? { names.firstIndex(of: name) }
    if let type = index("type"), let time = index("start_time"), let acknowledged = index("ack"),
      let address = index("address"), let isRead = index("read"), let data = index("data")
    {
      return .logic2(
        type: type, time: time, acknowledged: acknowledged, address: address, isRead: isRead,
        data: data)
    }
    if let time = names.firstIndex(where: { $0.hasPrefix("time") }),
      let packet = index("packet id"), let address = index("address"), let data = index("data"),
      let direction = index("read/write"), let acknowledged = index("ack/nak")
    {
      return .logic1(
        time: time, packet: packet, address: address, data: data, direction: direction,
        acknowledged: acknowledged)
    }
    throw TraceError(
      line: line,
      "these are not the columns of an I2C table (Logic 2: name, type, start_time, duration, ack, "
        + "address, read, data; Logic 1: Time [s], Packet ID, Address, Data, Read/Write, ACK/NAK)")
  }

  private mutating func takeEvent(
    _ type: Substring, time: Substring, acknowledged: Substring, address: Substring,
    isRead: Substring, data: Substring, _ sink: inout CaptureSink
  ) throws(TraceError) {
    guard let time = CaptureText.nanoseconds(time) else {
      throw TraceError(line: sink.line, "'\(time)' is not a time in seconds")
    }
    switch type {
    case "start": try assembler.start(at: time, &sink)
    case "stop": try assembler.stop(at: time, &sink)
    case "address":
      let byte = try Self.byte(address, sink.line)
      guard byte < 0x80, let isRead = Self.flag(isRead),
        let acknowledged = Self.flag(acknowledged)
      else { throw TraceError(line: sink.line, "'\(address)' is not a seven-bit address") }
      assembler.byte(byte << 1 | (isRead ? 1 : 0), acknowledged: acknowledged, &sink)
    case "data":
      let byte = try Self.byte(data, sink.line)
      guard let acknowledged = Self.flag(acknowledged) else {
        throw TraceError(line: sink.line, "'\(acknowledged)' is neither true nor false")
      }
      assembler.byte(byte, acknowledged: acknowledged, &sink)
    default: throw TraceError(line: sink.line, "'\(type)' is not an event of an I2C table")
    }
  }

  private mutating func takeByte(
    _ data: Substring, time: Substring, packet: Substring, address: Substring,
    direction: Substring, acknowledged: Substring, _ sink: inout CaptureSink
  ) throws(TraceError) {
    guard let time = CaptureText.nanoseconds(time) else {
      throw TraceError(line: sink.line, "'\(time)' is not a time in seconds")
    }
    let target = try Self.byte(address, sink.line)
    guard ["Read", "Write"].contains(direction) else {
      throw TraceError(line: sink.line, "'\(direction)' is neither Read nor Write")
    }
    guard (target & 1 == 1) == (direction == "Read") else {
      throw TraceError(
        line: sink.line,
        "\(address) does not include the read/write bit; export 8-bit addresses"
      )
    }
    guard ["ACK", "NAK"].contains(acknowledged) else {
      throw TraceError(line: sink.line, "'\(acknowledged)' is neither ACK nor NAK")
    }
    let isRefused = data.isEmpty && acknowledged == "NAK"
    if packet != self.packet {
      if self.packet != nil { try assembler.stop(at: end, &sink) }
      self.packet = packet
      try assembler.start(at: time, &sink)
      assembler.byte(target, acknowledged: !isRefused, &sink)
    }
    end = time
    guard !data.isEmpty else { return }
    let byte = try Self.byte(data, sink.line)
    assembler.byte(byte, acknowledged: acknowledged == "ACK", &sink)
  }

  /// Parses a byte such as `0x76`.
  ///
  /// The prefix is required, because without it the radix is unknown.
  private static func byte(_ text: Substring, _ line: Int) throws(TraceError) -> UInt8 {
    guard text.lowercased().hasPrefix("0x"), let byte = CaptureText.byte(text) else {
      throw TraceError(
        line: line, "'\(text)' is not a byte such as 0x76; export the table as hexadecimal")
    }
    return byte
  }

  private static func flag(_ text: Substring) -> Bool? {
    switch text.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }
}
