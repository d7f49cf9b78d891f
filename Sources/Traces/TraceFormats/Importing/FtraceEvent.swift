import I2C
import I2CTrace
import Text

/// An i2c or smbus event of Linux ftrace, as its line prints it (include/trace/events/i2c.h and smbus.h).
struct FtraceEvent {
  /// The protocols of SMBus, as the events name them.
  enum SMBusProtocol: String {
    case quick = "QUICK"
    case byte = "BYTE"
    case byteData = "BYTE_DATA"
    case wordData = "WORD_DATA"
    case processCall = "PROC_CALL"
    case blockData = "BLOCK_DATA"
    case blockProcessCall = "BLOCK_PROC_CALL"
    case i2cBlockData = "I2C_BLOCK_DATA"
  }

  private static let names = [
    "i2c_write", "i2c_read", "i2c_reply", "i2c_result",
    "smbus_write", "smbus_read", "smbus_reply", "smbus_result",
  ]

  let name: String
  /// In nanoseconds of the tracing clock.
  let time: Int64
  let bus: Int
  private let words: [Substring]
  private let line: Int

  /// Reads a line, or `nil` where it is no such event.
  init?(_ text: String, _ line: Int) throws(TraceError) {
    guard let (name, start) = Self.event(in: text) else { return nil }
    let head = text[..<start].split(separator: " ").last {
      !$0.hasSuffix("bus:") && $0 != "i2c:"
    }
    guard let stamp = head, stamp.hasSuffix(":"),
      let time = CaptureText.nanoseconds(stamp.dropLast())
    else { throw TraceError(line: line, "the event lacks its time") }
    let words = text[start...].split(separator: " ")
    guard words.count > 1, let bus = Int(words[1].dropFirst(4)), (0...255).contains(bus) else {
      throw TraceError(line: line, "the event names no bus")
    }
    (self.name, self.time, self.bus, self.words, self.line) = (name, time, bus, words, line)
  }

  /// The event of a line and the start of its name: `i2c_write: i2c-1`, or `i2c_write:   i2c-1` as
  /// trace-cmd report aligns it; behind a space, or a colon where the group is named.
  private static func event(in text: String) -> (name: String, start: String.Index)? {
    for name in names {
      for place in text.ranges(of: "\(name):") {
        let isWhole = text[..<place.lowerBound].last.map { $0 == " " || $0 == ":" } ?? false
        let rest = text[place.upperBound...]
        let bus = rest.drop { $0 == " " }
        if isWhole, bus.startIndex > rest.startIndex, bus.hasPrefix("i2c-") {
          return (name, place.lowerBound)
        }
      }
    }
    return nil
  }

  /// The value of a field such as `a=076`.
  private func field(_ key: String, radix: Int) throws(TraceError) -> Int {
    guard let word = words.first(where: { $0.hasPrefix(key) }),
      let value = Int(word.dropFirst(key.count), radix: radix)
    else { throw TraceError(line: line, "\(name) lacks \(key)") }
    return value
  }

  /// `#1`: the place of the message in its transfer.
  var index: Int { get throws(TraceError) { try field("#", radix: 10) } }
  /// `ret=2`: the messages that were done, or an error number below 0.
  var result: Int { get throws(TraceError) { try field("ret=", radix: 10) } }
  /// `res=0`: 0, or an error number below 0.
  var smbusResult: Int { get throws(TraceError) { try field("res=", radix: 10) } }
  /// `c=d0`: the command of SMBus.
  var command: UInt8 {
    get throws(TraceError) { UInt8(truncatingIfNeeded: try field("c=", radix: 16)) }
  }

  /// The message without its bytes.
  func segment(_ direction: I2CSegment.Direction) throws(TraceError) -> I2CSegment {
    let flags = UInt16(truncatingIfNeeded: try field("f=", radix: 16)) & ~1
    return I2CSegment(
      address: try address, direction: direction, count: try length,
      flags: I2CSegment.Flags(rawValue: flags))
  }

  /// `l=2`: how many bytes.
  private var length: Int {
    get throws(TraceError) {
      let length = try field("l=", radix: 10)
      guard (0...0xFFFF).contains(length) else {
        throw TraceError(line: line, "l=\(length) is no length")
      }
      return length
    }
  }

  var address: I2CAddress {
    get throws(TraceError) {
      guard let address = CaptureText.address(try field("a=", radix: 16)) else {
        throw TraceError(line: line, "the address is above 0x3ff")
      }
      return address
    }
  }

  var smbusProtocol: SMBusProtocol {
    get throws(TraceError) {
      for word in words {
        if let found = SMBusProtocol(rawValue: String(word)) { return found }
      }
      throw TraceError(line: line, "the event names no protocol of SMBus that is known")
    }
  }

  /// `[d0-60]`: the bytes.
  var bytes: [UInt8] {
    get throws(TraceError) {
      guard let word = words.last, word.hasPrefix("["), word.hasSuffix("]") else {
        throw TraceError(line: line, "\(name) lacks its bytes")
      }
      var bytes: [UInt8] = []
      for digits in word.dropFirst().dropLast().split(separator: "-") {
        guard digits.count == 2, let byte = CaptureText.byte(digits) else {
          throw TraceError(line: line, "'\(digits)' is no byte in hexadecimal")
        }
        bytes.append(byte)
      }
      let count = try length
      guard bytes.count == count else {
        let reason = count > 64 ? "; the kernel prints 64 at most" : ""
        throw TraceError(line: line, "\("byte".counted(bytes.count)) where l=\(count)\(reason)")
      }
      return bytes
    }
  }
}
