/// One line of the log of alarms: what happened, and when.
///
/// The entries are the only thing that changes an ``AlarmBook``, so that a log that is read again gives the same state.
public struct AlarmEntry: Hashable, Sendable {
  /// What happened.
  public enum Happening: Hashable, Sendable {
    /// A value lies beyond a limit whose delay is not over.
    case breach(AlarmKey, AlarmRule)
    /// A breach was over, or its tag was lost, before it became an alarm.
    case breachOver(AlarmKey)
    /// A breach became no alarm since its zone is silenced.
    case heldBack(AlarmKey)
    /// A breach became an alarm.
    case raised(Raising)
    /// An alarm that waits for its acknowledgement lasts again, since a moment, with a value.
    case again(UInt64, began: Int64, value: Double)
    /// The worst value of an alarm so far.
    case worse(UInt64, value: Double)
    /// An alarm is over.
    case returned(UInt64)
    /// Somebody was told.
    case told(UInt64, name: String)
    /// Somebody took it on.
    case acknowledged(UInt64, ZoneAlarm.Receipt)
    /// The acknowledgement has expired, and the alarm lasts.
    case expired(UInt64)
    /// It was closed: by hand, or because it is over and acknowledged.
    case closed(UInt64, ZoneAlarm.Receipt?)
    /// A zone is silenced.
    case silenced(AlarmSilence)
    /// A zone is no longer silenced; somebody ended it before its time, or nobody.
    case silenceOver(zone: String, name: String?)
    /// The wall clock was stepped by so many nanoseconds, a whole number of milliseconds: what is under way moves with it.
    case clockStepped(by: Int64)
  }

  /// What an alarm is when it is raised.
  public struct Raising: Hashable, Sendable {
    /// The number that the alarm has at its hub.
    public let number: UInt64
    /// What is wrong with which tag.
    public let key: AlarmKey
    /// The zone of the tag.
    public let zone: String
    /// The limit that was breached.
    public let rule: AlarmRule
    /// When the breach began, and when it was at its worst, in nanoseconds since 1970.
    public let began, peakTime: Int64
    /// The worst value of the breach.
    public let peak: Double
  }

  /// When, in nanoseconds since 1970.
  public let time: Int64
  /// What happened.
  public let happening: Happening

  /// Creates one of its parts.
  public init(time: Int64, _ happening: Happening) {
    (self.time, self.happening) = (time, happening)
  }
}
