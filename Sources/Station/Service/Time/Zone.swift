/// A zone of time: how far its clocks are ahead of UTC, moment by moment.
///
/// Read from a file of the system's time zone database (TZif, RFC 8536; version 2 and later, whose times have 64 bits).
package struct Zone: Sendable {
  /// Its name, such as `Europe/Lisbon`.
  package let name: String
  /// When its clocks changed, rising, and what they are ahead of UTC from then on.
  private let changes: [(moment: Int, offset: Int)]
  /// What they were ahead of it before.
  private let first: Int
  /// What they do after the last of the changes.
  private let rule: ZoneRule?

  /// Creates a zone whose clocks follow one rule for ever.
  init(name: String, rule: ZoneRule) {
    (self.name, self.rule, changes, first) = (name, rule, [], rule.standard)
  }

  /// Reads a file's bytes; `nil` where they are no such file.
  package init?(name: String, bytes: [UInt8]) {
    var reader = ZoneBytes(bytes)
    guard let old = reader.header(), old.version >= 2 else { return nil }
    // The first part, with times of 32 bits, is there for old programs.
    guard reader.skip(old.length(timeSize: 4)), let counts = reader.header() else { return nil }
    guard let moments = reader.numbers(counts.times, size: 8),
      let kinds = reader.numbers(counts.times, size: 1),
      let types = reader.types(counts.types), !types.isEmpty,
      kinds.allSatisfy({ types.indices.contains($0 & 255) })
    else { return nil }
    guard reader.skip(counts.letters + counts.leaps * 12 + counts.standards + counts.universals)
    else { return nil }
    self.name = name
    changes = zip(moments, kinds).map { ($0, types[$1 & 255]) }
    first = types[0]
    rule = ZoneRule(reader.footer())
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.moment < $1.moment }) else {
      return nil
    }
  }

  /// How many seconds it is ahead of UTC at a moment in seconds since 1970.
  package func offset(at moment: Int) -> Int {
    guard let last = changes.last else { return rule?.offset(at: moment) ?? first }
    if moment >= last.moment { return rule?.offset(at: moment) ?? last.offset }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].moment <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }
}
