import FirmwareRuns
import I2C
import I2CTrace
import Runs
import TestSupport
import Testing

/// Tests of the battery estimate.
struct EnergyTextTests {
  @Test("an average current of 10 µA is 0.24 mA h per day, and a coin cell lasts 938 days")
  func daily() {
    let part = RunEvent.Consumption(
      time: 0, consumer: "a", duration: 100_000_000_000, microcoulombs: 1000, share: 1,
      source: "sheet")
    let lines = EnergyText.lines([part], seconds: 100)
    #expect(lines[1] == "a          100.000 s   1.000 mC   100.0 %")
    #expect(
      lines[2]
        == "10.00 µA on average: 0.240 mA h per day; a battery of 225 mA h lasts 938 days")
    #expect(lines.last == "source: sheet")
  }

  @Test("a battery life below ten days is printed with one decimal")
  func short() {
    let part = RunEvent.Consumption(
      time: 0, consumer: "a", duration: 1_000_000_000, microcoulombs: 7000, share: 1,
      source: "sheet")
    let lines = EnergyText.lines([part], seconds: 1)
    #expect(
      lines[2]
        == "7000.00 µA on average: 168.000 mA h per day; a battery of 225 mA h lasts 1.3 days")
  }

  @Test("a charge that would round to 0 mC is printed in a smaller unit")
  func small() {
    let charges = [500.0, 0.4996, 0.0123, 0.000_04]
    let parts = charges.map {
      RunEvent.Consumption(
        time: 0, consumer: "a", duration: nil, microcoulombs: $0, share: 1, source: "sheet")
    }
    let lines = EnergyText.lines(parts, seconds: 1)
    let shown = zip(lines.dropFirst(), ["0.500 mC", "0.500 µC", "0.012 µC", "0.040 nC"])
    #expect(shown.allSatisfy { $0.contains($1) }, "\(lines)")
  }

  @Test("consumers that used no charge are listed in one line instead of the table")
  func zero() {
    let parts = [("CPU", 10.0), ("radio", 0), ("ADC", 0)].map {
      RunEvent.Consumption(
        time: 0, consumer: $0.0, duration: 0, microcoulombs: $0.1, share: $0.1 / 10,
        source: "sheet of \($0.0)")
    }
    let lines = EnergyText.lines(parts, seconds: 1)
    #expect(lines.contains("no charge: radio, ADC"), "\(lines)")
    #expect(!lines.contains { $0.contains("0.000 nC") || $0.contains("sheet of ADC") }, "\(lines)")
    #expect(lines.count { $0.hasPrefix("CPU") } == 1)
  }

  @Test("figures for different supply voltages are marked with a note")
  func supplies() {
    func lines(_ sources: [String]) -> [String] {
      EnergyText.lines(
        sources.map {
          RunEvent.Consumption(
            time: 0, consumer: "a", duration: nil, microcoulombs: 1, share: 0.5, source: $0)
        }, seconds: 1)
    }
    let mixed = "the figures are for different supplies, 3 V and 5 V (see the sources below), "
    #expect(lines(["sheet, VCC 5 V", "sheet, VCC 3 V"]).contains { $0.hasPrefix(mixed) })
    #expect(!lines(["sheet, VCC 3 V", "sheet, 3 V"]).contains { $0.contains("supplies") })
  }

  @Test("a run without duration or charge does not divide by 0")
  func nothing() {
    #expect(EnergyText.lines([], seconds: 0) == ["no current was consumed"])
  }
}

/// Tests of charge that neither the core nor a sensor draws, such as by pull-up resistors and by clocks that peripherals
/// keep running.
struct ChargeTests {
  private func consumption(
    _ program: String, flags: [String] = []
  ) throws -> [RunEvent.Consumption] {
    try Firmware.run(FirmwareBuild.arm(program, flags: flags)) { $0.energy = true }.events
      .compactMap { if case .consumption(let part) = $0 { part } else { nil } }
  }

  @Test("a write of 0xF4 0x25 to 0x76 at 100 kHz holds SCL low for 135 us and SDA for 140 us")
  func meter() {
    // 0xEC, 0xF4 and 0x25 have 3, 3 and 5 zero bits, and each byte is acknowledged.
    var meter = PullUpMeter()
    meter.note(
      TracedTransfer(
        time: 0, duration: 270_000, bus: 1,
        messages: [TracedMessage(.write(2, to: 0x76), [0xF4, 0x25])]))
    #expect(meter.nanoseconds == 275_000)
    // 3.3 V across 4.7 kOhm is 702 uA.
    #expect(abs(meter.microcoulombs - 0.193_09) < 0.000_01)
  }

  @Test(
    "for the last byte of a read and for an unused address, the meter counts no acknowledgement")
  func acknowledgements() {
    var meter = PullUpMeter()
    meter.note(
      TracedTransfer(
        time: 0, duration: 180, bus: 1,
        messages: [TracedMessage(.read(1, from: 0x76), [0xFF])]))
    // 0xED has two zero bits, plus the acknowledgement.
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
    "the battery estimate includes an assumed pull-up current for each bus that is used")
  func pullUps() throws {
    let parts = try consumption("reader")
    let row = try #require(parts.first { $0.consumer == "pull-up resistors of bus 1" })
    #expect(row.microcoulombs > 0 && row.source.hasPrefix("assumption: 0.7 mA"))
    let silent = try consumption("oscillator", flags: ["-DKIND=3"])
    #expect(!silent.contains { $0.consumer.hasPrefix("pull-up") })
  }

  @Test(
    "a timer keeps the 64 MHz oscillator on during sleep; the crystal and an RTC do not",
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
    // 60 uA for the 10 s of sleep.
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
