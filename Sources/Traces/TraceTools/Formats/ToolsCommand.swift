import I2C
import I2CTrace

/// A command of i2c-tools and its transfers.
struct ToolsCommand {
  /// The ways in which registers are read.
  enum Access: Hashable {
    /// The register is written, and one byte is read in the same transfer.
    case byte
    /// The register is written, and two bytes are read in the same transfer, the low byte first.
    case word
    /// The register is written alone, and a byte is read in a separate transfer; i2cdump reads one
    /// byte after another.
    case consecutive
    /// The register is written, and a fixed number of bytes is read in the same transfer.
    case block
    /// The register is written; a count and that many bytes are read in the same transfer.
    case smbusBlock
  }

  /// The transfers that a command requests.
  enum Action {
    /// One transfer with these messages. The command prints the bytes read.
    case messages([TracedMessage])
    /// A read by i2cget, at the current register pointer if `register` is `nil`.
    case get(I2CAddress, register: UInt8?, Access)
    /// A dump of all registers by i2cdump.
    case dump(I2CAddress, Access)
  }

  let bus: Int
  let action: Action

  /// Parses the command in a line of a shell log, after any prompt; returns `nil` if the line
  /// contains none.
  init?(_ text: String, _ line: Int) throws(TraceError) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard
      let index = words.firstIndex(where: { word in
        ["i2ctransfer", "i2cget", "i2cset", "i2cdump"].contains(word.split(separator: "/").last)
      })
    else { return nil }
    var arguments = ToolsArguments(words[(index + 1)...], line)
    bus = try arguments.bus()
    switch words[index].split(separator: "/").last {
    case "i2ctransfer": action = .messages(try arguments.messages())
    case "i2cset": action = .messages(try arguments.setting())
    case "i2cget":
      let address = try arguments.address()
      let register = arguments.isEmpty ? nil : try arguments.byte()
      action = .get(address, register: register, try arguments.access())
    default: action = .dump(try arguments.address(), try arguments.access())
    }
  }

  /// Creates the i2cdump command for a table of registers that was logged without its command.
  init(dumpOf address: I2CAddress, bus: Int) {
    self.bus = bus
    action = .dump(address, .byte)
  }
}

/// The arguments of a command, which are consumed one by one.
private struct ToolsArguments {
  private var words: [Substring]
  private let line: Int

  init(_ words: ArraySlice<Substring>, _ line: Int) {
    self.line = line
    // A comment or redirection ends the command. Options are skipped; the values of -r and -m are
    // skipped too.
    let end = words.firstIndex {
      "#|>;&2".contains($0.first ?? "#") && CaptureText.integer($0) == nil
    }
    let own = words[..<(end ?? words.endIndex)]
    self.words = own.enumerated().filter { index, word in
      let before = index > 0 ? own[own.startIndex + index - 1] : ""
      return !word.hasPrefix("-")
        && !(["-r", "-m"].contains(before) && (word.contains("-") || before == "-m"))
    }.map(\.element)
  }

  var isEmpty: Bool { words.isEmpty }

  private mutating func next(_ what: String) throws(TraceError) -> Substring {
    guard !words.isEmpty else { throw TraceError(line: line, "the command lacks its \(what)") }
    return words.removeFirst()
  }

  mutating func bus() throws(TraceError) -> Int {
    let word = try next("bus")
    let digits = word.hasPrefix("i2c-") ? word.dropFirst(4) : word
    guard let bus = CaptureText.integer(digits), (0...255).contains(bus) else {
      throw TraceError(line: line, "bus '\(word)': a number is needed, not the name of an adapter")
    }
    return bus
  }

  mutating func address() throws(TraceError) -> I2CAddress {
    let word = try next("address")
    guard let address = CaptureText.integer(word).flatMap(CaptureText.address) else {
      throw TraceError(line: line, "'\(word)' is not an address")
    }
    return address
  }

