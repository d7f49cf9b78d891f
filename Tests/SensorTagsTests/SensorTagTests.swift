import BluetoothLE
import Environment
import SensorTags
import Testing
import VirtualI2C

/// The behavior of the tags: attribute tables, configuration and period, timing, formats and
/// failures.
struct SensorTagTests {
  @Test("the CC2650 advertises the documented bytes")
  func advertising() {
    let bytes = TagModel.cc2650.advertising(keys: 1)
    #expect(bytes.data == [2, 1, 6, 3, 2, 0x80, 0xAA, 4, 0xFF, 0x0D, 0, 1])
    #expect(
      bytes.scanResponse
        == [0x11, 0x09] + Array("CC2650 SensorTag".utf8)
        + [0x05, 0x12, 0x50, 0x00, 0xA0, 0x00, 0x02, 0x0A, 0x00])
    let older = BLEAdvertisingData(reading: TagModel.cc2541.advertising().scanResponse)
    #expect(older.name == "SensorTag")
  }

  @Test("a passive scanner does not receive a tag's name")
  func passive() {
    for isActive in [false, true] {
      let bench = TagBench()
      bench.central.send(.scan(isActive: isActive))
      var names: Set<String> = []
      while let event = bench.central.next(by: 1_000_000_000) {
        guard case .advertisement(let heard) = event.kind else { continue }
        if let name = BLEAdvertisingData(reading: heard.data).name { names.insert(name) }
      }
      #expect(names == (isActive ? ["CC2650 SensorTag"] : []))
    }
  }

  @Test("the handles match the attribute dump of a real tag")
  func handles() throws {
    let bench = TagBench()
    try bench.connect()
    let services = bench.services
    #expect(services.characteristic(BLEUUID(0x2A00))?.handle == 0x03)
    #expect(services.first { $0.uuid == BLEUUID(0x1801) }?.handle == 0x08)
    #expect(services.first { $0.uuid == BLEUUID(0x180A) }?.handle == 0x0C)
    #expect(services.first { $0.uuid == TagModel.identifier(0xAA00) }?.handle == 0x1F)
    #expect(bench.handle(0xAA01) == 0x21)
    for number: UInt16 in [0xAA20, 0xAA40, 0xAA70, 0xAA80] {
      #expect(services.contains { $0.uuid == TagModel.identifier(number) })
    }
    #expect(services.characteristic(TagModel.identifier(0xAA43)) == nil)
    let data = services.characteristic(TagModel.identifier(0xAA21))
    #expect(data?.properties.rawValue == 0x12)
    #expect(services.characteristic(TagModel.identifier(0xAA22))?.properties.rawValue == 0x0A)
  }

  @Test("the CC2541 has one sensor and reports no model number")
  func older() throws {
    let bench = TagBench(.cc2541)
    try bench.connect()
    #expect(!bench.services.contains { $0.uuid == TagModel.identifier(0xAA40) })
    bench.write([1], 0xAA22)
    let data = try #require(
      bench.notifications(for: 0).isEmpty ? bench.after(2_000_000_000, 0xAA21) : nil)
    let words = [UInt16(data[0]) | UInt16(data[1]) << 8, UInt16(data[2]) | UInt16(data[3]) << 8]
    // The status bits of a humidity are 10.
    #expect(words[1] & 3 == 2)
    let codes = words.map { Double($0 & 0xFFFC) / 65536 }
    let (celsius, humidity): (Double, Double) = (codes[0] * 175.72 - 46.85, codes[1] * 125 - 6)
    #expect(abs(celsius - 25) < 0.05)
    #expect(abs(humidity - 60) < 0.1)
  }

  @Test(
    "a CC2650 tag notifies the temperature and humidity of the air as the HDC1000's words",
    arguments: [(-20.0, 30.0), (25, 60), (42.4, 80), (45, 99), (60, 10)])
  func humidity(celsius: Double, humidity: Double) throws {
    let bench = TagBench(celsius: celsius, humidity: humidity)
    try bench.connect()
    #expect(bench.read(0xAA21) == [0, 0, 0, 0])
    bench.write([1], 0xAA22)
    let data = try #require(bench.after(2_000_000_000, 0xAA21))
    let temperature = UInt16(data[0]) | UInt16(data[1]) << 8
    let code = UInt16(data[2]) | UInt16(data[3]) << 8
    // The word is unsigned, so at 45 °C its most significant bit is set.
    #expect((temperature >= 0x8000) == (celsius > 42.5))
    let found: (Double, Double) = (
      Double(temperature) / 65536 * 165 - 40, Double(code) / 65536 * 100
    )
    #expect(abs(found.0 - celsius) < 0.02)
    #expect(abs(found.1 - humidity) < 0.05)
    // Disabling the sensor zeroes the data, for which the formula would give -40 °C and 0 %.
    bench.write([0], 0xAA22)
    #expect(bench.read(0xAA21) == [0, 0, 0, 0])
  }

  @Test(
    "the barometer notifies 24 bits of pressure, and a temperature whose sign is bit 23",
    arguments: [-12.5, 21.0])
  func pressure(celsius: Double) throws {
    let bench = TagBench(celsius: celsius)
    try bench.connect()
    bench.write([1], 0xAA42)
    let data = try #require(bench.after(2_000_000_000, 0xAA41))
    #expect(data.count == 6)
    let hundredths = Int32(data[0]) | Int32(data[1]) << 8 | Int32(data[2]) << 16
    let signed = (hundredths << 8) >> 8
    #expect((hundredths & 0x80_0000 != 0) == (celsius < 0))
    #expect(abs(Double(signed) / 100 - celsius) <= 0.02)
    let pascals = Int32(data[3]) | Int32(data[4]) << 8 | Int32(data[5]) << 16
    // Without oversampling, a step of pressure is 2.6 Pa, and the 32-bit formula adds an error.
    #expect(abs(pascals - 100_653) <= 6, "\(pascals)")
  }

  @Test(
    "data is notified 15 ms (humidity) or 80 ms (pressure) after each measurement starts",
    arguments: [(UInt16(0xAA20), UInt64(15)), (0xAA40, 80)])
  func times(service: UInt16, wait: UInt64) throws {
    let bench = TagBench()
    try bench.connect()
    bench.subscribe(service + 1)
    let start = bench.air.nanoseconds
    bench.write([1], service + 2)
    let notifications = bench.notifications(for: 5_000_000_000)
    let first = try #require(notifications.first)
    // The write arrives at the next connection event (every 30 ms), the notification at a later
    // one.
    let earliest = start + wait * 1_000_000
    #expect((earliest...earliest + 90_000_000).contains(first.time), "\(first.time - start)")
    #expect(notifications.count == 5)
    for (one, next) in zip(notifications, notifications.dropFirst()) {
      #expect(abs(Int64(next.time - one.time) - 1_000_000_000) <= 30_000_000)
    }
  }

  @Test("a period is in units of 10 ms and is at least 300 ms")
  func period() throws {
    let bench = TagBench()
    try bench.connect()
    #expect(bench.read(0xAA23) == [100])
    bench.write([10], 0xAA23)
    #expect(bench.read(0xAA23) == [30])
    bench.subscribe(0xAA21)
    bench.write([1], 0xAA22)
    #expect((30...35).contains(bench.notifications(for: 10_000_000_000).count))
    bench.write([255], 0xAA23)
    _ = bench.notifications(for: 3_000_000_000)
    #expect(bench.notifications(for: 25_500_000_000).count == 10)
  }

  @Test(
    "after a failed test, or without a sensor, the configuration reads FF and no data is notified")
  func selfTest() throws {
    let bench = TagBench()
    try bench.connect()
    bench.tag.parts[0].setSupply(false, at: bench.air.nanoseconds)
    #expect(bench.write([1], 0xAA22) == .success(.nothing))
    #expect(bench.read(0xAA22) == [0xFF])
    bench.write([1], 0xAA82)
    #expect(bench.read(0xAA82) == [0xFF])
    bench.subscribe(0xAA21)
    #expect(bench.notifications(for: 5_000_000_000).isEmpty)
    // The sensor responds again, so the next test passes.
    bench.tag.parts[0].setSupply(true, at: bench.air.nanoseconds)
    bench.write([1], 0xAA22)
    #expect(bench.read(0xAA22) == [1])
  }

  @Test("an invalid configuration is rejected")
  func refused() throws {
    let bench = TagBench()
    try bench.connect()
    #expect(bench.write([1, 0], 0xAA22) == .failure(.refused(code: 0x0D)))
    #expect(bench.write([], 0xAA23) == .failure(.refused(code: 0x0D)))
    #expect(bench.write([7], 0xAA22) == .failure(.refused(code: 0x80)))
    #expect(bench.read(0xAA22) == [0])
  }

  @Test("a sensor that fails after its test notifies zeros")
  func failure() throws {
    let bench = TagBench()
    try bench.connect()
    bench.subscribe(0xAA21)
    bench.write([1], 0xAA22)
    #expect(bench.notifications(for: 1_500_000_000).last?.value != [0, 0, 0, 0])
    bench.tag.parts[0].setSupply(false, at: bench.air.nanoseconds)
    #expect(bench.notifications(for: 3_000_000_000).last?.value == [0, 0, 0, 0])
  }

  @Test("a disconnected tag disables all sensors and advertises again")
  func left() throws {
    let bench = TagBench()
    try bench.connect()
    bench.write([50], 0xAA23)
    bench.write([1], 0xAA22)
    _ = bench.outcome(.disconnect(bench.link))
    try bench.connect()
    #expect(bench.read(0xAA22) == [0])
    #expect(bench.read(0xAA23) == [100])
  }

  @Test("a tag notifies its battery level and its keys")
  func battery() throws {
    let bench = TagBench()
    try bench.connect()
    let level = try #require(bench.services.characteristic(BLEUUID(0x2A19))?.handle)
    #expect(bench.outcome(.read(bench.link, handle: level)).result == .success(.value([100])))
    let keys = try #require(bench.services.characteristic(BLEUUID(0xFFE1))?.handle)
    for handle in [level, keys] { _ = bench.outcome(.subscribe(bench.link, handle: handle)) }
    bench.tag.battery = 17
    bench.tag.keys = 3
    #expect(bench.notifications(for: 1_000_000_000).map(\.value) == [[17], [3]])
  }

  @Test("a tag without power sends nothing, and restarts at power-on")
  func power() throws {
    let bench = TagBench()
    try bench.connect()
    bench.write([1], 0xAA22)
    bench.radio.isOn = false
    bench.tag.powerOff()
    bench.air.wait(nanoseconds: 10_000_000_000)
    #expect(bench.tag.nextChange == nil)
    bench.radio.isOn = true
    bench.tag.powerOn()
    try bench.connect()
    #expect(bench.read(0xAA22) == [0])
  }
}

extension TagBench {
  /// Returns the value of a characteristic after a time in nanoseconds.
  func after(_ nanoseconds: UInt64, _ number: UInt16) -> [UInt8]? {
    _ = notifications(for: nanoseconds)
    return read(number)
  }
}
