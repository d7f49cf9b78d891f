/// Who is told of alarms, one after the other.
public struct DutyList: Hashable, Sendable {
  /// Somebody on it.
  public struct Person: Hashable, Sendable {
    /// Who it is.
    public let name: String
    /// The hours of duty in minutes of the UTC day, the second not included; `nil` for all day.
    ///
    /// They go over midnight where the first is the later.
    public let hours: (from: Int, to: Int)?

    /// Creates one of its parts.
    public init(_ name: String, hours: (from: Int, to: Int)? = nil) {
      (self.name, self.hours) = (name, hours)
    }

    /// Whether the person is on duty at a moment, in nanoseconds since 1970.
    public func isOnDuty(at time: Int64) -> Bool {
      guard let hours else { return true }
      let minute = Int(time / 60_000_000_000 % 1440)
      return hours.from <= hours.to
        ? (hours.from..<hours.to).contains(minute) : minute >= hours.from || minute < hours.to
    }

    /// Whether two are the same.
    public static func == (one: Person, other: Person) -> Bool {
      one.name == other.name && one.hours?.from == other.hours?.from
        && one.hours?.to == other.hours?.to
    }

    /// Feeds what makes it the same.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(hours?.from)
      hasher.combine(hours?.to)
    }
  }

  /// The people in the order in which they are told.
  public var people: [Person]
  /// After how many nanoseconds without an acknowledgement the next is told.
  public var escalateAfter: Int64
  /// For how many nanoseconds nobody is told again of an alarm that was over and comes again before its acknowledgement.
  public var quiet: Int64 = 5 * 60_000_000_000

  /// Creates one of its parts.
  public init(_ people: [Person], escalateAfter: Int64 = 15 * 60_000_000_000) {
    (self.people, self.escalateAfter) = (people, escalateAfter)
  }

  /// The name of who is told next, behind the last so many; `nil` where the list is empty.
  ///
  /// Behind the last the first comes again: an alarm that nobody acknowledges never falls silent. Those off duty are passed
  /// over, unless nobody is on duty.
  public func person(afterTelling count: Int, at time: Int64) -> String? {
    let onDuty = people.filter { $0.isOnDuty(at: time) }
    let list = onDuty.isEmpty ? people : onDuty
    return list.isEmpty ? nil : list[count % list.count].name
  }
}
