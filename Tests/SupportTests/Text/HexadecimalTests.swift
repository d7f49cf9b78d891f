import Support
import Testing

/// Numbers in hexadecimal digits with leading zeros.
struct HexadecimalTests {
  @Test("a number is padded to the requested number of digits and never truncated")
  func digits() {
    #expect((0...255 as ClosedRange<UInt8>).allSatisfy { Hexadecimal.digits($0).count == 2 })
    #expect(Hexadecimal.digits(0x0A) == "0a" && Hexadecimal.digits(0xA0) == "a0")
    #expect(Hexadecimal.digits(0x76 as UInt16, 4) == "0076")
    #expect(Hexadecimal.digits(0xF_ABCD as UInt, 4) == "fabcd")
    #expect(Hexadecimal.digits(UInt64.max, 12) == "ffffffffffffffff")
    #expect(Hexadecimal.digits(0 as UInt64, 8) == "00000000")
  }

  @Test("a byte converted to hexadecimal digits and back is unchanged")
  func bothWays() {
    for byte in UInt8.min...UInt8.max {
      #expect(Hexadecimal.bytes(Hexadecimal.digits(byte)) == [byte])
      #expect(Hexadecimal.bytes(Hexadecimal.digits(byte).uppercased()) == [byte])
    }
  }
}
