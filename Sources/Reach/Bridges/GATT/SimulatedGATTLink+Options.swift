extension SimulatedGATTLink {
  /// How the connection behaves.
  public struct Options: Hashable, Sendable {
    /// The connection interval in nanoseconds; 0 is an ideal link.
    public var interval: UInt64 = 30_000_000
    /// By how much an operation takes longer at most, as a part of two intervals.
    public var jitter = 0.0
    /// How many of all answers are lost, from 0 to 1.
    public var loss = 0.0
    /// When there is no connection, in nanoseconds since the start.
    public var outages: [Range<UInt64>] = []
    /// When the board does not advertise, in nanoseconds since the start: it cannot be found, however near it is.
    public var silences: [Range<UInt64>] = []
    /// What the board draws from its battery, which then falls with what is asked of it; as below when `nil`.
    public var power: BoardPower?
    /// How long the battery of the board lasts, in nanoseconds; for ever when `nil`.
    ///
    /// The board has no sleep mode: it lasts as long whatever is asked of it. In the last tenth the radio
    /// fades and more and more answers are lost.
    public var batteryLife: UInt64?

    /// Creates options: 30 ms, no jitter, no losses.
    public init() {}
  }

  /// Why there is no connection.
  public enum Absence: String, Hashable, Sendable, CaseIterable {
    /// The board is too far away.
    case outOfRange = "out of range"
    /// The board is near and has stopped advertising.
    case silent = "not advertising"
    /// The battery of the board is empty.
    case flat = "its battery is flat"

    /// Its name in events.
    public var name: String {
      switch self {
      case .outOfRange: "out-of-range"
      case .silent: "not-advertising"
      case .flat: "flat"
      }
    }

    /// It as the reason of a failure.
    public var reason: String {
      switch self {
      case .outOfRange: "the board is out of range"
      case .silent: "the board is near and does not advertise"
      case .flat: "the board's battery is flat"
      }
    }

    /// What to do about it.
    public var remedy: String {
      switch self {
      case .outOfRange: "go nearer"
      case .silent: "it is switched off or hangs: press its button"
      case .flat: "charge it or put in a new one"
      }
    }
  }
}
