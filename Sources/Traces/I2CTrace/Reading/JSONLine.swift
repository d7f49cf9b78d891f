import I2C
import Text

/// One line of a trace as general JSON, taken apart with the reasons why it cannot be.
struct JSONLine {
  private let object: JSONValue
  let line: Int
  private let place: String

  init(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(TraceError) {
    guard let object = JSONValue(reading: bytes), object.object != nil else {
      throw TraceError(line: line, "this is not a JSON object")
    }
    self.init(object, line, "")
  }

  private init(_ object: JSONValue, _ line: Int, _ place: String) {
    self.object = object
    self.line = line
    self.place = place
  }

  func has(_ key: String) -> Bool { object[key] != nil }

  /// Fails, saying which key.
  func wrong(_ key: String, _ message: String) -> TraceError {
    TraceError(line: line, "\(place)\(key): \(message)")
  }

  /// A whole number in a range.
  func integer(_ key: String, in range: ClosedRange<Int64>) throws(TraceError) -> Int64 {
    guard let value = object[key] else { throw wrong(key, "is missing") }
    guard let exact = value.whole(Int64.self), range.contains(exact) else {
      throw wrong(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return exact
  }

  /// A whole number of 64 bits without a sign.
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

  /// A number in hexadecimal, `"0x76"`.
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

  /// The number of a bus.
  func busNumber(_ key: String) throws(TraceError) -> Int {
    let numbers = I2CBusNumber.all
    return Int(try integer(key, in: Int64(numbers.lowerBound)...Int64(numbers.upperBound)))
  }

  func object(_ key: String) throws(TraceError) -> JSONLine {
    guard let value = object[key], value.object != nil else {
      throw wrong(key, "must be an object")
    }
    return JSONLine(value, line, "\(place)\(key).")
  }

  func objects(_ key: String) throws(TraceError) -> [JSONLine] {
    guard let values = object[key]?.array, values.allSatisfy({ $0.object != nil }) else {
      throw wrong(key, "must be a list of objects")
    }
    return values.enumerated().map { JSONLine($1, line, "\(place)\(key)[\($0)].") }
  }

  /// Bytes in hexadecimal.
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
