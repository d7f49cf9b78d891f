import Rigs
import Support

/// Evaluates a condition on a pin from the changes of its level.
struct PinMeter {
  private let condition: Expectation.PinCondition
  private var isHigh = false
  /// The time of the last change, and that of the last rising edge, in nanoseconds; `nil` before the first.
  private var edge: UInt64?, rise: UInt64?
  /// The length of the last high pulse in nanoseconds.
  private var highTime: UInt64 = 0
  /// The level at the time of the condition, or the time at which the level was reached.
  private var levelAtTime = false, reached: UInt64?
  /// The smallest and the largest measured value, with their times.
  private var low: (value: Double, time: UInt64)?, high: (value: Double, time: UInt64)?
  private var count = 0

  init(_ condition: Expectation.PinCondition) {
    self.condition = condition
    // A pin is low until the first change.
    if case .reached(false, _) = condition.requirement { reached = 0 }
  }

  /// Records a change of any pin.
  mutating func take(_ change: RunEvent.PinChange) {
    guard change.pin == condition.pin, change.isHigh != isHigh else { return }
    isHigh = change.isHigh
    defer { edge = change.time }
    switch condition.requirement {
    case .level(_, let time): if change.time <= time { levelAtTime = isHigh }
    case .reached(let level, _): if isHigh == level, reached == nil { reached = change.time }
    case .pulse(let level, _):
      if isHigh != level, let edge, edge >= condition.after {
        measure(Double(change.time - edge), at: edge)
      }
    case .frequency, .duty:
      guard isHigh else {
        if let edge { highTime = change.time - edge }
        return
      }
      if let rise, rise >= condition.after, change.time > rise {
        let period = Double(change.time - rise)
        let isDuty = if case .duty = condition.requirement { true } else { false }
        measure(isDuty ? Double(highTime) / period * 100 : 1e9 / period, at: rise)
      }
      rise = change.time
    }
  }

  private mutating func measure(_ value: Double, at time: UInt64) {
    count += 1
    if low.map({ value < $0.value }) ?? true { low = (value, time) }
    if high.map({ value > $0.value }) ?? true { high = (value, time) }
  }

  /// The limits of measured values; `nil` for a condition on a level.
  private var limits: ClosedRange<Double>? {
    switch condition.requirement {
    case .level, .reached: nil
    case .frequency(let range), .duty(let range): range
    case .pulse(_, let range): Double(range.lowerBound)...Double(range.upperBound)
    }
  }

  /// The time of the change that decided, in nanoseconds.
  var moment: UInt64? {
    switch condition.requirement {
    case .level(_, let time): return time
    case .reached: return reached
    default:
      guard let limits else { return nil }
      return [low, high].compactMap(\.self).first { !limits.contains($0.value) }?.time
    }
  }

  /// Whether the condition is met, and a description of what was measured.
  var verdict: (Bool, String) {
    switch condition.requirement {
    case .level(let level, _):
      return (levelAtTime == level, "it was \(levelAtTime ? "high" : "low")")
    case .reached(_, let time):
      guard let reached else { return (false, "never") }
      return (time.map { reached <= $0 } ?? true, "at \(Decimal.elapsed(reached))")
    case .frequency: return range("Hz", "periods", 3)
    case .duty: return range("%", "periods", 2)
    case .pulse: return range("ms", "pulses", 6, scale: 1e-6)
    }
  }

  private func range(
    _ unit: String, _ noun: String, _ decimals: Int, scale: Double = 1
  ) -> (Bool, String) {
    guard let low, let high, let limits else { return (false, "no complete \(noun)") }
    func text(_ value: Double) -> String { Decimal.rounded(value * scale, decimals) }
    let bounds =
      low.value == high.value ? text(low.value) : "\(text(low.value)) to \(text(high.value))"
    return (
      limits.contains(low.value) && limits.contains(high.value),
      "\(bounds) \(unit), \(count) \(noun)"
    )
  }
}

/// Evaluates the charge and the memory that firmware used in a run.
struct FirmwareAccount {
  /// The charge of all consumers in µC; `nil` before the first report.
  private var charge: Double?
  private var time: UInt64 = 0
  private var bytes: [FirmwareMemory: Int] = [:]

  /// Records an event of the run.
  mutating func observe(_ event: RunEvent) {
    switch event {
    case .consumption(let part): (charge, time) = ((charge ?? 0) + part.microcoulombs, part.time)
    case .footprint(let report): bytes = report.bytes
    default: break
    }
  }

  /// Evaluates a condition; returns whether it is met and a description of the result, or `nil` for
  /// a condition that concerns neither charge nor memory.
  func judge(_ condition: Expectation.Condition) -> (Bool, String)? {
    switch condition {
    case .energy(let limit, let span):
      guard let charge, time > 0 else { return (false, "no charge was drawn") }
      let taken = span.map { charge / seconds * $0.seconds } ?? charge
      return (taken < limit, "\(Self.hours(taken)) mAh\(span.map { " a \($0.rawValue)" } ?? "")")
    case .battery(let wanted, let capacity):
      guard let charge, time > 0, charge > 0 else { return (false, "no charge was drawn") }
      let days = capacity / charge * seconds / CalendarSpan.day.seconds
      return (
        days * CalendarSpan.day.seconds * 1e9 >= Double(wanted),
        "it lasts \(Decimal.fixed(days, 1)) days"
      )
    case .memory(let memory, let limit):
      guard let taken = bytes[memory] else {
        return (false, "unknown: only an ELF file contains the memory of its variables")
      }
      return (taken < limit, "\(taken) bytes")
    default: return nil
    }
  }

  private var seconds: Double { Double(time) / 1e9 }

  /// Formats a charge in µC as mAh, with about three significant digits.
  private static func hours(_ microcoulombs: Double) -> String {
    let value = microcoulombs / 3.6e6
    return Decimal.fixed(value, value < 0.1 ? 5 : value < 10 ? 3 : 1)
  }
}
