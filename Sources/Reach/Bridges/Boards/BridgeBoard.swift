/// The board's end of a bridge: it holds the values that a client writes and reads, and counts what it does.
public protocol BridgeBoard: GATTServer {
  /// How many commands it has taken.
  var commands: Int { get }
  /// How many reads were longer than its limit.
  var tooLong: Int { get }
  /// Tells the charge of its battery in percent.
  var battery: () -> UInt8 { get set }
}
