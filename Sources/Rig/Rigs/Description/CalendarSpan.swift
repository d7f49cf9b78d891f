/// A time over which people count what a battery gives.
package enum CalendarSpan: String, Hashable, Sendable, CaseIterable {
  case hour, day, year

  /// How long it is, in seconds.
  package var seconds: Double {
    switch self {
    case .hour: 3600
    case .day: 86_400
    case .year: 365 * 86_400
    }
  }
}
