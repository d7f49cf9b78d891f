public import I2C

/// A bus that a program finds as /dev/i2c-N.
public struct InterposedBus {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, as `i2cdetect -l` shows it.
  public let name: String
  /// The node behind it.
  public let node: I2CDeviceNode
  /// The names of the parts that a kernel's driver owns, as it would have them: `bme280`.
  public let boundNames: [I2CAddress: String]
  /// Whether its transfers take real time (hardware, or a bridge), so that it has a thread of its own.
  public let isSlow: Bool
  /// When the bits of the transfers so far have gone over the wire, in nanoseconds of CLOCK_MONOTONIC.
  ///
  /// Callers wait until then, as they do for hardware; `nil` where transfers take no time of this machine.
  public let freeMoment: (() -> UInt64)?

  /// Creates a bus; one that is simulated is served without a thread of its own.
  ///
  /// A bound address without a name is a `dummy`, as the kernel names a device that it only keeps a place for.
  public init(
    number: Int, name: String, node: I2CDeviceNode, boundNames: [I2CAddress: String] = [:],
    isSlow: Bool = false, freeMoment: (() -> UInt64)? = nil
  ) {
    self.number = number
    self.name = name
    self.node = node
    self.boundNames = boundNames
    self.isSlow = isSlow
    self.freeMoment = freeMoment
  }
}
