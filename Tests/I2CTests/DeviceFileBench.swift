import I2C

/// The memory of a program, and an open /dev/i2c-N on an adapter that records its requests.
final class DeviceFileBench: I2CCallerMemory {
  /// The first address of the memory.
  static let base: UInt64 = 0x10000

  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  var isWaiting = true
  let adapter: ScriptedAdapter
  let file: I2CDeviceFile

  init(
    functionality: I2CFunctionality = .standard, bound: [I2CAddress] = [],
    failing errors: [I2CError] = [], answering answer: [UInt8] = []
  ) {
    adapter = ScriptedAdapter(functionality, errors, answer)
    file = I2CDeviceFile(I2CDeviceNode(adapter: adapter, boundAddresses: bound))
  }

  func read(
    _ address: UInt64, count: Int, into span: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool {
    guard let start = index(address, count) else { return false }
    for step in 0..<count { span[offset + step] = bytes[start + step] }
    return true
  }

  func write(_ span: Span<UInt8>, to address: UInt64) -> Bool {
    guard span.count > 0 else { return true }
    guard let start = index(address, span.count) else { return false }
    for step in 0..<span.count { bytes[start + step] = span[step] }
    return true
  }

  private func index(_ address: UInt64, _ count: Int) -> Int? {
    guard address >= Self.base, address - Self.base <= 1 << 16 else { return nil }
    let start = Int(address - Self.base)
    return start + count <= bytes.count ? start : nil
  }

  /// Writes bytes to memory at an offset from its base; returns their address.
  @discardableResult
  func put(_ new: [UInt8], at offset: Int) -> UInt64 {
    bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    return Self.base + UInt64(offset)
  }

  func ioctl(_ request: UInt32, _ argument: UInt64) -> Int {
    do throws(I2CErrno) {
      return try file.ioctl(request, argument, self)
    } catch {
      return -Int(error.rawValue)
    }
  }

  // MARK: C structures

  struct Message {
    var address: UInt16 = 0x76
    var flags: UInt16 = 0
    var length: Int
    var buffer: UInt64
  }

  /// Calls `I2C_RDWR` with some messages, or with an inconsistent count and list.
  func transfer(_ messages: [Message], count: UInt32? = nil, list: UInt64? = nil) -> Int {
    var words: [UInt8] = []
    for message in messages {
      words += Self.little(UInt64(message.address), 2) + Self.little(UInt64(message.flags), 2)
      words += Self.little(UInt64(message.length), 2) + [0, 0] + Self.little(message.buffer, 8)
    }
    let address = list ?? put(words, at: 0x400)
    let head = Self.little(address, 8) + Self.little(UInt64(count ?? UInt32(messages.count)), 4)
    return ioctl(I2CDeviceFile.Request.transfer, put(head + [0, 0, 0, 0], at: 0x300))
  }

  /// Calls `I2C_SMBUS`; direction 1 reads.
  ///
  /// The data are at an offset in memory, or missing if it is `nil`.
  func smbus(_ direction: UInt8, _ command: UInt8, _ size: UInt32, dataAt offset: Int?) -> Int {
    let address = offset.map { Self.base + UInt64($0) } ?? 0
    let head =
      [direction, command, 0, 0] + Self.little(UInt64(size), 4) + Self.little(address, 8)
    return ioctl(I2CDeviceFile.Request.smbus, put(head, at: 0x300))
  }

  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}

/// An adapter that records its requests, returns bytes set by the test and fails on demand.
final class ScriptedAdapter: I2CAdapter {
  let functionality: I2CFunctionality
  var quirks: I2CQuirks { .none }
  private(set) var transfers: [[I2CSegment]] = []
  private(set) var written: [[UInt8]] = []
  private var errors: [I2CError]
  private let answer: [UInt8]

  init(_ functionality: I2CFunctionality, _ errors: [I2CError], _ answer: [UInt8]) {
    self.functionality = functionality
    self.errors = errors
    self.answer = answer
  }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    transfers.append(segments.indices.map { segments[$0] })
    written.append(writing.indices.map { writing[$0] })
    if let error = errors.popLast() { throw error }
    for index in 0..<min(reading.count, answer.count) { reading[index] = answer[index] }
  }
}
