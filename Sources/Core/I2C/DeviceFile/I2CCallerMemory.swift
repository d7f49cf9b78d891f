/// The memory of a program that calls into an ``I2CDeviceFile``.
///
/// It can change at any time and addresses in it can be wrong: it is read once, and never believed.
public protocol I2CCallerMemory: AnyObject {
  /// Copies `count` bytes from an address to an offset in a buffer; whether all could be read.
  func read(
    _ address: UInt64, count: Int, into bytes: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool

  /// Copies bytes to an address; whether all of them could be written.
  func write(_ bytes: Span<UInt8>, to address: UInt64) -> Bool

  /// Whether the call still waits for its answer; one that does not must not touch the bus.
  var isWaiting: Bool { get }
}
