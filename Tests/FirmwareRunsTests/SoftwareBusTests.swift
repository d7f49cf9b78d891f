import FirmwareRuns
import Foundation
import Rigs
import Runs
import TestSupport
import Testing

/// Tests of bit-banged buses in a rig.
struct SoftwareBusTests {
  /// A program that reads the sensor, through an I2C controller or by bit-banging two pins.
  enum Reader: String, CaseIterable, CustomTestStringConvertible {
    case controller, pins, avrPins

    var testDescription: String { rawValue }

    func image() throws -> URL {
      switch self {
      case .controller: try FirmwareBuild.arm("reader")
      case .pins: try FirmwareBuild.arm("reader", flags: ["-DSOFTWARE_BUS", "pins.c"])
      case .avrPins: try FirmwareBuild.avr("reader", flags: ["print.c", "pins.c", "avr-board.c"])
      }
    }

    var keys: String {
      switch self {
      case .controller: "mcu: nrf52832, i2c: {TWIM0: 1}"
      case .pins: "mcu: nrf52832, software_i2c: [{scl: P0.27, sda: P0.26, bus: 1}]"
      case .avrPins: "mcu: atmega328p, software_i2c: [{scl: PC5, sda: PC4, bus: 1}]"
      }
    }
  }

  /// Returns the output and events of a run of six seconds.
  private static func run(
    _ reader: Reader, devices: String = "[{address: 0x76, model: bme280}]", faults: String? = nil
  ) throws -> (lines: [String], events: [RunEvent]) {
    let rig = try Rig(
      text: """
        name: pins
        duration: 6s
        buses: [{number: 1, devices: \(devices)}]
        environment: {constant: {temperature: 21.5C, pressure: 1003.2hPa, humidity: 47%}}
        \(faults.map { "faults: \($0)" } ?? "# no faults")
        firmware: {image: \(reader.image().path), \(reader.keys)}
        """, file: "pins.yaml")
    var events: [RunEvent] = []
    _ = try #require(try RigFirmware(rig, trace: nil) { events.append($0) }).verdict()
    let lines = events.compactMap { event in
      if case .serial(let line) = event { line.text } else { nil }
    }
    return (lines, events)
  }

  private static let right = "temperature 21.50 C, pressure 1003.19 hPa, humidity 47.00 %"
  private static let lost = "error: the sensor does not answer"

  @Test("a sensor on a bit-banged bus is read like one on a controller", arguments: Reader.allCases)
  func reading(_ reader: Reader) throws {
    let (lines, events) = try Self.run(reader)
    #expect(lines == Array(repeating: Self.right, count: 6))
    #expect(!events.contains { if case .warning = $0 { true } else { false } })
  }

  @Test("a program that ignores clock stretching on a bit-banged bus reads no temperature")
  func heldClock() throws {
    func lines(_ flags: [String]) throws -> [String] {
      let image = try FirmwareBuild.arm("held", flags: ["-DSOFTWARE_BUS", "pins.c"] + flags)
      let rig = try Rig(
        text: """
          name: held
          duration: 3s
          buses: [{number: 1, devices: [{address: 0x40, model: sht21}]}]
          environment: {constant: {temperature: 21.5C, pressure: 1003.2hPa, humidity: 47%}}
          firmware: {image: \(image.path), \(Reader.pins.keys)}
          """, file: "held.yaml")
      var lines: [String] = []
      let run = try RigFirmware(rig, trace: nil) {
        if case .serial(let line) = $0 { lines.append(line.text) }
      }
      _ = try #require(run).verdict()
      return lines
    }
    let patient = try lines(["-DWAITS"])
    #expect(patient.count == 3)
    #expect(patient.allSatisfy { $0.hasPrefix("temperature 21.") }, "\(patient)")
    let hasty = try lines([])
    #expect(!hasty.contains { $0.hasPrefix("temperature 21.") }, "\(hasty)")
  }

  @Test("an unused address is not acknowledged on a bit-banged bus", arguments: Reader.allCases)
  func noDevice(_ reader: Reader) throws {
    let lines = try Self.run(reader, devices: "[{address: 0x77, model: bme280}]").lines
    #expect(lines == Array(repeating: Self.lost, count: lines.count))
    #expect(lines.count > 4)
  }

  @Test(
    "faults act on a bit-banged bus, and the program recovers", arguments: [Reader.pins, .avrPins],
    [
      "nack-address", "nack-data, byte: 1", "stuck-scl, for: 100ms", "stuck-sda",
      "power-loss, for: 10ms",
    ])
  func faults(_ reader: Reader, _ fault: String) throws {
    let lines = try Self.run(reader, faults: "[{at: 2500ms, kind: \(fault)}]").lines
    // A loss of power between two readings has no effect, because each reading configures the part again.
    var expected = Array(repeating: Self.right, count: 6)
    if !fault.hasPrefix("power") { expected[3] = Self.lost }
    #expect(lines == expected)
  }
}

/// Tests of programs that use a wrong address for the part on their bus.
struct AddressTests {
  private func notices(_ flags: [String]) throws -> [String] {
    try Firmware.run(FirmwareBuild.arm("address", flags: flags)).notices.filter {
      $0.hasPrefix("no device answered")
    }
  }

  @Test("a program that uses only 0x77 gets a hint that the sensor is at 0x76")
  func other() throws {
    let found = try notices(["-DFIRST=0x77", "-DLAST=0x77"])
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "no device answered on bus 1 at 0x77, and the program used no other address; on the bus: BME280 at 0x76; "
          + "change the address in the program, or that of the part: --address 0x77"
      ) == true, "\(found)")
  }

  @Test(
    "a program that finds the sensor, or scans the bus, gets no hint",
    arguments: [["-DFIRST=0x77", "-DLAST=0x76"], ["-DFIRST=0x70", "-DLAST=0x08"]])
  func found(flags: [String]) throws { #expect(try notices(flags) == []) }
}
