extension I2CDeviceFile {
  /// `I2C_RDWR`: takes the messages out of the caller's memory, transfers them, gives back what was read.
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

    staged.begin()
    var places = InlineArray<42, UInt64>(repeating: 0)
    for index in 0..<Int(count) {
      let message = Message(raw.span, at: index * 16)
      try add(message, memory)
      places[index] = message.buffer
    }
    try staged.run(on: node, memory)
    try giveBack(places.span, memory)
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

    /// The modifiers, without the direction and the kernel's own `I2C_M_DMA_SAFE`.
    var modifiers: I2CSegment.Flags { I2CSegment.Flags(rawValue: flags & ~0x0201) }
  }

  private func add(_ message: Message, _ memory: any I2CCallerMemory) throws(I2CErrno) {
    guard message.length <= Self.maxLength else { throw .einval }
    // The kernel copies the buffers of reads too before it begins: a wrong one is EFAULT at once.
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

  /// Gives the bytes of all read messages back, the last message first, as the kernel does.
  private func giveBack(
    _ places: Span<UInt64>, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    let segments = staged.segments
    var end = 0
    for segment in segments where segment.direction == .read { end += segment.count }
    var isComplete = true
    for index in segments.indices.reversed() where segments[index].direction == .read {
      let start = end - segments[index].count
      if !staged.give(start..<end, to: places[index], memory) { isComplete = false }
      end = start
    }
    guard isComplete else { throw .efault }
  }

  /// Adds a message to the address in force.
  func add(
    _ direction: I2CSegment.Direction, _ count: Int, _ flags: I2CSegment.Flags = []
  ) {
    staged.add(
      I2CSegment(
        address: address, direction: direction, count: count,
        flags: isTenBit ? flags.union(.tenBit) : flags))
  }

  // MARK: Words as they lie in memory

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
