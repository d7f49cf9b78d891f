/// What all open files of one /dev/i2c-N share: the adapter and its settings.
public final class I2CDeviceNode {
  /// The adapter behind the node.
  public let adapter: any I2CAdapter
  /// The addresses that a kernel driver owns: `I2C_SLAVE` answers `EBUSY` for them.
  public let boundAddresses: [I2CAddress]
  /// How often a transfer is tried again after lost arbitration, as `I2C_RETRIES` sets it.
  public internal(set) var retries: UInt32 = 0
  /// The time-out in milliseconds, as `I2C_TIMEOUT` sets it (in units of 10 ms).
  public internal(set) var timeoutMilliseconds: UInt64 = 1000

  /// Creates the node of an adapter.
  public init(adapter: any I2CAdapter, boundAddresses: [I2CAddress] = []) {
    self.adapter = adapter
    self.boundAddresses = boundAddresses
  }

  /// Makes a transfer, and again while arbitration is lost and retries are left.
  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CErrno) {
    var retriesLeft = retries
    while true {
      do throws(I2CError) {
        try adapter.transfer(segments, writing: writing, reading: &reading)
        return
      } catch {
        guard error.errno == .eagain, retriesLeft > 0 else { throw error.errno }
        retriesLeft -= 1
      }
    }
  }
}
