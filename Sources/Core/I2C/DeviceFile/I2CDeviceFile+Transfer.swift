extension I2CDeviceFile {
  /// Handles `I2C_RDWR`: copies the messages from the caller's memory, transfers them and copies
  /// the read bytes back.
  func transferMessages(
    _ argument: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) -> Int {
    var head = InlineArray<16, UInt8>(repeating: 0)
    var bytes = head.mutableSpan
    guard memory.read(argument, count: 16, into: &bytes, at: 0) else { throw .efault }
    let list = Self.word64(head.span, at: 0)
    let count = Self.word32(head.span, at: 8)
    guard list != 0, count > 0, count <= UInt32(Self.maxMessages) else { throw .einval }
    var raw = InlineArray<672, UInt8>(repeating: 0)
    var words = raw.mutableSpan
    guard memory.read(list, count: Int(count) * 16, into: &words, at: 0) else { throw .efault }
    try checkAdapterMakesMessages()

    staged.begin()
    var buffers = InlineArray<42, UInt64>(repeating: 0)
    for index in 0..<Int(count) {
      let message = Message(raw.span, at: index * 16)
      try add(message, memory)
      buffers[index] = message.buffer
    }
    try staged.run(on: node, memory)
    try copyBack(to: buffers.span, memory)
    return Int(count)
  }

  /// One `struct i2c_msg`.
  private struct Message {
    let address, flags: UInt16
    let length: Int
    let buffer: UInt64

    init(_ bytes: Span<UInt8>, at offset: Int) {
      address = word16(bytes, at: offset)
      flags = word16(bytes, at: offset + 2)
      length = Int(word16(bytes, at: offset + 4))
      buffer = word64(bytes, at: offset + 8)
    }

    var isRead: Bool { flags & 0x0001 != 0 }

    /// The flags other than the direction and the kernel-internal `I2C_M_DMA_SAFE`.
    var modifiers: I2CSegment.Flags { I2CSegment.Flags(rawValue: flags & ~0x0201) }
  }

  private func add(_ message: Message, _ memory: any I2CCallerMemory) throws(I2CErrno) {
    guard message.length <= Self.maxLength else { throw .einval }
    // Like the kernel, copy also the buffers of reads before the transfer begins, so an invalid
    // buffer fails with EFAULT at once.
    try staged.fetch(message.length, from: message.buffer, memory)
    var length = message.length
    if message.modifiers.contains(.receiveLength) {
      guard message.isRead, message.length >= 1 else { throw .einval }
      length = Int(staged.written[staged.written.count - message.length])
      guard length >= 1, message.length >= length + Self.longestBlock else { throw .einval }
    }
    if message.isRead { staged.dropLast(message.length) }
    guard let address = I2CAddress(rawValue: message.address) else { throw .einval }
    staged.add(
      I2CSegment(
        address: address, direction: message.isRead ? .read : .write, count: length,
        flags: message.modifiers))
  }

  /// Copies the bytes of all read messages to the caller, the last message first, as the kernel does.
  private func copyBack(
    to buffers: Span<UInt64>, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    let segments = staged.segments
    var end = 0
    for segment in segments where segment.direction == .read { end += segment.count }
    var isComplete = true
    for index in segments.indices.reversed() where segments[index].direction == .read {
      let start = end - segments[index].count
      if !staged.copyOut(start..<end, to: buffers[index], memory) { isComplete = false }
      end = start
    }
    guard isComplete else { throw .efault }
  }

  /// Adds a message that writes to or reads from `address`, which the caller sets with
  /// `I2C_SLAVE`.
  func add(
    _ direction: I2CSegment.Direction, _ count: Int, _ flags: I2CSegment.Flags = []
  ) {
    staged.add(
      I2CSegment(
        address: address, direction: direction, count: count,
        flags: isTenBit ? flags.union(.tenBit) : flags))
  }

  // MARK: Little-endian words in memory

  static func word16(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  static func word32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    UInt32(word16(bytes, at: offset)) | UInt32(word16(bytes, at: offset + 2)) << 16
  }

  static func word64(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    UInt64(word32(bytes, at: offset)) | UInt64(word32(bytes, at: offset + 4)) << 32
  }
}

/// A transfer that is being assembled, with its messages, the bytes to write and the buffer for the
/// bytes read.
///
/// The buffers are reused, so later transfers allocate nothing.
struct StagedTransfer {
  private(set) var segments: [I2CSegment] = []
  private(set) var written: [UInt8] = []
  private(set) var received: [UInt8] = []

  /// Removes all messages.
  mutating func begin() {
    segments.removeAll(keepingCapacity: true)
    written.removeAll(keepingCapacity: true)
  }

  /// Adds a message; the bytes of a write are added separately.
  mutating func add(_ segment: I2CSegment) { segments.append(segment) }

  /// Appends a byte to write.
  mutating func append(_ byte: UInt8) { written.append(byte) }

  /// Lengthens the last message by one byte.
  mutating func lengthenLast() { segments[segments.count - 1].count += 1 }

  /// Copies bytes from the caller's memory and appends them to the bytes to write.
  mutating func fetch(
    _ count: Int, from source: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    guard count > 0 else { return }
    let start = written.count
    written.append(contentsOf: repeatElement(0, count: count))
    var bytes = written.mutableSpan
    guard memory.read(source, count: count, into: &bytes, at: start) else { throw .efault }
  }

  /// Removes the last bytes, which were copied only to check that the caller's memory is readable.
  mutating func dropLast(_ count: Int) { written.removeLast(count) }

  /// Makes the transfer, unless the caller's system call has been cancelled.
  mutating func run(
    on node: I2CDeviceNode, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    var count = 0
    for segment in segments where segment.direction == .read {
      count += segment.count
      if segment.flags.contains(.receiveLength) { count += I2CDeviceFile.longestBlock }
    }
    if received.count < count {
      received.append(contentsOf: repeatElement(0, count: count - received.count))
    }
    guard memory.isWaiting else { throw .eio }
    let (segments, written) = (segments, written)
    var reading = received.mutableSpan
    try node.transfer(segments.span, writing: written.span, reading: &reading)
  }

  /// Copies some of the read bytes to an address in the caller's memory; returns `false` if that
  /// memory is not writable.
  func copyOut(
    _ range: Range<Int>, to address: UInt64, _ memory: any I2CCallerMemory
  ) -> Bool {
    memory.write(received.span.extracting(range), to: address)
  }

  /// Returns the packet error code computed over a message and its bytes, continuing from `start`.
  func packetErrorCode(of segment: I2CSegment, from start: UInt8) -> UInt8 {
    let bytes = segment.direction == .write ? written.span : received.span
    return PacketErrorCode.of(segment, bytes, from: start)
  }
}

/// The memory of a program that calls an `I2CDeviceFile`.
///
/// The program may change its memory at any time and may pass invalid addresses, so each value is
/// read only once and then checked.
public protocol I2CCallerMemory: AnyObject {
  /// Copies `count` bytes from an address to an offset in a buffer; returns `false` if any of them
  /// is not readable.
  func read(
    _ address: UInt64, count: Int, into bytes: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool

  /// Copies bytes to an address; returns `false` if any part of the destination is not writable.
  func write(_ bytes: Span<UInt8>, to address: UInt64) -> Bool

  /// `true` if the caller still waits for its system call. A cancelled call must not use the bus.
  var isWaiting: Bool { get }
}
