/// An open /dev/i2c-N: what Linux's i2c-dev does for a program that has opened the node.
///
/// It serves `ioctl`, `read` and `write` over any adapter, with the kernel's checks in the kernel's
/// order and its errno for each misuse (Linux, drivers/i2c/i2c-dev.c and i2c-core-smbus.c). Like the
/// adapter it belongs to the thread of its bus.
public final class I2CDeviceFile {
  /// The most messages of one `I2C_RDWR`.
  public static let maxMessages = 42
  /// The most bytes of a message, a read or a write.
  public static let maxLength = 8192

  /// The node that is open.
  public let node: I2CDeviceNode
  /// The address that `read`, `write` and `I2C_SMBUS` use, as `I2C_SLAVE` set it.
  public internal(set) var address: I2CAddress = 0
  /// Whether the address has ten bits.
  public internal(set) var isTenBit = false
  /// Whether SMBus transactions carry a packet error code.
  public internal(set) var checksPackets = false

  var staged = StagedTransfer()

  /// Opens a node.
  public init(_ node: I2CDeviceNode) {
    self.node = node
  }

  /// Does what `ioctl(2)` does.
  ///
  /// - Parameters:
  ///   - request: the request, an ``Request`` or anything else.
  ///   - argument: its argument: a number, or an address in the caller's memory.
  ///   - memory: the caller's memory.
  /// - Returns: what the call returns: the number of messages for `I2C_RDWR`, else 0.
  /// - Throws: the errno.
  public func ioctl(
    _ request: UInt32, _ argument: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    switch request {
    case Request.slave: try setAddress(argument, isForced: false)
    case Request.slaveForce: try setAddress(argument, isForced: true)
    case Request.tenBit: isTenBit = argument != 0
    case Request.pec: checksPackets = argument != 0
    case Request.functionality: try tellFunctionality(argument, memory)
    case Request.transfer: return try transferMessages(argument, memory)
    case Request.smbus: try smbus(argument, memory)
    case Request.retries: node.retries = try Self.setting(argument)
    case Request.timeout: node.timeoutMilliseconds = UInt64(try Self.setting(argument)) * 10
    default: throw .enotty
    }
    return 0
  }

  /// Does what `read(2)` does: one message of at most 8192 bytes.
  ///
  /// - Throws: the errno.
  public func read(
    _ count: UInt64, to destination: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    let count = Int(min(count, UInt64(Self.maxLength)))
    staged.begin()
    add(.read, count)
    try staged.run(on: node, memory)
    guard staged.give(0..<count, to: destination, memory) else { throw .efault }
    return count
  }

  /// Does what `write(2)` does: one message of at most 8192 bytes.
  ///
  /// - Throws: the errno.
  public func write(
    _ count: UInt64, from source: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    let count = Int(min(count, UInt64(Self.maxLength)))
    staged.begin()
    add(.write, count)
    try staged.fetch(count, from: source, memory)
    try staged.run(on: node, memory)
    return count
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

  private func tellFunctionality(
    _ argument: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    let bits = node.adapter.functionality.rawValue
    let word: InlineArray<8, UInt8> = [
      UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
      UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 24), 0, 0, 0, 0,
    ]
    guard memory.write(word.span, to: argument) else { throw .efault }
  }

  /// The argument of `I2C_RETRIES` or `I2C_TIMEOUT`: no more than the largest int.
  private static func setting(_ argument: UInt64) throws(I2CErrno) -> UInt32 {
    guard argument <= UInt64(Int32.max) else { throw .einval }
    return UInt32(argument)
  }
}

extension I2CDeviceFile {
  /// The requests of i2c-dev, as <linux/i2c-dev.h> numbers them.
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
