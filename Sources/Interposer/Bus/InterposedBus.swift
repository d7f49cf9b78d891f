public import I2C

/// A bus that a program finds as /dev/i2c-N.
public struct InterposedBus {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, as `i2cdetect -l` shows it.
  public let name: String
  /// The node behind it.
  public let node: I2CDeviceNode
  /// Whether its transfers take real time (hardware, or a bridge), so that it has a thread of its own.
  public let isSlow: Bool

  /// Makes a bus; one that is simulated answers at once.
  public init(number: Int, name: String, node: I2CDeviceNode, isSlow: Bool = false) {
    self.number = number
    self.name = name
    self.node = node
    self.isSlow = isSlow
  }
}
