import Chips
import Environment
import I2C
import Support
import TestSupport
import Testing
import VirtualI2C

/// Memories, clocks and displays on a virtual bus, against their data sheets.
struct BoardDeviceTests {
  /// A bus with one device.
  private struct Wire {
    let clock = VirtualClock()
    let adapter: VirtualAdapter
    let address: I2CAddress

    init(_ device: some VirtualI2CDevice) throws {
      adapter = VirtualAdapter(clock: clock)
      address = device.address
      try adapter.attach(device)
    }

    func write(_ bytes: UInt8...) throws(I2CError) { try adapter.write(bytes.span, to: address) }

    /// Writes bytes, and reads after a repeated start.
    func read(_ count: Int, after bytes: UInt8...) throws(I2CError) -> [UInt8] {
      var answer = [UInt8](repeating: 0, count: count)
      let segments =
        (bytes.isEmpty ? [] : [I2CSegment.write(bytes.count, to: address)])
        + [I2CSegment.read(count, from: address)]
      var span = answer.mutableSpan
      try adapter.transfer(segments.span, writing: bytes.span, reading: &span)
      return answer
    }

    func wait(_ seconds: Double) { clock.wait(nanoseconds: UInt64(seconds * 1e9)) }
  }

  private static func address(_ number: UInt16) throws -> I2CAddress {
    try #require(I2CAddress(rawValue: number))
  }

  // MARK: Memories

