// Inlined without exception: Embedded Swift puts a trap in the place of what an extension does behind `any I2CAdapter`.
extension I2CAdapter {
  /// Asks whether a target acknowledges its address, without writing anything.
  ///
  ///     S  76 W A  P
  ///
  /// - Throws: ``I2CError``, of kind ``I2CError/Kind/addressNack`` when nobody answers.
  @inlinable @inline(__always)
  public func probe(_ address: I2CAddress) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.write(0, to: address)]
    var nothing = MutableSpan<UInt8>()
    try transfer(segments.span, writing: Span(), reading: &nothing)
  }

  /// Writes bytes in one message.
  ///
  ///     S  76 W A  [byte] A ... [byte] A  P
  ///
  /// - Throws: ``I2CError``; the bytes before a NACK have taken effect.
  @inlinable @inline(__always)
  public func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.write(bytes.count, to: address)]
    var nothing = MutableSpan<UInt8>()
    try transfer(segments.span, writing: bytes, reading: &nothing)
  }

  /// Writes one register.
  ///
  ///     S  76 W A  [register] A  [value] A  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func writeRegister(
    _ register: UInt8, _ value: UInt8, at address: I2CAddress
  ) throws(I2CError) {
    let bytes: InlineArray<2, UInt8> = [register, value]
    try write(bytes.span, to: address)
  }

  /// Reads bytes in one message, `buffer.count` of them.
  ///
  ///     S  76 R A  [byte] A ... [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func read(
    into buffer: inout MutableSpan<UInt8>, from address: I2CAddress
  ) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.read(buffer.count, from: address)]
    try transfer(segments.span, writing: Span(), reading: &buffer)
  }

  /// Reads `count` registers from `register` on, into the start of `buffer`.
  ///
  ///     S  76 W A  [register] A  Sr  76 R A  [byte] A ... [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func readRegisters(
    from register: UInt8, count: Int, into buffer: inout MutableSpan<UInt8>,
    at address: I2CAddress
  ) throws(I2CError) {
    precondition(buffer.count >= count, "the buffer is shorter than the read")
    let pointer: InlineArray<1, UInt8> = [register]
    let segments: InlineArray<2, I2CSegment> = [
      .write(1, to: address), .read(count, from: address),
    ]
    try transfer(segments.span, writing: pointer.span, reading: &buffer)
  }

  /// Reads one register.
  ///
  ///     S  76 W A  [register] A  Sr  76 R A  [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func readRegister(
    _ register: UInt8, at address: I2CAddress
  ) throws(I2CError) -> UInt8 {
    var byte: InlineArray<1, UInt8> = [0]
    var buffer = byte.mutableSpan
    try readRegisters(from: register, count: 1, into: &buffer, at: address)
    return byte[0]
  }
}
