/// An I2C bus seen from its controller: the narrow waist of the whole bench.
///
/// Simulations, traces, bridges and real hardware provide it; drivers and served programs use it,
/// and neither side knows which other side it has. An adapter belongs to the thread of its bus.
public protocol I2CAdapter: AnyObject {
  /// What the adapter can do, as `I2C_FUNCS` answers.
  var functionality: I2CFunctionality { get }

  /// The limits of the adapter.
  var quirks: I2CQuirks { get }

  /// Makes one combined transfer, as `I2C_RDWR` does: messages joined by repeated starts, one stop.
  ///
  /// A register read is two segments:
  ///
  ///     S  76 W A  F7 A  Sr  76 R A  [msb] A [lsb] A ... [xlsb] N  P
  ///
  /// - Parameters:
  ///   - segments: the messages in order.
  ///   - writing: the bytes of all write segments, end to end; at least as many as they count.
  ///   - reading: receives the bytes of all read segments, end to end from its start; it may be
  ///     longer. After an error, what it holds past the failed byte is unspecified.
  /// - Throws: ``I2CError``, after which the bus is free again (a stop was sent).
  func transfer(
    _ segments: Span<I2CSegment>,
    writing: Span<UInt8>,
    reading: inout MutableSpan<UInt8>
  ) throws(I2CError)
}

/// The clock of a bus: all that a driver knows of time.
public protocol I2CClock: AnyObject {
  /// Nanoseconds since some fixed moment; never goes back.
  var nanoseconds: UInt64 { get }

  /// Returns when at least that many nanoseconds have passed.
  func wait(nanoseconds: UInt64)
}
