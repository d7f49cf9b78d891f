import Text

extension Rig {
  /// What a user is told when the air is no longer known.
  package func endOfAir(_ known: UInt64) -> String {
    "\(file): the rig knows the air for \(Decimal.duration(known)); from then on its last value holds"
  }

  /// The moment at which virtual time begins for programs, in nanoseconds since 1970: that of the
  /// environment, else the first of the year 2000, so that every run is the same.
  package var firstMoment: Int64 { environment.start != 0 ? environment.start : Self.defaultMoment }

  /// The first of the year 2000.
  package static let defaultMoment: Int64 = 946_684_800_000_000_000
}
