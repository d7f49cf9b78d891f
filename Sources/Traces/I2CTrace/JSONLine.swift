import I2C
import Support

/// A line of a trace, parsed as general JSON.
///
/// Each accessor throws an error message if its value is missing or invalid.
struct JSONLine {
  private let object: JSONValue
  let line: Int
  private let path: String

  init(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(TraceError) {
    guard let object = JSONValue(reading: bytes), object.object != nil else {
      throw TraceError(line: line, "this is not a JSON object")
    }
    self.init(object, line, "")
  }

  private init(_ object: JSONValue, _ line: Int, _ path: String) {
    self.object = object
    self.line = line
    self.path = path
  }

  func has(_ key: String) -> Bool { object[key] != nil }

  /// Returns an error message that begins with the path of a key.
  func wrong(_ key: String, _ message: String) -> TraceError {
    TraceError(line: line, "\(path)\(key): \(message)")
  }

  /// Returns the whole number stored under a key, which must be in a range.
  func integer(_ key: String, in range: ClosedRange<Int64>) throws(TraceError) -> Int64 {
    guard let value = object[key] else { throw wrong(key, "is missing") }
    guard let exact = value.whole(Int64.self), range.contains(exact) else {
      throw wrong(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return exact
  }

  /// Returns the unsigned 64-bit number stored under a key.
  func unsigned(_ key: String) throws(TraceError) -> UInt64 {
    guard let value = object[key] else { throw wrong(key, "is missing") }
    guard let exact = value.whole(UInt64.self) else {
      throw wrong(key, "must be a whole number from 0 to \(UInt64.max)")
    }
    return exact
  }

  func text(_ key: String) throws(TraceError) -> String {
    guard let value = object[key] else { throw wrong(key, "is missing") }
    guard let text = value.text else { throw wrong(key, "must be a text") }
    return text
  }

  func optionalText(_ key: String) throws(TraceError) -> String? {
    has(key) ? try text(key) : nil
  }

  /// Returns the number under a key, written in hexadecimal as `"0x76"`.
  func word(_ key: String) throws(TraceError) -> UInt32 {
    let text = try text(key)
    guard text.hasPrefix("0x"), let word = UInt32(text.dropFirst(2), radix: 16) else {
      throw wrong(key, "must be hexadecimal, such as \"0x76\"")
    }
    return word
  }

  func address(_ key: String) throws(TraceError) -> I2CAddress {
    guard let address = I2CAddress(rawValue: UInt16(clamping: try word(key))) else {
      throw wrong(key, "must be an address up to \"0x3ff\"")
    }
    return address
  }

  /// Returns the bus number stored under a key.
  func busNumber(_ key: String) throws(TraceError) -> Int {
    let numbers = I2CBusNumber.all
    return Int(try integer(key, in: Int64(numbers.lowerBound)...Int64(numbers.upperBound)))
  }

  func object(_ key: String) throws(TraceError) -> JSONLine {
    guard let value = object[key], value.object != nil else {
      throw wrong(key, "must be an object")
    }
    return JSONLine(value, line, "\(path)\(key).")
  }

  func objects(_ key: String) throws(TraceError) -> [JSONLine] {
    guard let values = object[key]?.array, values.allSatisfy({ $0.object != nil }) else {
      throw wrong(key, "must be a list of objects")
    }
    return values.enumerated().map { JSONLine($1, line, "\(path)\(key)[\($0)].") }
  }

  /// Returns the bytes under a key, written as hexadecimal digits.
  func bytes(_ key: String) throws(TraceError) -> [UInt8] {
    let digits = Array(try text(key).utf8)
    guard digits.count.isMultiple(of: 2) else {
      throw wrong(key, "has an odd number of hexadecimal digits")
    }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index..<(index + 2)], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), pair.first != "+" else {
        throw wrong(key, "'\(pair)' is not hexadecimal")
      }
      bytes.append(byte)
    }
    return bytes
  }
}

extension TracedTransfer {
  /// Reads a transfer from a line whose keys are in any order.
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
      throw json.wrong("m", "a read has no bytes, although the transfer did not fail")
    }
    self.init(
      time: time, duration: duration, bus: bus, messages: messages, error: error)
  }
}

extension TracedMessage {
  fileprivate init(_ json: JSONLine, _ address: I2CAddress) throws(TraceError) {
    let isWrite = json.has("w")
    guard isWrite != json.has("r") else {
      throw json.wrong("w", "a message needs 'w' or 'r', not both")
    }
    let bytes = try json.bytes(isWrite ? "w" : "r")
    let address = json.has("a") ? try json.address("a") : address
    let flags = json.has("f") ? UInt16(truncatingIfNeeded: try json.word("f")) : 0
    var count = bytes.count
    if json.has("n") {
      count = Int(try json.integer("n", in: 0...8192))
      guard !isWrite, bytes.count <= count else {
        throw json.wrong("n", "is allowed for reads only, and at least their number of bytes")
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
      throw json.wrong(
        "kind",
        "unknown kind '\(name)' (accepted: \(Kind.allCases.map { "\($0.name)" }.joined(separator: ", ")))"
      )
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
    throw json.wrong("errno", "unknown name '\(name)'; use a number")
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
      throw TraceError(line: 1, "this is not a trace: its first line has no 'i2ctrace'")
    }
    let version = try json.integer("i2ctrace", in: 0...Int64.max)
    guard version == Self.version else {
      throw json.wrong("i2ctrace", "unknown version \(version) (accepted: 1)")
    }
    var buses: [Bus] = []
    for bus in try json.objects("buses") { buses.append(try Bus(bus)) }
    guard !buses.isEmpty, Set(buses.map(\.number)).count == buses.count else {
      throw json.wrong("buses", "must list at least one bus, and each bus once")
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
