import I2C
package import I2CTrace
package import Parts
import Support

/// Describes the transfers of a BMP180 in the datasheet's terms.
package struct BMP180Text: TransferText {
  private var pointer: UInt8?
  /// The conversion that the program started last, or `nil` if it has started none since the last reset.
  private var conversion: BMP180Conversion?

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard transfer.error == nil else { return nil }
    var parts: [String] = []
    for message in transfer.messages where !message.bytes.isEmpty {
      let part =
        switch message.segment.direction {
        case .write: written(message.bytes)
        case .read: read(message.bytes).map { "-> " + $0 }
        }
      guard let part else { return nil }
      parts.append(part)
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private mutating func written(_ bytes: [UInt8]) -> String? {
    pointer = bytes[0]
    switch (bytes[0], bytes.count) {
    case (BMP180Register.calibration..<BMP180Register.calibration + 22, 1): return "calibration"
    case (BMP180Register.id, 1): return "id"
    case (BMP180Register.control, 1): return "control"
    case (BMP180Register.data...BMP180Register.data + 2, 1): return "result"
    case (BMP180Register.reset, 2) where bytes[1] == BMP180Register.resetCommand:
      conversion = nil
      return "reset"
    case (BMP180Register.control, 2):
      guard let conversion = BMP180Conversion(command: bytes[1]) else { break }
      self.conversion = conversion
      switch conversion {
      case .temperature: return "convert temperature"
      case .pressure(let oversampling): return "convert pressure, x\(oversampling.samples)"
      }
    default: break
    }
    pointer = nil
    return nil
  }

  private mutating func read(_ bytes: [UInt8]) -> String? {
    guard let start = pointer else { return nil }
    pointer = start &+ UInt8(truncatingIfNeeded: bytes.count)
    switch start {
    case BMP180Register.id where bytes.count == 1:
      return bytes[0] == BMP180Register.idValue ? "0x55" : nil
    case BMP180Register.control:
      let state = bytes[0] & BMP180Conversion.startBit == 0 ? "idle" : "converting"
      return bytes.count < 4 ? state : "\(state), \(code(Array(bytes.dropFirst(2))))"
    case BMP180Register.data where (2...3).contains(bytes.count): return code(bytes)
    case BMP180Register.data...BMP180Register.data + 2 where bytes.count == 1:
      return "0x" + Hexadecimal.digits(bytes[0])
    case BMP180Register.calibration..<BMP180Register.calibration + 22:
      return bytes.count > 2
        ? "byte".counted(bytes.count) : "0x" + bytes.map { Hexadecimal.digits($0) }.joined()
    default: return nil
    }
  }

  private func code(_ bytes: [UInt8]) -> String {
    let low = bytes.count > 2 ? bytes[2] : 0
    guard let conversion else { return "0x" + bytes.map { Hexadecimal.digits($0) }.joined() }
    let name = conversion == .temperature ? "UT" : "UP"
    return "\(name) \(conversion.code(bytes[0], bytes[1], low))"
  }
}

/// Detects protocol errors of a program that communicates with a BMP180.
///
/// The errors are results read before the conversion has finished, results read without a conversion, and
/// conversions started while another one is running.
package struct BMP180Listener: PartListener {
  /// The message for one kind of protocol error, and its number of occurrences.
  private struct ProtocolError {
    var sentence: String
    var count = 0
  }

  /// The conversion that was started last, with the time at which its command ended, in nanoseconds.
  private var conversion: (kind: BMP180Conversion, start: UInt64)?
  /// `true` if the program has read SCO as 0 since it started the conversion.
  private var hasSeenEnd = false
  private var pointer: UInt8 = 0
  /// Results read before the conversion has finished, which is the worst error; `unasked` counts results read without
  /// a conversion.
  private var early = ProtocolError(sentence: ""), unasked = ProtocolError(sentence: "")
  /// Conversions started while another one was running, which is the least serious error.
  private var hurried = ProtocolError(sentence: "")

  private var unanswered = UnansweredReads()

  package init() {}

  package mutating func take(_ transfer: TracedTransfer) {
    if transfer.isNotAcknowledged { unanswered.notAcknowledged(at: transfer.time) }
    guard transfer.error == nil else { return }
    unanswered.acknowledged()
    for message in transfer.messages where !message.bytes.isEmpty {
      switch message.segment.direction {
      case .write: written(message.bytes, transfer)
      case .read: read(message.bytes, transfer.time)
      }
    }
  }

  private mutating func written(_ bytes: [UInt8], _ transfer: TracedTransfer) {
    pointer = bytes[0]
    guard bytes.count > 1 else { return }
    let end = transfer.time + transfer.duration
    switch bytes[0] {
    case BMP180Register.reset where bytes[1] == BMP180Register.resetCommand:
      (conversion, hasSeenEnd) = (nil, false)
      unanswered.begin("the reset", at: end, longest: BMP180Figures.startTime)
    case BMP180Register.control:
      guard let kind = BMP180Conversion(command: bytes[1]) else { return }
      if let conversion, !hasSeenEnd, end < conversion.start + conversion.kind.longestTime {
        Self.note(&hurried, "a conversion is started while another one is running")
      }
      (conversion, hasSeenEnd) = ((kind, end), false)
    default: break
    }
  }

  private mutating func read(_ bytes: [UInt8], _ time: UInt64) {
    let first = Int(pointer)
    let last = first + bytes.count - 1
    pointer = UInt8(truncatingIfNeeded: last + 1)
    let control = Int(BMP180Register.control)
    if (first...last).contains(control),
      bytes[control - first] & BMP180Conversion.startBit == 0
    {
      hasSeenEnd = true
    }
    // A read that starts before the chip id register dumps all registers, so it is not a read of a result.
    guard first >= Int(BMP180Register.id), (first...last).contains(Int(BMP180Register.data)) else {
      return
    }
    guard let conversion else {
      return Self.note(&unasked, "a result is read although no conversion was started")
    }
    let elapsed = time - min(conversion.start, time)
    guard !hasSeenEnd, elapsed < conversion.kind.longestTime else { return }
    func milliseconds(_ nanoseconds: UInt64) -> String {
      Decimal.fixed(Double(nanoseconds) / 1e6, 1)
    }
    Self.note(
      &early,
      "the result is read \(milliseconds(elapsed)) ms after the start of its conversion, which takes up to "
        + "\(milliseconds(conversion.kind.longestTime)) ms")
  }

  /// Counts an error, and keeps the message of the first occurrence.
  private static func note(_ error: inout ProtocolError, _ sentence: String) {
    if error.count == 0 { error.sentence = sentence }
    error.count += 1
  }

  package mutating func warning() -> PartWarning? {
    let made = [early, unasked, hurried].filter { $0.count > 0 }
    guard let worst = made.first else { return unanswered.warning() }
    let times = worst.count == 1 ? "once" : "\(worst.count) times"
    return PartWarning(
      "\(worst.sentence) (\(times))", others: made.count - 1, isExplained: false)
  }
}
