import I2C

extension TracedTransfer {
  /// Reads a line in any order of keys.
  init(
    jsonLine bytes: ArraySlice<UInt8>, _ line: Int, onlyBus: Int?
  ) throws(TraceError) {
    let json = try JSONLine(bytes, line)
    let time = try json.unsigned("t")
    let duration = try json.unsigned("d")
    let bus: Int
    if let onlyBus, !json.has("b") {
      bus = onlyBus
    } else {
      bus = try json.busNumber("b")
    }
    let address = try json.address("a")
    var messages: [TracedMessage] = []
    for message in try json.objects("m") {
      messages.append(try TracedMessage(message, address))
    }
    guard !messages.isEmpty else { throw json.wrong("m", "has no messages") }
    var error: I2CError?
    if json.has("e") { error = try I2CError(json.object("e"), messages: messages.count) }
    if error == nil, messages.contains(where: { $0.bytes.count != $0.segment.count }) {
      throw json.wrong("m", "a read lacks its bytes, but the transfer did not fail")
    }
    self.init(
      time: time, duration: duration, bus: bus, messages: messages, error: error)
  }
}

extension TracedMessage {
  fileprivate init(_ json: JSONLine, _ address: I2CAddress) throws(TraceError) {
    let isWrite = json.has("w")
    guard isWrite != json.has("r") else { throw json.wrong("w", "or 'r' must be there, not both") }
    let bytes = try json.bytes(isWrite ? "w" : "r")
    let address = json.has("a") ? try json.address("a") : address
    let flags = json.has("f") ? UInt16(truncatingIfNeeded: try json.word("f")) : 0
    var count = bytes.count
    if json.has("n") {
      count = Int(try json.integer("n", in: 0...8192))
      guard !isWrite, bytes.count <= count else {
        throw json.wrong("n", "is for reads, and no less than their bytes")
      }
    }
    self.init(
      I2CSegment(
        address: address, direction: isWrite ? .write : .read, count: count,
        flags: I2CSegment.Flags(rawValue: flags)), bytes)
  }
}

extension I2CError {
  fileprivate init(_ json: JSONLine, messages: Int) throws(TraceError) {
    let name = try json.text("kind")
    guard let kind = Kind.allCases.first(where: { "\($0.name)" == name }) else {
      throw json.wrong("kind", "'\(name)' is none of \(Kind.allCases.map { "\($0.name)" })")
    }
    let message = Int(try json.integer("message", in: 0...Int64(messages - 1)))
    let byte = json.has("byte") ? Int(try json.integer("byte", in: 0...8191)) : 0
    self.init(kind, message: message, byte: byte, errno: try Self.errno(json))
  }

  private static func errno(_ json: JSONLine) throws(TraceError) -> I2CErrno {
    guard let name = try? json.text("errno") else {
      return I2CErrno(rawValue: Int32(try json.integer("errno", in: 0...4095)))
    }
    for number in 0...200 as ClosedRange<Int32> {
      let errno = I2CErrno(rawValue: number)
      if let known = errno.name, "\(known)" == name { return errno }
    }
    throw json.wrong("errno", "'\(name)' is not known; numbers are")
  }
}

extension TraceHeader {
  init(jsonLine bytes: ArraySlice<UInt8>, isWhole: Bool) throws(TraceError) {
    let json: JSONLine
    do throws(TraceError) {
      json = try JSONLine(bytes, 1)
    } catch {
      throw isWhole ? error : TraceError(.cutOff, line: 1, "the trace was cut off in its header")
    }
    guard json.has("i2ctrace") else {
      throw TraceError(line: 1, "this is no trace: its first line has no 'i2ctrace'")
    }
    let version = try json.integer("i2ctrace", in: 0...Int64.max)
    guard version == Self.version else {
      throw json.wrong("i2ctrace", "version \(version) is not known; this reads version 1")
    }
    var buses: [Bus] = []
    for bus in try json.objects("buses") { buses.append(try Bus(bus)) }
    guard !buses.isEmpty, Set(buses.map(\.number)).count == buses.count else {
      throw json.wrong("buses", "must name at least one bus, and none twice")
    }
    self.init(
      generator: try json.optionalText("generator") ?? "",
      clock: try json.optionalText("clock") ?? "",
      seed: json.has("seed") ? try json.unsigned("seed") : nil,
      start: try json.optionalText("start_utc"),
      rigDigest: try json.optionalText("rig_sha256"), buses: buses,
      note: try json.optionalText("note"))
  }
}

extension TraceHeader.Bus {
  fileprivate init(_ json: JSONLine) throws(TraceError) {
    self.init(number: try json.busNumber("number"))
    if json.has("frequency_hz") {
      frequency = UInt64(try json.integer("frequency_hz", in: 0...100_000_000))
    }
    if json.has("funcs") { functionality = I2CFunctionality(rawValue: try json.word("funcs")) }
    guard json.has("quirks") else { return }
    let limits = try json.object("quirks")
    func limit(_ key: String) throws(TraceError) -> Int {
      limits.has(key) ? Int(try limits.integer(key, in: 0...8192)) : 0
    }
    quirks = I2CQuirks(
      maxReadLength: try limit("max_read"), maxWriteLength: try limit("max_write"),
      maxMessages: try limit("max_messages"),
      maxCombinedWriteLength: try limit("max_combined_write"),
      maxCombinedReadLength: try limit("max_combined_read"),
      noZeroLength: limits.has("no_zero_length"))
  }
}
