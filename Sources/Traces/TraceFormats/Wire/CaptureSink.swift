import I2C
import I2CTrace

/// Where the transfers of a capture go: it gives them times since the start, and counts what could not
/// become a transfer.
struct CaptureSink {
  /// What of a capture is no transfer and is left out.
  enum Omission: String, CaseIterable {
    case emptyStart = "starts with nothing behind them"
    case strayByte = "bytes outside a transfer or behind a NACK"
    case strayStop = "stops without a start"
    case cutOffTransfer = "transfers that the capture cut off"
    case silentCommand = "commands whose output is missing or was not understood"
    case lostEvent = "transfers of which events are missing"
  }

  /// The line of the capture that is being read, from 1.
  var line = 0
  /// How often what was left out.
  private(set) var omissions: [Omission: Int] = [:]
  /// The buses that were seen.
  private(set) var buses: Set<Int> = []
  /// How many transfers there were.
  private(set) var count = 0

  /// Whether any transfer came with a time of its own.
  private(set) var hasTimes = false

  private let frequency: UInt64
  private let take: (TracedTransfer) -> Void
  private var origin: Int64?
  private var last: UInt64 = 0
  private var end: UInt64 = 0

  /// Creates a sink; durations that the capture does not know follow from the frequency in Hz.
  init(frequency: UInt64, take: @escaping (TracedTransfer) -> Void) {
    self.frequency = frequency
    self.take = take
  }

  /// Lets time pass that the capture speaks of.
  mutating func rest(nanoseconds: Int64) { end &+= UInt64(max(nanoseconds, 0)) }

  mutating func leaveOut(_ omission: Omission) { omissions[omission, default: 0] += 1 }

  /// Takes a transfer; where its times are not known it follows the one before.
  mutating func emit(
    _ messages: [TracedMessage], error: I2CError? = nil, bus: Int, from begin: Int64? = nil,
    until stop: Int64? = nil
  ) throws(TraceError) {
    var transfer = TracedTransfer(
      time: end, duration: 0, bus: bus, messages: messages, error: error)
    if let begin {
      hasTimes = true
      let start = origin ?? begin
      origin = start
      let (time, overflow) = begin.subtractingReportingOverflow(start)
      guard !overflow, time >= Int64(clamping: last) else {
        throw TraceError(line: line, "the time goes back; lines are missing or reordered")
      }
      transfer.time = UInt64(time)
    }
    if let begin, let stop, stop >= begin {
      transfer.duration = UInt64(stop.subtractingReportingOverflow(begin).partialValue.magnitude)
    } else {
      transfer.duration = transfer.bits * 1_000_000_000 / frequency
    }
    last = transfer.time
    end = transfer.time &+ transfer.duration
    buses.insert(bus)
    count += 1
    take(transfer)
  }
}