  mutating func byte() throws(TraceError) -> UInt8 {
    let word = try next("value")
    guard let byte = CaptureText.integer(word).flatMap(UInt8.init(exactly:)) else {
      throw TraceError(line: line, "'\(word)' is not a byte")
    }
    return byte
  }

  /// Returns the access mode, which is the last argument.
  ///
  /// Default: single bytes.
  mutating func access() throws(TraceError) -> ToolsCommand.Access {
    guard let word = words.first else { return .byte }
    words.removeFirst()
    switch word {
    case "b": return .byte
    case "w", "W": return .word
    case "c": return .consecutive
    case "i": return .block
    case "s": return .smbusBlock
    default: throw TraceError(line: line, "unknown mode '\(word)' (accepted: b, w, W, c, i, s)")
    }
  }

  /// Returns the messages of i2cset.
  mutating func setting() throws(TraceError) -> [TracedMessage] {
    let address = try address()
    var bytes = [try byte()]
    let mode = words.last.flatMap { CaptureText.integer($0) == nil ? words.popLast() : nil }
    var values: [Int] = []
    for word in words {
      guard let value = CaptureText.integer(word), (0...0xFFFF).contains(value) else {
        throw TraceError(line: line, "'\(word)' is not a value")
      }
      values.append(value)
    }
    switch mode {
    case "w":
      for value in values { bytes += [UInt8(value & 0xFF), UInt8(value >> 8)] }
    case nil, "b", "c", "i", "s":
      if mode == "s" { bytes.append(UInt8(clamping: values.count)) }
      bytes += values.map { UInt8(truncatingIfNeeded: $0) }
    default:
      throw TraceError(line: line, "unknown mode '\(mode ?? "")' (accepted: b, w, c, i, s)")
    }
    return [TracedMessage(.write(bytes.count, to: address), bytes)]
  }

  /// Returns the messages of i2ctransfer, written as `w1@0x76 0xd0 r1`.
  mutating func messages() throws(TraceError) -> [TracedMessage] {
    var messages: [TracedMessage] = []
    while !words.isEmpty {
      let word = words.removeFirst()
      let parts = word.dropFirst().split(separator: "@", omittingEmptySubsequences: false)
      let target =
        parts.count == 2
        ? CaptureText.integer(parts[1]).flatMap(CaptureText.address)
        : messages.last?.segment.address
      guard "rw".contains(word.first ?? " "), (1...2).contains(parts.count), let target,
        let count = CaptureText.integer(parts[0]), (0...8192).contains(count)
      else { throw TraceError(line: line, "'\(word)' is not a message such as w1@0x76 or r8") }
      let isWrite = word.first == "w"
      let flags: I2CSegment.Flags = target.rawValue > 0x7F ? .tenBit : []
      messages.append(
        TracedMessage(
          I2CSegment(
            address: target, direction: isWrite ? .write : .read, count: count, flags: flags),
          isWrite ? try data(count) : []))
    }
    guard !messages.isEmpty else { throw TraceError(line: line, "the command has no messages") }
    return messages
  }

  /// Returns the bytes of a message.
  ///
  /// A suffix `=`, `+` or `-` of the last byte fills the rest of the message with equal, increasing
  /// or decreasing bytes.
  private mutating func data(_ count: Int) throws(TraceError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let word = try next("data")
      let suffix = word.last.flatMap { "=+-p".contains($0) ? $0 : nil }
      guard
        let byte = CaptureText.integer(suffix == nil ? word : word.dropLast())
          .flatMap(UInt8.init(exactly:)), suffix != "p"
      else { throw TraceError(line: line, "'\(word)' is not a byte") }
      bytes.append(byte)
      guard let suffix else { continue }
      let step: UInt8 = suffix == "+" ? 1 : suffix == "-" ? 0xFF : 0
      while bytes.count < count { bytes.append(bytes[bytes.count - 1] &+ step) }
    }
    return bytes
  }
}
