/// What is wrong with a policy, and with which part of it.
public struct PolicyMistake: Hashable, Sendable {
  /// The part of a policy; parts are counted from 0 on.
  public enum Place: Hashable, Sendable {
    /// The policy as a whole.
    case whole
    /// The name of a zone.
    case zone(Int)
    /// A limit of a zone.
    case rule(Int, zone: Int)
    /// The address of a tag, its name, its zone, its period.
    case address(tag: Int), nameOf(tag: Int), zoneOf(tag: Int), period(tag: Int)
    /// After which time the next on duty is told.
    case escalation
  }

  /// What is wrong, in a sentence.
  public let message: String
  /// Where.
  public let place: Place

  init(_ message: String, at place: Place) { (self.message, self.place) = (message, place) }
}
