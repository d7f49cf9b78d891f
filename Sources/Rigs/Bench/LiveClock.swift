public import I2C

/// The time of a bench that programs use while they wait by themselves: the wall clock's.
///
/// A transfer does not keep the program waiting while its bits go over a wire that is not there; instead
/// the bus is ahead of the wall clock by that time, as it would be for a program on real hardware.
public final class LiveClock: I2CClock {
  private let wall = WallClock()
  private let origin: UInt64
  private var ahead: UInt64 = 0

  /// Makes a clock that shows a time now.
  public init(nanoseconds: UInt64 = 0) {
    origin = nanoseconds
  }

  /// Nanoseconds since time 0; never goes back.
  public var nanoseconds: UInt64 { max(origin + wall.nanoseconds, ahead) }

  /// Moves the bus ahead and returns at once.
  public func wait(nanoseconds: UInt64) { ahead = self.nanoseconds + nanoseconds }
}
