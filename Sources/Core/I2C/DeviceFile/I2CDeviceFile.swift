/// An open /dev/i2c-N with the behavior of Linux's i2c-dev.
///
/// It handles `ioctl`, `read` and `write` with any adapter, makes the kernel's checks in the
/// kernel's order, and fails with the kernel's errno (Linux, drivers/i2c/i2c-dev.c and
/// i2c-core-smbus.c). Like the adapter, it must be used only on the thread of its bus.
public final class I2CDeviceFile {
  /// The highest number of messages in one `I2C_RDWR`.
  public static let maxMessages = 42
  /// The longest message, `read` or `write`, in bytes.
  public static let maxLength = 8192

  /// The open node.
  public private(set) var node: I2CDeviceNode
  /// The address used by `read`, `write` and `I2C_SMBUS`; set by `I2C_SLAVE`.
  public internal(set) var address: I2CAddress = 0
  /// `true` if the address has ten bits.
  public internal(set) var isTenBit = false
  /// `true` if SMBus transactions carry a packet error code.
  public internal(set) var checksPackets = false

  var staged = StagedTransfer()

  /// Opens a node.
  public init(_ node: I2CDeviceNode) {
    self.node = node
  }

  /// Handles an `ioctl(2)` call.
  ///
  /// - Parameters:
  ///   - request: a `Request`; any other number fails with `ENOTTY`.
  ///   - argument: the argument of the request: a number, or an address in the caller's memory.
  ///   - memory: the caller's memory.
  /// - Returns: the return value of the system call, which is the number of messages for `I2C_RDWR`
  ///   and otherwise 0.
  /// - Throws: the errno of the failed call.
  public func ioctl(
    _ request: UInt32, _ argument: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    switch request {
    case Request.slave: try setAddress(argument, isForced: false)
    case Request.slaveForce: try setAddress(argument, isForced: true)
    case Request.tenBit: isTenBit = argument != 0
    case Request.pec: checksPackets = argument != 0
    case Request.functionality: try writeFunctionality(argument, memory)
    case Request.transfer: return try transferMessages(argument, memory)
    case Request.smbus: try smbus(argument, memory)
    case Request.retries: node.retries = try Self.setting(argument)
    case Request.timeout: node.timeoutMilliseconds = UInt64(try Self.setting(argument)) * 10
    default: throw .enotty
    }
    return 0
  }

  /// Handles a `read(2)` call: one message of at most 8192 bytes.
  ///
  /// - Throws: the errno.
  public func read(
    _ count: UInt64, to destination: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    try checkAdapterMakesMessages()
    let count = Int(min(count, UInt64(Self.maxLength)))
    staged.begin()
    add(.read, count)
    try staged.run(on: node, memory)
    guard staged.copyOut(0..<count, to: destination, memory) else { throw .efault }
    return count
  }

  /// Handles a `write(2)` call: one message of at most 8192 bytes.
  ///
  /// - Throws: the errno.
  public func write(
    _ count: UInt64, from source: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    try checkAdapterMakesMessages()
    let count = Int(min(count, UInt64(Self.maxLength)))
    staged.begin()
    add(.write, count)
    try staged.fetch(count, from: source, memory)
    try staged.run(on: node, memory)
    return count
  }

  /// Checks that the adapter makes any messages, not only SMBus transactions.
  func checkAdapterMakesMessages() throws(I2CErrno) {
    guard node.adapter.functionality.contains(.i2c) else { throw .eopnotsupp }
  }

  /// Detaches the file from its adapter, which was unplugged: from then on transfers fail with `ENODEV`.
  ///
  /// As on Linux, the file does not reach an adapter that is plugged in later, and requests that make no transfer
  /// succeed.
  public func detach() {
    node = I2CDeviceNode(
      adapter: DetachedAdapter(of: node.adapter), boundAddresses: node.boundAddresses)
  }

  private func setAddress(_ argument: UInt64, isForced: Bool) throws(I2CErrno) {
    guard argument <= (isTenBit ? 0x3FF : 0x7F),
      let address = I2CAddress(rawValue: UInt16(truncatingIfNeeded: argument))
    else { throw .einval }
    if !isForced {
      for bound in node.boundAddresses where bound == address { throw .ebusy }
    }
    self.address = address
  }

  private func writeFunctionality(
    _ argument: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    let bits = node.adapter.functionality.rawValue
    let word: InlineArray<8, UInt8> = [
      UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
      UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 24), 0, 0, 0, 0,
    ]
    guard memory.write(word.span, to: argument) else { throw .efault }
  }

  /// Checks that the argument of `I2C_RETRIES` or `I2C_TIMEOUT` is at most the largest C `int`.
  private static func setting(_ argument: UInt64) throws(I2CErrno) -> UInt32 {
    guard argument <= UInt64(Int32.max) else { throw .einval }
    return UInt32(argument)
  }
}

extension I2CDeviceFile {
  /// The request numbers of i2c-dev, from <linux/i2c-dev.h>.
  public enum Request {
    /// `I2C_RETRIES`.
    public static let retries: UInt32 = 0x0701
    /// `I2C_TIMEOUT`.
    public static let timeout: UInt32 = 0x0702
    /// `I2C_SLAVE`.
    public static let slave: UInt32 = 0x0703
    /// `I2C_TENBIT`.
    public static let tenBit: UInt32 = 0x0704
    /// `I2C_FUNCS`.
    public static let functionality: UInt32 = 0x0705
    /// `I2C_SLAVE_FORCE`.
    public static let slaveForce: UInt32 = 0x0706
    /// `I2C_RDWR`.
    public static let transfer: UInt32 = 0x0707
    /// `I2C_PEC`.
    public static let pec: UInt32 = 0x0708
    /// `I2C_SMBUS`.
    public static let smbus: UInt32 = 0x0720
  }
}

/// What remains of an unplugged adapter for its open files.
private final class DetachedAdapter: I2CAdapter {
  let functionality: I2CFunctionality
  let quirks: I2CQuirks

  init(of adapter: any I2CAdapter) {
    (functionality, quirks) = (adapter.functionality, adapter.quirks)
  }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    throw I2CError(.noDevice, errno: .enodev)
  }
}

/// A /dev/i2c-N node: the adapter and the settings shared by all its open files.
public final class I2CDeviceNode {
  /// The adapter that the node exposes.
  public let adapter: any I2CAdapter
  /// The addresses bound to a kernel driver, for which `I2C_SLAVE` fails with `EBUSY`.
  public let boundAddresses: [I2CAddress]
  /// The number of retries after lost arbitration, set by `I2C_RETRIES`.
  ///
  /// Default: 0.
  public internal(set) var retries: UInt32 = 0
  /// The timeout in milliseconds, set by `I2C_TIMEOUT` in units of 10 ms.
  ///
  /// Default: 1000.
  public internal(set) var timeoutMilliseconds: UInt64 = 1000

  /// Creates the node for an adapter.
  ///
  /// Default: no address is bound to a kernel driver.
  public init(adapter: any I2CAdapter, boundAddresses: [I2CAddress] = []) {
    self.adapter = adapter
    self.boundAddresses = boundAddresses
  }

  /// Makes a transfer, and repeats it after each lost arbitration until no retries are left.
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
