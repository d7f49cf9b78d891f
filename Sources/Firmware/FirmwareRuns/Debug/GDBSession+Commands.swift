import Cores
import Machines
import Text

/// What GDB asks for, and the answers.
extension GDBSession {
  /// The answer to a packet; `nil` where it comes when the program stops, or never.
  func answer(_ packet: String) -> String? {
    guard let first = packet.utf8.first else { return "" }
    let rest = packet.dropFirst()
    switch first {
    case UInt8(ascii: "?"): return lastStop
    case UInt8(ascii: "g"): return allRegisters
    case UInt8(ascii: "G"): return setAllRegisters(rest)
    case UInt8(ascii: "p"):
      guard let number = Int(rest, radix: 16), registers.entries.indices.contains(number) else {
        return "E01"
      }
      return registerText(number)
    case UInt8(ascii: "P"): return set(rest)
    case UInt8(ascii: "m"): return read(rest)
    case UInt8(ascii: "M"): return write(rest)
    case UInt8(ascii: "c"): return goOn(from: rest) { goOn() }
    case UInt8(ascii: "s"): return goOn(from: rest) { stepOn() }
    case UInt8(ascii: "Z"): return insert(rest)
    case UInt8(ascii: "z"): return remove(rest)
    case UInt8(ascii: "H"): return select(rest)
    case UInt8(ascii: "T"): return isAlive(rest)
    case UInt8(ascii: "D"):
      isDetached = true
      return "OK"
    case UInt8(ascii: "k"):
      finish(run.interrupted, isTold: false)
      return nil
    case UInt8(ascii: "!"): return "OK"
    case UInt8(ascii: "R"):
      restart()
      return nil
    case UInt8(ascii: "q"): return query(rest)
    case UInt8(ascii: "v"): return verb(rest)
    default: return ""
    }
  }

  private func verb(_ text: Substring) -> String? {
    if text == "Cont?" { return "vCont;c;C;s;S" }
    if text.hasPrefix("Kill") {
      finish(run.interrupted, isTold: false)
      return "OK"
    }
    if text.hasPrefix("Flash") { return flash(text.dropFirst(5)) }
    guard text.hasPrefix("Cont;") else { return "" }
    switch text.dropFirst(5).first {
    case "c", "C": return goOn(from: "") { goOn() }
    case "s", "S": return goOn(from: "") { stepOn() }
    default: return "E01"
    }
  }

  /// Goes on, at an address where one is given.
  private func goOn(from text: Substring, _ move: () -> Void) -> String? {
    if !text.isEmpty {
      guard let address = UInt32(text, radix: 16) else { return "E01" }
      machine.core.programCounter = address
    }
    move()
    return nil
  }

  // MARK: Queries

  private func query(_ text: Substring) -> String {
    if text.hasPrefix("Supported") {
      return "PacketSize=\(String(GDBPacketReader.longest - 16, radix: 16));qXfer:features:read+;"
        + "QStartNoAckMode+;hwbreak+;vContSupported+;qXfer:memory-map:read+"
    }
    if text.hasPrefix("Xfer:features:read:target.xml:") {
      return piece(of: registers.description, text.dropFirst(30))
    }
    if text.hasPrefix("Xfer:memory-map:read::") { return piece(of: memoryMap, text.dropFirst(22)) }
    if text.hasPrefix("Rcmd,") { return command(text.dropFirst(5)) }
    if let answer = threadQuery(text) { return answer }
    switch text {
    case "Attached": return "1"
    case "Symbol::": return "OK"
    default: return ""
    }
  }

  /// A piece of a document: where it begins and how long it may be, in hexadecimal.
  private func piece(of document: String, _ text: Substring) -> String {
    let numbers = text.split(separator: ",").map { Int($0, radix: 16) }
    guard numbers.count == 2, let start = numbers[0], let count = numbers[1], start >= 0,
      count >= 0
    else { return "E01" }
    let bytes = Array(document.utf8)
    guard start < bytes.count else { return "l" }
    let end = min(start &+ min(count, 2048), bytes.count)
    let part = String(decoding: bytes[start..<end], as: UTF8.self)
    return (end == bytes.count ? "l" : "m") + part
  }

  // MARK: Registers

  private func set(_ text: Substring) -> String {
    let parts = text.split(separator: "=")
    guard parts.count == 2, let number = Int(parts[0], radix: 16),
      registers.entries.indices.contains(number), let bytes = decoded(parts[1]),
      setRegister(number, bytes)
    else { return "E01" }
    return "OK"
  }

  // MARK: Breakpoints and watchpoints

  /// A kind, an address and a length.
  private func place(_ text: Substring) -> (kind: Int, address: UInt32, count: UInt32)? {
    let numbers = text.prefix { $0 != ";" }.split(separator: ",").map { UInt32($0, radix: 16) }
    guard numbers.count == 3, let kind = numbers[0], let address = numbers[1],
      let count = numbers[2], kind < 5
    else { return nil }
    return (Int(kind), address, count)
  }

  private func insert(_ text: Substring) -> String {
    guard let (kind, address, count) = place(text) else { return "E01" }
    if kind < 2 {
      machine.breakpoints.insert(address)
      return "OK"
    }
    // Where the core does not watch, GDB does, an instruction at a time.
    guard let watchpoints = machine.watchpoints else { return "" }
    guard (1...4096).contains(count) else { return "E01" }
    watchpoints.insert(stretch(kind, address, count))
    watched.insert(stretch(kind, address, count))
    return "OK"
  }

  /// What is watched: GDB's kinds are 2 for stores, 3 for loads, 4 for both.
  private func stretch(_ kind: Int, _ address: UInt32, _ count: UInt32) -> Watchpoints.Stretch {
    Watchpoints.Stretch(address: address, count: count, onLoad: kind != 2, onStore: kind != 3)
  }

  private func remove(_ text: Substring) -> String {
    guard let (kind, address, count) = place(text) else { return "E01" }
    if kind < 2 {
      machine.breakpoints.remove(address)
      return "OK"
    }
    if watched.remove(stretch(kind, address, count)) != nil {
      machine.watchpoints?.remove(stretch(kind, address, count))
    }
    return "OK"
  }

  // MARK: Digits

  func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(Hexadecimal.digits).joined() }

  func decoded(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map(Hexadecimal.value)
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)
    }
  }
}
