public import I2C
public import Quantities

/// A target on a virtual bus, at the level of bytes and acknowledge bits.
///
/// The adapter calls the target's methods in the order of the events on the wire: a start with the
/// target's address, single bytes, perhaps a repeated start, and finally the stop, which every
/// target on the bus receives. These calls are the target's only source of time. Between calls its
/// state must not change.
public protocol VirtualI2CDevice: AnyObject {
  /// The current address of the target.
  var address: I2CAddress { get }

  /// Handles a start or repeated start with the target's address; returns whether the target
  /// acknowledges.
  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool

  /// Handles a written byte; returns whether the target acknowledges.
  ///
  /// A byte that is not acknowledged has no effect.
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool

  /// Returns the next byte. The adapter calls this method when the first bit of the byte is due.
  func read(at time: inout WireTime) -> UInt8

  /// Handles a stop, whether or not the target was addressed.
  func stop(at time: inout WireTime)

  /// Switches the supply off or on, at a time in nanoseconds that may be in the past.
  func setSupply(_ isOn: Bool, at time: UInt64)

  /// Applies an internal fault condition, at a time in nanoseconds that may be in the past.
  ///
  /// - Parameters:
  ///   - condition: the condition.
  ///   - fault: the index of the fault that causes the condition.
  ///   - count: the number of effects after which the condition ends.
  ///   - time: the start of the condition.
  func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64)

  /// Returns the number of effects so far of the condition that the fault with this index causes.
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

/// An internal fault condition of a target, which applies to any kind of sensor.
///
/// A target applies the conditions that it supports and counts their effects. A fault counts as
/// fired only if it had an effect.
public enum TargetCondition: Hashable, Sendable {
  /// The supply dips, and at the reset the part copies only the first `kept` bytes of its
  /// nonvolatile memory. Each copy counts as an effect.
  case partialMemory(kept: Int)
  /// At each reset, the bits in `mask` are inverted in one byte that the part copies from its
  /// nonvolatile memory. Each copy counts as an effect.
  case wrongMemory(byte: Int, mask: UInt8)
  /// Another part of the same model, whose nonvolatile memory has these bytes, takes the place of the part, and starts
  /// when it has power.
  ///
  /// It has no effect if the part's memory has another size.
  case otherMemory([UInt8])
  /// New results do not reach the data registers. Each conversion counts as an effect.
  case frozen
  /// Conversions take the data sheet's maximum time. Each conversion counts as an effect.
  case slow
  /// The results have an offset in kelvins, pascals and percent. Each conversion counts as an
  /// effect.
  case offset(PerQuantity<Double>)
  /// The results drift, in kelvins, pascals and percent per hour. Each conversion counts as an
  /// effect.
  case drift(PerQuantity<Double>)
}

/// A chip that responds instead of the intended target.
///
/// It acknowledges everything, and all its registers contain the same value.
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
