extension I2CDeviceFile {
  /// The longest SMBus block, in bytes.
  static var longestBlock: Int { 32 }

  /// The SMBus transaction types, with the numbers of <linux/i2c.h>.
  enum Transaction: UInt32 {
    case quick, byte, byteData, wordData, processCall, blockData, oldI2CBlock, blockProcessCall
    case i2cBlock

    /// The number of bytes that the transaction uses in the caller's `union i2c_smbus_data`.
    var dataSize: Int {
      switch self {
      case .quick: 0
      case .byte, .byteData: 1
      case .wordData, .processCall: 2
      case .blockData, .oldI2CBlock, .blockProcessCall, .i2cBlock: 34
      }
    }

    /// `true` if the transaction both writes and reads, whatever direction the caller passes.
    var isCall: Bool { self == .processCall || self == .blockProcessCall }
  }

  /// The data of a transaction: `union i2c_smbus_data`.
  typealias Block = InlineArray<34, UInt8>

  /// Handles `I2C_SMBUS`: one SMBus transaction, emulated with I2C messages.
  func smbus(_ argument: UInt64, _ memory: any I2CCallerMemory) throws(I2CErrno) {
    var head = InlineArray<16, UInt8>(repeating: 0)
    var bytes = head.mutableSpan
    guard memory.read(argument, count: 16, into: &bytes, at: 0) else { throw .efault }
    let (direction, command) = (head[0], head[1])
    let dataAddress = Self.word64(head.span, at: 8)
    guard var kind = Transaction(rawValue: Self.word32(head.span, at: 4)), direction <= 1 else {
      throw .einval
    }
    let isRead = direction == 1
    var data = Block(repeating: 0)
    let needsData = kind != .quick && !(kind == .byte && !isRead)
    guard needsData else {
      return try perform(kind, isRead: isRead, command: command, &data, memory)
    }
    guard dataAddress != 0 else { throw .einval }
    let size = kind.dataSize
    if !isRead || kind.isCall || kind == .i2cBlock {
      var bytes = data.mutableSpan
      guard memory.read(dataAddress, count: size, into: &bytes, at: 0) else { throw .efault }
    }
    if kind == .oldI2CBlock {
      kind = .i2cBlock
      if isRead { data[0] = UInt8(Self.longestBlock) }
    }
    try perform(kind, isRead: isRead, command: command, &data, memory)
    if isRead || kind.isCall {
      guard memory.write(data.span.extracting(first: size), to: dataAddress) else { throw .efault }
    }
  }

  /// Builds the messages of a transaction, transfers them and extracts the data.
  private func perform(
    _ kind: Transaction, isRead: Bool, command: UInt8, _ data: inout Block,
    _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    staged.begin()
    try addMessages(kind, isRead: isRead, command: command, data)
    // An adapter that knows only SMBus transactions adds the code itself, or ignores the setting.
    let wantsPEC =
      checksPackets && kind != .quick && kind != .i2cBlock
      && node.adapter.functionality.contains(.i2c)
    let code = wantsPEC ? addPacketErrorCode() : 0
    try staged.run(on: node, memory)
    if wantsPEC { try checkPacketErrorCode(from: code) }
    if isRead || kind.isCall { try take(kind, into: &data) }
  }

  /// Appends the packet error code (PEC) to the bytes of a write-only transaction, or lengthens a
  /// read by one byte to receive it.
  ///
  /// Returns the code computed over the bytes to write, or 0 if the transaction begins with a read.
  private func addPacketErrorCode() -> UInt8 {
    var code: UInt8 = 0
    if staged.segments[0].direction == .write {
      code = staged.packetErrorCode(of: staged.segments[0], from: 0)
      if staged.segments.count == 1 { staged.append(code) }
    }
    staged.lengthenLast()
    return code
  }

  private func checkPacketErrorCode(from code: UInt8) throws(I2CErrno) {
    guard var last = staged.segments.last, last.direction == .read else { return }
    last.count -= 1
    if last.flags.contains(.receiveLength) { last.count += Int(min(staged.received[0], 32)) }
    guard staged.received[last.count] == staged.packetErrorCode(of: last, from: code) else {
      throw .ebadmsg
    }
  }

  private func addMessages(
    _ kind: Transaction, isRead: Bool, command: UInt8, _ data: Block
  ) throws(I2CErrno) {
    switch kind {
    case .quick: return add(isRead ? .read : .write, 0)
    case .byte where isRead: return add(.read, 1)
    default: staged.append(command)
    }
    let block = Int(data[0])
    switch kind {
    case .quick, .byte, .oldI2CBlock: break
    case .byteData: if !isRead { append(data, 0..<1) }
    case .wordData: if !isRead { append(data, 0..<2) }
    case .processCall: append(data, 0..<2)
    case .blockData:
      if !isRead {
        guard block <= Self.longestBlock else { throw .einval }
        append(data, 0..<(block + 1))
      }
    case .blockProcessCall:
      guard block <= Self.longestBlock else { throw .einval }
      append(data, 0..<(block + 1))
    case .i2cBlock:
      guard block <= Self.longestBlock else { throw .einval }
      if !isRead { append(data, 1..<(block + 1)) }
    }
    add(.write, staged.written.count)
    guard isRead && kind != .byte || kind.isCall else { return }
    switch kind {
    case .byteData: add(.read, 1)
    case .wordData, .processCall: add(.read, 2)
    case .i2cBlock: add(.read, block)
    default:
      // The target sends the length. Adapters that do not support this read one byte, or reject the message.
      add(.read, 1, [.receiveLength])
    }
  }

  private func append(_ data: Block, _ range: Range<Int>) {
    for index in range { staged.append(data[index]) }
  }

  private func take(_ kind: Transaction, into data: inout Block) throws(I2CErrno) {
    let received = staged.received
    switch kind {
    case .quick, .oldI2CBlock: break
    case .byte, .byteData: data[0] = received[0]
    case .wordData, .processCall: (data[0], data[1]) = (received[0], received[1])
    case .i2cBlock: for index in 0..<Int(data[0]) { data[index + 1] = received[index] }
    case .blockData, .blockProcessCall:
      guard received[0] <= UInt8(Self.longestBlock) else { throw .eproto }
      for index in 0...Int(received[0]) { data[index] = received[index] }
    }
  }
}

/// The SMBus packet error code (PEC): a CRC-8 with the polynomial x^8 + x^2 + x + 1.
enum PacketErrorCode {
  /// Returns the code computed over the address byte of a message and its data bytes.
  static func of(_ segment: I2CSegment, _ bytes: Span<UInt8>, from start: UInt8) -> UInt8 {
    let direction: UInt8 = segment.direction == .read ? 1 : 0
    var code = next(start, UInt8(truncatingIfNeeded: segment.address.rawValue << 1) | direction)
    for index in 0..<segment.count { code = next(code, bytes[index]) }
    return code
  }

  private static func next(_ code: UInt8, _ byte: UInt8) -> UInt8 {
    var value = code ^ byte
    for _ in 0..<8 { value = value & 0x80 != 0 ? value << 1 ^ 0x07 : value << 1 }
    return value
  }
}
