/// The life of an alarm, from the first reading beyond its limit until it is closed.
///
/// It is latched: what is over stays until somebody has acknowledged it, and what is acknowledged stays until it is over. Its
/// moments are those of the wall clock as it is set now: a step of the clock moves them while it is open, so that every
/// duration stays true; the entries of the log keep what the clock said when they were written.
public struct ZoneAlarm: Hashable, Sendable {
  /// Where an alarm is in its life.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// It lasts, and nobody has acknowledged it.
    case active
    /// It lasts, and somebody has taken it on.
    case acknowledged
    /// It is over, and nobody has acknowledged it.
    case returned
    /// It is over and acknowledged, or was closed by hand.
    case closed
  }

  /// Who took it on.
  public struct Receipt: Hashable, Sendable {
    /// Who.
    public let name: String
    /// What they say of it.
    public let note: String
    /// When, in nanoseconds since 1970.
    public let time: Int64
    /// When the alarm counts as not acknowledged again if it still lasts; `nil` for never.
    public let expires: Int64?

    /// Creates one of its parts.
    public init(name: String, note: String, time: Int64, expires: Int64?) {
      (self.name, self.note, self.time, self.expires) = (name, note, time, expires)
    }
  }

  /// Somebody who was told.
  public struct Told: Hashable, Sendable {
    /// Who.
    public let name: String
    /// When, in nanoseconds since 1970.
    public let time: Int64

    /// Creates one of its parts.
    public init(name: String, time: Int64) { (self.name, self.time) = (name, time) }
  }

  /// Its number at its hub, from 1 on.
  public let number: UInt64
  /// What is wrong with which tag.
  public let key: AlarmKey
  /// The zone in which the tag was when it was raised.
  public let zone: String
  /// The limit and the delay as they were when the breach began.
  public let rule: AlarmRule
  /// When the breach began, in nanoseconds since 1970.
  public internal(set) var began: Int64
  /// When it became an alarm.
  public internal(set) var raised: Int64
  /// Where it is in its life.
  public internal(set) var phase: Phase
  /// The worst value of the breach, in the unit of the limit.
  public internal(set) var peak: Double
  /// When it was at its worst.
  public internal(set) var peakTime: Int64
  /// When it was over the last time; `nil` while it lasts.
  public internal(set) var returned: Int64?
  /// Every acknowledgement, in order, even one that has expired or that another one has replaced.
  public internal(set) var receipts: [Receipt]
  /// Who was told, in order.
  public internal(set) var told: [Told]
  /// How many were told since it was raised, lasts again, or its acknowledgement expired.
  var turn: Int
  /// When it was closed.
  public internal(set) var closed: Int64?
  /// Who closed it by hand, and why; `nil` where it closed because it was over and acknowledged.
  public internal(set) var closedBy: Receipt?

  /// The last acknowledgement, even one that has expired.
  public var receipt: Receipt? { receipts.last }
  /// How long the breach lasted until it was over the last time; `nil` while it lasts.
  public var duration: Int64? { returned.map { $0 - began } }
  /// Whether it counts among those that a person has to look at.
  public var isOpen: Bool { phase != .closed }
  /// Whether the breach lasts.
  public var lasts: Bool { phase == .active || phase == .acknowledged }
}
