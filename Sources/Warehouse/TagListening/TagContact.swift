/// How a listener stands with a tag.
public struct TagContact: Hashable, Sendable {
  /// What it is about to do with the tag.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// It is not the tag's turn.
    case resting
    /// It waits before it tries again.
    case waiting
    /// It looks for its advertisements.
    case seeking
    /// It was heard, and is connected next.
    case ready
    /// It is being connected.
    case connecting
    /// It is asked what it is, and switched on.
    case settling
    /// It is listened to.
    case listening
    /// It is being disconnected.
    case leaving
  }

  /// The address of the tag.
  public let address: String
  /// How the listener stands with it.
  public internal(set) var phase = Phase.seeking
  /// The name of its kind; `nil` before it has said what it is.
  public internal(set) var kind: String?
  /// Its firmware revision, where it says so.
  public internal(set) var firmware: String?
  /// The charge of its battery in percent, where it says so.
  public internal(set) var battery: Int?
  /// How strongly it was heard last, in dBm.
  public internal(set) var rssi: Int?
  /// When it was heard last, by an advertisement or a notification, in nanoseconds since 1970; `nil` for never.
  public internal(set) var lastSeen: Int64?
  /// How often it has failed on end.
  public internal(set) var failures = 0

  init(_ address: String) { self.address = address }
}
