public import I2C
public import VirtualI2C

/// A serial EEPROM of the 24C series.
///
/// A write is stored by the stop condition; during the write cycle the part does not acknowledge its address. Bytes beyond a
/// page wrap to the beginning of the page. A read continues at the next byte, and wraps at the end of the memory. Sources: the
/// data sheets of Atmel AT24C01D/02D (8871), AT24C32D/64D (8866), AT24C128C/256C (8734) and AT24C512C (8720).
public final class VirtualEEPROM: VirtualI2CDevice {
  /// A member of the series.
  public enum Model: String, CaseIterable, Sendable {
    case at24c01, at24c02, at24c32, at24c64, at24c128, at24c256, at24c512

    /// The number of bytes.
    public var size: Int {
      switch self {
      case .at24c01: 128
      case .at24c02: 256
      case .at24c32: 4096
      case .at24c64: 8192
      case .at24c128: 16_384
      case .at24c256: 32_768
      case .at24c512: 65_536
      }
    }

    /// The number of bytes that one write can store.
    var page: Int {
      switch self {
      case .at24c01, .at24c02: 8
      case .at24c32, .at24c64: 32
      case .at24c128, .at24c256: 64
      case .at24c512: 128
      }
    }

    /// The number of bytes of an address in the memory.
    var addressLength: Int { size > 256 ? 2 : 1 }
  }

  /// The largest duration of a write cycle (tWR), in nanoseconds.
  public static let writeCycle: UInt64 = 5_000_000
  /// The address with A2, A1 and A0 low; the pins add up to 7.
  public static let firstAddress: UInt16 = 0x50

  /// The address on the bus.
  public let address: I2CAddress
  private let model: Model
  /// The content.
  public private(set) var bytes: [UInt8]
  /// The address of the next byte that is read.
  private var pointer = 0
  /// The bytes of the running write after the address of the part.
  private var received: [UInt8] = []
  private var isWriting = false
  private var busyUntil: UInt64 = 0
  private var isPowered = true

  /// Creates a memory.
  ///
  /// - Parameters:
  ///   - model: the member of the series.
  ///   - address: the address.
  ///   - content: the first bytes; the others are 0xFF, as of a new part. Default: none.
  public init(_ model: Model, at address: I2CAddress, content: [UInt8] = []) {
    (self.model, self.address) = (model, address)
    bytes = Array(content.prefix(model.size))
    bytes += [UInt8](repeating: 0xFF, count: model.size - bytes.count)
  }

  /// Begins a message; during a write cycle the part does not acknowledge.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    // A repeated start discards the bytes of a write but not its address, as for a random read.
    if isWriting { takeAddress() }
    isWriting = false
    guard isPowered, time.nanoseconds >= busyUntil else { return false }
    received.removeAll(keepingCapacity: true)
    isWriting = direction == .write
    return true
  }

  /// Takes a byte of the address in the memory, or of the data.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    guard isWriting else { return false }
    received.append(byte)
    // More bytes than a page replace the first ones.
    if received.count > model.addressLength + 2 * model.page {
      received.removeSubrange(model.addressLength..<model.addressLength + model.page)
    }
    return true
  }

  /// Returns the next byte of the memory.
  public func read(at time: inout WireTime) -> UInt8 {
    defer { pointer = (pointer + 1) % model.size }
    return bytes[pointer]
  }

  /// Stores the data of a write, and begins the write cycle.
  public func stop(at time: inout WireTime) {
    guard isWriting else { return }
    isWriting = false
    takeAddress()
    let data = received.dropFirst(model.addressLength)
    guard !data.isEmpty else { return }
    let page = pointer / model.page * model.page
    for byte in data {
      bytes[pointer] = byte
      pointer = page + (pointer + 1 - page) % model.page
    }
    busyUntil = time.nanoseconds + Self.writeCycle
  }

  private func takeAddress() {
    guard received.count >= model.addressLength else { return }
    pointer = received.prefix(model.addressLength).reduce(0) { $0 << 8 | Int($1) } % model.size
  }

  /// Switches the supply; the content stays, but a running write is lost.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    isPowered = isOn
    (pointer, isWriting, busyUntil) = (0, false, 0)
  }
}
