import I2C
import I2CTrace
import Runs
import TestSupport
import Testing

@testable import FirmwareRuns

/// Charges that neither the core nor a sensor takes by itself: pull-up resistors, clocks that peripherals keep on.
struct ChargeTests {
  private func consumption(
    _ program: String, flags: [String] = []
  ) throws -> [RunEvent.Consumption] {
    try Firmware.run(FirmwareBuild.arm(program, flags: flags)) { $0.energy = true }.events
      .compactMap { if case .consumption(let part) = $0 { part } else { nil } }
  }

  @Test("a write of 0xF4 0x25 to 0x76 at 100 kHz holds SCL low for 135 us and SDA for 140 us")
  func meter() {
    // 0xEC, 0xF4 and 0x25 have 3, 3 and 5 zeros, and each is acknowledged.
    var meter = PullUpMeter()
    meter.note(
      TracedTransfer(
        time: 0, duration: 270_000, bus: 1,
        messages: [TracedMessage(.write(2, to: 0x76), [0xF4, 0x25])]))
    #expect(meter.nanoseconds == 275_000)
    // 3.3 V over 4.7 kOhm is 702 uA.
    #expect(abs(meter.microcoulombs - 0.193_09) < 0.000_01)
  }

  @Test("a byte that is read last is not acknowledged, and an address without a part neither")
  func acknowledgements() {
    var meter = PullUpMeter()
    meter.note(
      TracedTransfer(
        time: 0, duration: 180, bus: 1,
        messages: [TracedMessage(.read(1, from: 0x76), [0xFF])]))
    // 0xED has two zeros and its acknowledgement.
    #expect(meter.nanoseconds == 90 + 30)
    var other = PullUpMeter()
    other.note(
      TracedTransfer(
        time: 0, duration: 90, bus: 1,
        messages: [TracedMessage(.write(0, to: 0x76), [])],
        error: I2CError(.addressNack, errno: .enxio)))
    #expect(other.nanoseconds == 45 + 30)
  }

  @Test(
    "the account has the pull-up resistors of a bus that is used, as an assumption, and no other")
  func pullUps() throws {
    let parts = try consumption("reader")
    let row = try #require(parts.first { $0.consumer == "pull-up resistors of bus 1" })
    #expect(row.microcoulombs > 0 && row.source.hasPrefix("assumption: 0.7 mA"))
    let silent = try consumption("oscillator", flags: ["-DKIND=3"])
    #expect(!silent.contains { $0.consumer.hasPrefix("pull-up") })
  }

  @Test(
    "a timer keeps the 64 MHz oscillator on while the core sleeps; the crystal and a real-time counter do not",
    arguments: [(0, true), (1, false), (2, false), (3, false)])
  func oscillator(kind: Int, isOn: Bool) throws {
    let row = try consumption("oscillator", flags: ["-DKIND=\(kind)"])
      .first { $0.consumer.contains("64 MHz oscillator") }
    guard isOn else {
      #expect(row == nil)
      return
    }
    let found = try #require(row)
    let seconds = Double(try #require(found.duration)) / 1e9
    // 60 uA for the 10 s that the core sleeps.
    #expect((9.9...10).contains(seconds), "\(seconds)")
    #expect(abs(found.microcoulombs - 60 * seconds) < 0.01)
    #expect(found.source.hasPrefix("assumption: "))
  }

  @Test(
    "a program that waits for a sensor on SPI gets a hint", arguments: ["nrf52832", "atmega328p"])
  func sensorOnSPI(part: String) throws {
    let image =
      part == "atmega328p"
      ? try FirmwareBuild.avr("spi-sensor", flags: ["avr-board.c", "print.c"])
      : try FirmwareBuild.arm("spi-sensor")
    let hints = try Firmware.run(image, on: part) { $0.duration = 100_000_000 }.notices
      .filter { $0.contains("SPI") }
    #expect(hints.count == 1)
    #expect(hints.first?.contains("nothing is connected") == true, "\(hints)")
  }
}
