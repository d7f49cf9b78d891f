import Quantities
import TestSupport
import Testing
import Warehouse

/// The decoding of tag data, checked against published test vectors.
struct DecodingTests {
  @Test("a published CC2650 frame is decoded to the published values")
  func frame() throws {
    // The frame was captured with TI's app and published together with the decoded values.
    let decoded = TagKind.cc2650.humidity.decode(bytes("4065bc7a"))
    #expect(decoded.quality == [])
    let (temperature, humidity) = (decoded.values.temperature, decoded.values.humidity)
    #expect(abs(try #require(temperature) - 25.259) < 0.0005)
    #expect(abs(try #require(humidity) - 47.943) < 0.0005)
  }

  @Test("temperatures of 42.5 °C and more are decoded as positive, not as -40 °C and less")
  func unsigned() throws {
    let decoded = TagKind.cc2650.humidity.decode([0x00, 0x80, 0x00, 0x80])
    #expect(decoded.values.temperature == 42.5)
    #expect(decoded.quality == [])
  }

  @Test("the two status bits of a humidity are ignored", arguments: TagCatalogue.all)
  func masked(_ kind: TagKind) {
    let with = kind.humidity.decode([0x00, 0x60, 0xA3, 0x70])
    let without = kind.humidity.decode([0x00, 0x60, 0xA0, 0x70])
    #expect(with.values.humidity == without.values.humidity)
  }

  @Test("a negative temperature from the barometer is sign-extended from 24 bits")
  func signed() {
    let frost = TagKind.cc2650.pressure?.decode([0x18, 0xFC, 0xFF, 0xCD, 0x8B, 0x01])
    #expect(frost?.values.temperature == -10)
    #expect(frost?.values.pressure == 101325)
  }

  @Test("data is flagged if the sensor is disabled, silent or failed, or if the length is wrong")
  func flags() {
    let kind = TagKind.cc2650.humidity
    #expect(kind.decode([0, 0, 0, 0]).quality == .off)
    #expect(kind.decode([255, 255, 255, 255]).quality == .silent)
    #expect(kind.decode([0x40, 0x65]).quality == .length)
    #expect(TagKind.cc2541.humidity.decode([0, 0x60, 0xFC, 0xFF]).quality == .range)
    #expect(TagKind.cc2650.pressure?.decode([1, 2, 3, 4]).quality == .length)
  }

  @Test("encoding and parsing a record gives the same record, and a truncated record is rejected")
  func json() {
    let reading = TagReading(
      hub: "h\"1", sequence: 7, time: 1_767_225_600_250_000_001, tag: "A4:DA:32:00:00:01",
      kind: "cc2650", firmware: "1.12", values: AirReading(temperature: 25.25, humidity: 47.9),
      battery: 80, rssi: -71, quality: [.rate], characteristic: "AA21", raw: bytes("4065bc7a"))
    #expect(TagReading(json: reading.json) == reading)
    #expect(reading.json.contains("2026-01-01T00:00:00.250000001Z"))
    for count in 0..<reading.json.utf8.count {
      #expect(TagReading(json: String(reading.json.prefix(count))) == nil)
    }
  }
}
