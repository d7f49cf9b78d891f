/// A Bluetooth LE radio, a dongle or a tag's: it can be a central, a peripheral or both.
///
/// Behind it stands the in-process ``BLEAir`` in virtual time, or a Bluetooth stack. It is told commands and tells events, and is
/// confined to one thread.
public protocol BLERadio: AnyObject {
  /// Who it is to others.
  var address: BLEAddress { get }
  /// Its time in nanoseconds, which is that of its events.
  var nanoseconds: UInt64 { get }
  /// Is given each event as it happens; where it is `nil` events wait for ``next(by:)``.
  var handler: ((BLEEvent) -> Void)? { get set }

  /// Tells it what to do.
  ///
  /// - Returns: the number under which it answers; it answers only after this has returned.
  @discardableResult
  func send(_ command: BLECommand) -> Int

  /// The next event, which may have to be waited for.
  ///
  /// - Parameter time: until when, in nanoseconds of its time; an earlier one asks for what is there.
  /// - Returns: the event, or `nil` where none came until then.
  func next(by time: UInt64) -> BLEEvent?
}
