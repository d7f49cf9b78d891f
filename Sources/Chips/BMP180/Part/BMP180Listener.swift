import I2C
package import I2CTrace
package import Parts
import Text

/// Listens to what a program does wrong with a BMP180: it reads a result before the conversion is over, or none was asked for.
package struct BMP180Listener: PartListener {
  /// A kind of mistake: how it is told, and how often it was made.
  private struct Mistake {
    var sentence: String
    var count = 0
  }

  /// The conversion that runs or was the last, and when it was asked for, in nanoseconds.
  private var conversion: (kind: BMP180Conversion, start: UInt64)?
  /// Whether the bit SCO has said that it is over.
  private var hasSeenEnd = false
  private var pointer: UInt8 = 0
  /// Results that were read too early, those that nobody asked for, and commands during a conversion; the worst first.
  private var early = Mistake(sentence: ""), unasked = Mistake(sentence: "")
  private var hurried = Mistake(sentence: "")

  private var unanswered = UnansweredReads()

  /// Creates a listener.
  package init() {}

  package mutating func take(_ transfer: TracedTransfer) {
    if transfer.isRefused { unanswered.refused(at: transfer.time) }
    guard transfer.error == nil else { return }
    unanswered.answered()
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
      unanswered.begin("its reset", at: end, longest: BMP180Figures.startTime)
    case BMP180Register.control:
      guard let kind = BMP180Conversion(command: bytes[1]) else { return }
      if let conversion, !hasSeenEnd, end < conversion.start + conversion.kind.longestTime {
        Self.note(&hurried, "a conversion is asked for while another runs")
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
    // A dump of all registers takes no result.
    guard first >= Int(BMP180Register.id), (first...last).contains(Int(BMP180Register.data)) else {
      return
    }
    guard let conversion else {
      return Self.note(&unasked, "a result is read, and no conversion was asked for")
    }
    let elapsed = time - min(conversion.start, time)
    guard !hasSeenEnd, elapsed < conversion.kind.longestTime else { return }
    func told(_ nanoseconds: UInt64) -> String { Decimal.fixed(Double(nanoseconds) / 1e6, 1) }
    Self.note(
      &early,
      "the result is read \(told(elapsed)) ms after its conversion was asked for, up to "
        + "\(told(conversion.kind.longestTime)) ms are needed")
  }

  /// Counts a mistake; the first stands for all.
  private static func note(_ mistake: inout Mistake, _ sentence: String) {
    if mistake.count == 0 { mistake.sentence = sentence }
    mistake.count += 1
  }

  package mutating func remark() -> PartRemark? {
    let made = [early, unasked, hurried].filter { $0.count > 0 }
    guard let worst = made.first else { return unanswered.remark() }
    let times = worst.count == 1 ? "once" : "\(worst.count) times"
    return PartRemark(
      "\(worst.sentence) (\(times))", others: made.count - 1, isExplained: false)
  }
}
