import I2C
import Testing

/// The limits of an adapter reject the same messages as the kernel does.
struct I2CQuirksTests {
  static let register: [I2CSegment] = [.write(1, to: 0x76), .read(26, from: 0x76)]

  @Test("an adapter without limits accepts every message")
  func none() {
    #expect(I2CQuirks.none.rejected(in: Self.register) == nil)
    #expect(I2CQuirks.none.longestRegisterRead == Int.max)
  }

  @Test(
    "a message that exceeds one of the adapter's limits is rejected",
    arguments: [
      (I2CQuirks(maxReadLength: 18), 1), (I2CQuirks(maxReadLength: 26), nil),
      (I2CQuirks(maxCombinedReadLength: 25), 1), (I2CQuirks(maxMessages: 1), 1),
      (I2CQuirks(maxMessages: 2), nil), (I2CQuirks(noZeroLength: true), nil),
    ] as [(I2CQuirks, Int?)])
  func registerRead(_ quirks: I2CQuirks, _ message: Int?) {
    #expect(quirks.rejected(in: Self.register) == message)
  }

  @Test("the limits of combined transfers do not apply to single messages")
  func combinedOnly() {
    let quirks = I2CQuirks(maxCombinedWriteLength: 1, maxCombinedReadLength: 2)
    let single: [I2CSegment] = [.read(100, from: 0x76)]
    #expect(quirks.rejected(in: single) == nil)
    let combined: [I2CSegment] = [.write(2, to: 0x76), .read(1, from: 0x76)]
    #expect(quirks.rejected(in: combined) == 0)
  }

  @Test("a write is rejected if it is too long, and a probe if the adapter allows no empty message")
  func writesAndProbes() {
    let write: [I2CSegment] = [.write(5, to: 0x76)]
    #expect(I2CQuirks(maxWriteLength: 4).rejected(in: write) == 0)
    #expect(I2CQuirks(maxWriteLength: 5).rejected(in: write) == nil)
    let probe: [I2CSegment] = [.write(0, to: 0x76)]
    #expect(I2CQuirks(noZeroLength: true).rejected(in: probe) == 0)
  }

  @Test("the longest register read is the smaller of the limits of all reads and of combined reads")
  func longestRegisterRead() {
    #expect(I2CQuirks(maxReadLength: 18).longestRegisterRead == 18)
    #expect(I2CQuirks(maxReadLength: 18, maxCombinedReadLength: 6).longestRegisterRead == 6)
  }
}

extension I2CQuirks {
  /// Returns the index of the rejected message in an array, because expectations do not accept a
  /// span.
  fileprivate func rejected(in segments: [I2CSegment]) -> Int? { violation(in: segments.span) }
}
