public import I2C
public import Quantities

/// A target on a virtual bus, at the level of bytes and acknowledge bits.
///
/// The adapter calls it in the order of the wire: a start with its address, single bytes, perhaps a repeated start, and
/// finally the stop, which every target on the bus receives. These calls are the target's only source of time; between
/// them it must not change.
public protocol VirtualI2CDevice: AnyObject {
  /// The current address.
  var address: I2CAddress { get }

  /// Handles a start or repeated start with its address; returns whether the target acknowledges.
  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool

  /// Handles a written byte; returns whether the target acknowledges.
  ///
  /// A byte that is not acknowledged has no effect.
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool

  /// Returns the next byte; called when its first bit is due.
  func read(at time: inout WireTime) -> UInt8

  /// Handles a stop, whether or not the target was addressed.
  func stop(at time: inout WireTime)

  /// Switches the supply off or on, at a time in nanoseconds that may be in the past.
  func setSupply(_ isOn: Bool, at time: UInt64)

  /// Applies an internal fault condition, at a time in nanoseconds that may be in the past.
  ///
  /// - Parameters:
  ///   - condition: the condition.
  ///   - fault: the index of the fault that causes it.
  ///   - count: the number of effects it has.
  ///   - time: the start of the condition.
  func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64)

  /// Returns the number of effects that the condition of a fault has had so far.
  func effects(of fault: Int) -> Int
}

extension VirtualI2CDevice {
  /// Does nothing: by default a target does not depend on its supply.
  public func setSupply(_ isOn: Bool, at time: UInt64) {}

  /// Does nothing: by default a target has no fault conditions.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {}

  /// Returns 0: by default a target has no fault conditions.
  public func effects(of fault: Int) -> Int { 0 }
}

/// An internal fault condition of a target, independent of the kind of sensor.
///
/// A target applies the conditions that it supports and counts their effects; a fault has fired only if it had an
/// effect.
public enum TargetCondition: Hashable, Sendable {
  /// The supply dips, and the part copies only the first bytes of its memory; each copy is an effect.
  case partialMemory(kept: Int)
  /// At each reset of the part, one byte of its memory is copied wrong; each copy is an effect.
  case wrongMemory(byte: Int, mask: UInt8)
  /// New results do not reach the data registers; each conversion is an effect.
  case frozen
  /// Conversions take the maximum time of the data sheet; each conversion is an effect.
  case slow
  /// The results have an offset in kelvins, pascals and percent; each conversion is an effect.
  case offset(PerQuantity<Double>)
  /// The results drift in kelvins, pascals and percent an hour; each conversion is an effect.
  case drift(PerQuantity<Double>)
}

/// A chip that responds instead of the intended one: it acknowledges everything, and all its registers have one value.
final class UniformTarget: VirtualI2CDevice {
  let address: I2CAddress
  private let value: UInt8

  init(_ address: I2CAddress, reads value: UInt8) {
    self.address = address
    self.value = value
  }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool { true }
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool { true }
  func read(at time: inout WireTime) -> UInt8 { value }
  func stop(at time: inout WireTime) {}
}
