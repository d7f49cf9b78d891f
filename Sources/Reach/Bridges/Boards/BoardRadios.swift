/// Where the two radios of a connection over real Bluetooth LE frames are.
///
/// Each is `virtual`, or an HCI transport of the stack such as `usb:0` or `hci-socket:0`.
public struct BoardRadios: Hashable, Sendable {
  /// What went over them.
  public struct Account: Hashable, Sendable {
    /// How often the client has connected.
    public var connections = 0
    /// The requests of the attribute protocol that went through the stack.
    public var requests = 0
    /// Why the stack failed last; `nil` where it never did.
    public var failure: String?

    /// Creates an account of nothing.
    public init() {}
  }

  /// The client's.
  public var client = "virtual"
  /// The board's.
  public var board = "virtual"

  /// Creates virtual ones.
  public init() {}
}
