import Text

/// Takes packets of GDB's remote serial protocol out of bytes ("Debugging with GDB", appendix E).
struct GDBPacketReader {
  /// What has come.
  enum Item: Equatable {
    /// A packet with a right checksum.
    case packet([UInt8])
    /// A packet whose checksum is wrong.
    case damaged
    /// The user wants the program to stop: a byte of 3.
    case interrupt
  }

  /// Longer packets are thrown away.
  static let longest = 1 << 14

  private enum State { case outside, content, first, second }

  private var state = State.outside
  private var content: [UInt8] = []
  private var sum: UInt8 = 0
  private var given: UInt8 = 0
  private var isEscaped = false

  /// Takes a byte; returns what it completes.
  mutating func take(_ byte: UInt8) -> Item? {
    switch state {
    case .outside:
      if byte == 3 { return .interrupt }
      if byte == UInt8(ascii: "$") { begin() }
    case .content:
      takeContent(byte)
    case .first:
      given = Hexadecimal.value(byte).map { $0 << 4 } ?? 0
      state = Hexadecimal.value(byte) == nil ? .outside : .second
      if state == .outside { return .damaged }
    case .second:
      state = .outside
      guard let digit = Hexadecimal.value(byte), given | digit == sum else { return .damaged }
      return .packet(content)
    }
    return nil
  }

  private mutating func begin() {
    state = .content
    content.removeAll(keepingCapacity: true)
    (sum, isEscaped) = (0, false)
  }

  private mutating func takeContent(_ byte: UInt8) {
    if byte == UInt8(ascii: "#") {
      state = .first
    } else if byte == UInt8(ascii: "$"), !isEscaped {
      begin()
    } else {
      sum &+= byte
      if isEscaped {
        content.append(byte ^ 0x20)
        isEscaped = false
      } else if byte == UInt8(ascii: "}") {
        isEscaped = true
      } else {
        content.append(byte)
      }
      if content.count > Self.longest { state = .outside }
    }
  }

  /// A packet with its frame, as it is sent.
  static func framed(_ content: String) -> [UInt8] {
    var framed: [UInt8] = [UInt8(ascii: "$")]
    var sum: UInt8 = 0
    for byte in content.utf8 {
      let isSpecial = byte == 0x23 || byte == 0x24 || byte == 0x7D || byte == 0x2A
      for sent in isSpecial ? [0x7D, byte ^ 0x20] : [byte] {
        framed.append(sent)
        sum &+= sent
      }
    }
    let digits = Array("0123456789abcdef".utf8)
    return framed + [UInt8(ascii: "#"), digits[Int(sum >> 4)], digits[Int(sum & 15)]]
  }
}
