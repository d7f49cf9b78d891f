import Schema

/// What is expected of what firmware takes: of a battery, and of memory.
extension RigReader {
  mutating func energy(_ value: CheckedValue) -> [(Expectation.Condition, String)] {
    var found: [(Expectation.Condition, String)] = []
    if let below = value["below"], let charge = below.number {
      let span = value["per"]?.text.flatMap(CalendarSpan.init)
      found.append(
        (
          .energy(below: charge, per: span),
          "less than \(below.written.map(spaced) ?? "") is taken"
            + (span.map { " in a mean \($0.rawValue)" } ?? "")
        ))
    } else if value["per"] != nil {
      checker.note("'per' goes with 'below'", at: value.position)
    }
    if let lasts = value["lasts"]?.nanoseconds.map(UInt64.init) {
      let capacity = value["on"]?.number ?? Self.coinCell
      let name = value["on"]?.written.map(spaced) ?? "225 mAh"
      found.append(
        (
          .battery(lasts: lasts, on: capacity),
          "a battery of \(name) lasts \(value["lasts"]?.written.map(spaced) ?? "")"
        ))
    } else if value["on"] != nil {
      checker.note("'on' goes with 'lasts'", at: value.position)
    }
    if found.isEmpty { checker.note("expects nothing: say 'below' or 'lasts'", at: value.position) }
    return found
  }

  /// What a CR2032 holds by its data sheets: 225 mA h, in µC.
  private static var coinCell: Double { 225 * 3.6e6 }

  mutating func memory(_ that: String, _ value: CheckedValue) -> [(Expectation.Condition, String)] {
    guard let memory = FirmwareMemory(rawValue: that), let below = value["below"],
      let size = below.number
    else { return [] }
    let (name, written) = (memory.title, below.written.map(spaced) ?? "")
    return [(.memory(memory, below: Int(size)), "\(name) is less than \(written)")]
  }
}

extension FirmwareMemory {
  /// What is less than expected, in words.
  fileprivate var title: String {
    switch self {
    case .flash: "the flash of the image"
    case .ram: "the RAM of its variables"
    case .stack: "the depth of its stack"
    }
  }
}
