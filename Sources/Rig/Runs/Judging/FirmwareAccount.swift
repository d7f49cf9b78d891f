import Rigs
import Text

/// What firmware took in a run, and whether that is as little as was expected.
struct FirmwareAccount {
  /// The charge of all consumers in µC; `nil` before anybody has told of one.
  private var charge: Double?
  private var time: UInt64 = 0
  private var bytes: [FirmwareMemory: Int] = [:]

  /// Takes an event of the run.
  mutating func observe(_ event: RunEvent) {
    switch event {
    case .consumption(let part): (charge, time) = ((charge ?? 0) + part.microcoulombs, part.time)
    case .footprint(let report): bytes = report.bytes
    default: break
    }
  }

  /// Whether a condition is met, and how it stands; `nil` for one that is about something else.
  func judge(_ condition: Expectation.Condition) -> (Bool, String)? {
    switch condition {
    case .energy(let limit, let span):
      guard let charge, time > 0 else { return (false, "nothing took any charge") }
      let taken = span.map { charge / seconds * $0.seconds } ?? charge
      return (taken < limit, "\(Self.hours(taken)) mAh\(span.map { " a \($0.rawValue)" } ?? "")")
    case .battery(let wanted, let capacity):
      guard let charge, time > 0, charge > 0 else { return (false, "nothing took any charge") }
      let days = capacity / charge * seconds / CalendarSpan.day.seconds
      return (
        days * CalendarSpan.day.seconds * 1e9 >= Double(wanted),
        "it lasts \(Decimal.fixed(days, 1)) days"
      )
    case .memory(let memory, let limit):
      guard let taken = bytes[memory] else {
        return (false, "nobody knows: only an ELF says where its variables are")
      }
      return (taken < limit, "\(taken) bytes")
    default: return nil
    }
  }

  private var seconds: Double { Double(time) / 1e9 }

  /// A charge in µC as mA h, with three digits that count.
  private static func hours(_ microcoulombs: Double) -> String {
    let value = microcoulombs / 3.6e6
    return Decimal.fixed(value, value < 0.1 ? 5 : value < 10 ? 3 : 1)
  }
}
