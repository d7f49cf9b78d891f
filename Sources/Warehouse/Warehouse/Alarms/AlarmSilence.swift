/// A zone in which limits are breached on purpose for a time, as where a door stands open for a delivery.
///
/// Breaches are noticed and logged, and become no alarms until the silence is over. Missing data, faults and batteries are
/// told all the same.
public struct AlarmSilence: Hashable, Sendable {
  /// The zone.
  public let zone: String
  /// Who wanted it.
  public let name: String
  /// Why.
  public let note: String
  /// From when to when, in nanoseconds since 1970.
  public let from, until: Int64

  /// Creates one of its parts.
  public init(zone: String, name: String, note: String, from: Int64, until: Int64) {
    (self.zone, self.name, self.note, self.from, self.until) = (zone, name, note, from, until)
  }

  /// The silence after a step of the wall clock.
  func moved(by step: Int64) -> AlarmSilence {
    AlarmSilence(
      zone: zone, name: name, note: note, from: Moment.stepped(from, by: step),
      until: Moment.stepped(until, by: step))
  }
}