  @Test(
    "a byte that is written is read after 5 ms, during which the memory does not acknowledge",
    arguments: VirtualEEPROM.Model.allCases)
  func stored(_ model: VirtualEEPROM.Model) throws {
    let wire = try Wire(VirtualEEPROM(model, at: Self.address(0x50)))
    let isLong = model.size > 256
    if isLong { try wire.write(0x00, 0x10, 0xA5) } else { try wire.write(0x10, 0xA5) }
    #expect(throws: I2CError.self) { try wire.adapter.probe(wire.address) }
    wire.wait(0.005)
    #expect(
      try (isLong ? wire.read(2, after: 0x00, 0x10) : wire.read(2, after: 0x10)) == [0xA5, 0xFF])
  }

  @Test("bytes beyond a page of 32 wrap to its beginning")
  func page() throws {
    let memory = VirtualEEPROM(.at24c32, at: try Self.address(0x50))
    let wire = try Wire(memory)
    try wire.adapter.write(([0x00, 0x3E] + [1, 2, 3, 4]).span, to: wire.address)
    #expect(Array(memory.bytes[0x3E...0x40]) == [1, 2, 0xFF])
    #expect(Array(memory.bytes[0x20...0x22]) == [3, 4, 0xFF])
    wire.wait(0.006)
    // 40 bytes: the last eight replace the first.
    try wire.adapter.write(([0x01, 0x00] + (0..<40).map { UInt8($0) }).span, to: wire.address)
    #expect(
      Array(memory.bytes[0x100..<0x120]) == (32..<40).map { UInt8($0) } + (8..<32).map { UInt8($0) }
    )
  }

  @Test("reads continue after the last byte, and wrap at the end of the memory")
  func sequential() throws {
    let wire = try Wire(VirtualEEPROM(.at24c02, at: Self.address(0x51), content: [7, 8, 9]))
    #expect(try wire.read(3, after: 0xFF) == [0xFF, 7, 8])
    #expect(try wire.read(1) == [9])
  }

  // MARK: Clocks

  private static func clock(_ date: String?, _ celsius: Double = 21) throws -> Wire {
    var air = Air.standard
    air.temperature = celsius
    return try Wire(
      VirtualDS3231(
        at: address(0x68), air: ScriptedAir(constant: air),
        start: date.map { try #require(UTCTime.parse($0)) }))
  }

  @Test("the clock counts through the end of a leap February and of a year")
  func calendar() throws {
    let wire = try Self.clock("2028-02-28T23:59:58Z")
    wire.wait(3)
    // Tuesday, 29 February 2028; the weekday counts from Sunday.
    #expect(try wire.read(7, after: 0) == [0x01, 0x00, 0x00, 3, 0x29, 0x02, 0x28])
    try wire.write(0, 0x59, 0x59, 0x23, 7, 0x31, 0x12, 0x99)
    wire.wait(1)
    #expect(try wire.read(7, after: 0) == [0x00, 0x00, 0x00, 1, 0x01, 0x81, 0x00])
  }

  @Test("the hours may be of 12 hours")
  func halfDays() throws {
    let wire = try Self.clock("2026-11-28T00:30:00Z")
    try wire.write(2, 0x40 | 0x20 | 0x11)
    #expect(try wire.read(3, after: 0).last == 0x71)
    wire.wait(3600)
    #expect(try wire.read(3, after: 0).last == 0x52, "12 PM is followed by 12 AM")
  }

  @Test("a read of the time is consistent, although it lasts longer than the end of a minute")
  func latched() throws {
    let wire = try Self.clock("2026-11-28T23:59:59Z")
    wire.wait(0.9996)
    #expect(try wire.read(7, after: 0) == [0x59, 0x59, 0x23, 7, 0x28, 0x11, 0x26])
  }

  @Test("an empty battery leaves the oscillator stop flag, which only a write clears")
  func emptyBattery() throws {
    let wire = try Self.clock(nil)
    #expect(try wire.read(1, after: 0x0F) == [0x88])
    #expect(try wire.read(7, after: 0) == [0, 0, 0, 7, 0x01, 0x01, 0x00])
    try wire.write(0x0F, 0x08)
    #expect(try wire.read(1, after: 0x0F) == [0x08])
    try wire.write(0x0F, 0x88)
    #expect(try wire.read(1, after: 0x0F) == [0x08])
  }

  @Test(
    "the temperature has steps of 0.25 C",
    arguments: [(21.3, [0x15, 0x40]), (-0.25, [0xFF, 0xC0])])
  func temperature(_ celsius: Double, _ bytes: [UInt8]) throws {
    #expect(try Self.clock("2026-11-28T00:00:00Z", celsius).read(2, after: 0x11) == bytes)
  }

  @Test("an alarm sets its flag at its second, minute or date, and stays set until it is cleared")
  func alarms() throws {
    let wire = try Self.clock("2026-11-28T10:00:00Z")
    // Alarm 1 at second 30 of each minute, alarm 2 at 10:02 of each day.
    try wire.write(0x07, 0x30, 0x80, 0x80, 0x80, 0x02, 0x10, 0x80)
    wire.wait(29.9)
    #expect(try wire.read(1, after: 0x0F)[0] & 3 == 0)
    wire.wait(0.2)
    #expect(try wire.read(1, after: 0x0F)[0] & 3 == 1)
    try wire.write(0x0F, 0x08)
    wire.wait(90)
    #expect(try wire.read(1, after: 0x0F)[0] & 3 == 3, "alarm 1 at 10:01:30, alarm 2 at 10:02")
  }

  // MARK: Displays

  /// The commands of a module with 64 rows, as in the application note of the data sheet.
  private static let start: [UInt8] = [
    0x00, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0xA1, 0xC8, 0xDA, 0x12, 0x81, 0x7F, 0xA4, 0xA6, 0xD5, 0x80,
    0x8D, 0x14, 0x20, 0x00, 0xAF,
  ]

  @Test("a pixel is shown at its place, and only while the panel and its charge pump are on")
  func pixel() throws {
    let display = VirtualSSD1306(at: try Self.address(0x3C), rows: 64)
    let wire = try Wire(display)
    try wire.adapter.write(Self.start.span, to: wire.address)
    try wire.write(0x00, 0x21, 5, 127, 0x22, 2, 7)
    try wire.write(0x40, 0x01, 0x80)
    #expect(display.pixels[16][5] && display.pixels[23][6])
    #expect(display.pixels.joined().count { $0 } == 2)
    try wire.write(0x00, 0xA7)
    #expect(display.pixels.joined().count { $0 } == 128 * 64 - 2)
    try wire.write(0x00, 0xA6, 0xC0, 0xA0)
    #expect(display.pixels[63 - 16][127 - 5], "turned by half a turn")
    try wire.write(0x00, 0x8D, 0x10)
    #expect(!display.isLit && display.pixels.joined().count { $0 } == 0)
  }

  @Test(
    "data wrap in the window of the horizontal and the vertical mode, and in the page of the page mode"
  )
  func modes() throws {
    let display = VirtualSSD1306(at: try Self.address(0x3C), rows: 64)
    let wire = try Wire(display)
    try wire.adapter.write(Self.start.span, to: wire.address)
    func shown() -> [[Int]] {
      display.pixels.enumerated().flatMap { y, row in
        row.enumerated().filter(\.element).map { [$0.offset, y] }
      }
    }
    // Horizontal: columns 10 and 11, then the next page.
    try wire.write(0x00, 0x21, 10, 11, 0x22, 0, 1)
    try wire.write(0x40, 1, 1, 1)
    #expect(shown() == [[10, 0], [11, 0], [10, 8]])
    try wire.write(0x00, 0x20, 0x01, 0x21, 10, 11, 0x22, 0, 1)
    try wire.write(0x40, 2, 2, 2)
    #expect(shown() == [[10, 1], [11, 1], [10, 9]])
    try wire.write(0x00, 0x20, 0x02, 0xB3, 0x0F, 0x17)
    try wire.write(0x40, 4, 4)
    #expect(shown().contains([127, 26]) && shown().contains([0, 26]), "\(shown())")
  }

  @Test("a control byte with Co is followed by one byte and the next control byte")
  func controlBytes() throws {
    let display = VirtualSSD1306(at: try Self.address(0x3D), rows: 32)
    let wire = try Wire(display)
    try wire.write(0x80, 0x8D, 0x80, 0x14, 0x80, 0xAF, 0x80, 0xA1, 0x80, 0xC8, 0x40, 0xFF)
    #expect(display.pixels.count == 32 && display.pixels.joined().count { $0 } == 8)
    #expect(try wire.read(1) == [0x00])
    try wire.write(0x80, 0xAE)
    #expect(try wire.read(1) == [0x40])
  }
}
