import BluetoothLE
import TestSupport
import Testing

/// UUIDs, addresses and advertisements as text and as transmitted bytes.
struct ValueTests {
  @Test(
    "a UUID keeps its value when it is formatted, parsed and encoded",
    arguments: ["AA80", "180F", "F000AA20-0451-4000-B000-000000000000"])
  func uuid(text: String) throws {
    let uuid = try #require(BLEUUID(text))
    #expect(uuid.description == text)
    #expect(uuid.bytes.count == (text.count == 4 ? 2 : 16))
    #expect(BLEUUID(bytes: uuid.bytes) == uuid)
  }

  @Test("the low byte of a UUID is sent first")
  func order() {
    #expect(BLEUUID(0xAA80).bytes == [0x80, 0xAA])
    let bytes = BLEUUID("F000AA20-0451-4000-B000-000000000000")?.bytes
    #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 0xB0, 0, 0x40, 0x51, 0x04, 0x20, 0xAA, 0, 0xF0])
    #expect(BLEUUID("0000180A-0000-1000-8000-00805F9B34FB") == BLEUUID(0x180A))
  }

  @Test(
    "a malformed UUID is rejected",
    arguments: [
      "", "+180", "18-A", "F000AA20-0451-4000-B000-00000000000", "G000",
      "F000AA20045140-00B0-00-00-00000000000",
    ])
  func noUUID(text: String) { #expect(BLEUUID(text) == nil) }

  @Test("an address is formatted and parsed, and a malformed address is rejected")
  func address() {
    let address = BLEAddress(0xC4BE_8470_1122)
    #expect(address.description == "C4:BE:84:70:11:22")
    #expect(BLEAddress("c4:be:84:70:11:22/P") == BLEAddress(0xC4BE_8470_1122, isRandom: false))
    for text in ["", "C4:BE:84:70:11", "C4:BE:84:70:11:2", "C4:BE:84:70:11:+2", "/P"] {
      #expect(BLEAddress(text) == nil)
    }
  }

  @Test("the name, services and manufacturer data of an advertisement are parsed")
  func advertisement() {
    let data = BLEAdvertisingData(
      reading: [2, 1, 6, 3, 2, 0x80, 0xAA, 4, 0xFF, 0x0D, 0, 1, 3, 9, 65, 66, 0, 0])
    #expect(data.name == "AB")
    #expect(data.services == [BLEUUID(0xAA80)])
    #expect(data.manufacturer?.company == 13)
    #expect(data.manufacturer?.bytes == [1])
    #expect(!data.isCut)
    #expect(BLEAdvertisingData(reading: [2, 1, 6, 9, 9, 65]).isCut)
  }

  @Test("100,000 malformed advertisements are parsed without a crash")
  func strange() {
    var chance = Seeded("advertisements")
    for _ in 0..<100_000 {
      let bytes = (0..<Int(chance.next() % 40)).map { _ in
        UInt8(truncatingIfNeeded: chance.next() % 3 == 0 ? chance.next() % 8 : chance.next())
      }
      let data = BLEAdvertisingData(reading: bytes)
      _ = (data.name, data.services, data.manufacturer)
      // The parsed part is a prefix of the input.
      #expect(bytes.starts(with: data.bytes))
    }
  }
}
