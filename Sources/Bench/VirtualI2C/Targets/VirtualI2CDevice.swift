public import I2C

/// A target on a virtual bus, at the level of bytes and acknowledge bits.
///
/// The adapter drives it as a controller's wire does: a start with its address, bytes one by one,
/// perhaps a repeated start, and in the end the stop, which every target on the bus sees. A target
/// learns the time only from here; between calls it must not do anything.
public protocol VirtualI2CDevice: AnyObject {
  /// The address to which it answers now.
  var address: I2CAddress { get }

  /// Sees a start or repeated start with its address; returns whether it acknowledges.
  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool

  /// Takes a byte; returns whether it acknowledges. A byte not acknowledged has no effect.
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool

  /// Gives a byte; called when its first bit is due.
  func read(at time: inout WireTime) -> UInt8

  /// Sees a stop, whether or not it was addressed.
  func stop(at time: inout WireTime)

  /// Loses its supply or gets it back, at a time in nanoseconds that may lie before now.
  func setSupply(_ isOn: Bool, at time: UInt64)

  /// Falls into a condition at a time in nanoseconds that may lie before now.
  ///
  /// - Parameters:
  ///   - condition: what is wrong from then on.
  ///   - fault: the number of the fault that asks for it.
  ///   - count: how many effects it has.
  ///   - time: since when.
  func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64)

  /// How many effects the condition of a fault has had so far.
  func effects(of fault: Int) -> Int
}

extension VirtualI2CDevice {
  /// Does nothing: the target does not depend on a supply.
  public func setSupply(_ isOn: Bool, at time: UInt64) {}

  /// Does nothing: the target knows no conditions.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {}

  /// None.
  public func effects(of fault: Int) -> Int { 0 }
}
