import ATmega328P
import BME280
import BME280Model
import Environment
import Foundation
import I2C
import Machines
import TestSupport
import Testing
import VirtualI2C

/// Sketches with the Arduino core, Wire and Serial.
struct ArduinoTests {
  private static let calibration = Calibration(
    t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
    p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

  private static func sensor(_ air: Air) -> VirtualBME280 {
    VirtualBME280(
      chip: .bme280, nvm: calibration.bytes, address: 0x76, air: ScriptedAir(constant: air))
  }

  private static func attach(
    _ board: Board, _ air: Air, faults: FaultPlan = FaultPlan()
  ) throws -> VirtualBME280 {
    let adapter = VirtualAdapter(clock: board.machine.clock, faults: faults)
    let sensor = sensor(air)
    try adapter.attach(sensor)
    board.machine.i2cPorts[0].wire = adapter.anyWire(board.machine.clock)
    return sensor
  }

  @Test("a sketch with the virtual sensor prints the same values as the Swift driver")
  func values() throws {
    for air in [
      Air(pressure: 98_765, temperature: 23.45, humidity: 61.7),
      Air(pressure: 101_325, temperature: -7.2, humidity: 12.3),
    ] {
      let board = Board(try Image.sketch("weather"))
      _ = try Self.attach(board, air)
      #expect(board.run(until: 3.5) == .reached)
      let clock = VirtualClock()
      let adapter = VirtualAdapter(clock: clock)
      try adapter.attach(Self.sensor(air))
      let driver = BME280Driver(adapter: adapter, clock: clock, variant: .datasheetInt32)
      try driver.start()
      let raw = try driver.measureRaw()
      let expected = Self.calibration.compensate(raw, variant: .datasheetInt32)
      let values = [expected.temperature, expected.pressure, expected.humidity]
      let line = values.map { String(Int($0)) }.joined(separator: " ")
      #expect(board.lines.first == "id 60")
      #expect(board.lines.count == 4)
      for (second, each) in board.lines.dropFirst().enumerated() {
        #expect(each.hasSuffix(" " + line), "\(each) is not \(line)")
        // millis() counts virtual milliseconds; a measurement takes 50 of them.
        let millis = Int(each.prefix { $0 != " " }) ?? 0
        #expect((1050...1054).contains(millis - 1000 * second))
      }
      #expect(board.machine.unmodelledRegisters.accesses == [])
    }
  }

  @Test("a sketch reports a missing sensor as a failure and recovers when the sensor is back")
  func failures() throws {
    let board = Board(try Image.sketch("weather"))
    let sensor = try Self.attach(board, .standard)
    _ = board.run(until: 1.5)
    let wire = board.machine.i2cPorts[0].wire
    board.machine.i2cPorts[0].wire = nil
    _ = board.run(until: 2.5)
    board.machine.i2cPorts[0].wire = wire
    _ = board.run(until: 3.5)
    try #require(board.lines.count == 4)
    #expect(board.lines[2] == "failed")
    #expect(board.lines[3].hasSuffix(board.lines[1].drop { $0 != " " }))
    _ = sensor
  }

  @Test("without a sensor a sketch prints the same bytes at the same times as in simavr")
  func alike() throws {
    let board = Board(try Image.sketch("weather"))
    _ = board.run(until: 2.566)
    let process = Process()
    let output = Pipe()
    process.executableURL = Fixtures.root.appending(path: ".build-peers/clients/avr_run")
    process.arguments = [
      Fixtures.root.appending(path: ".build-peers/firmware/weather.bin").path, "40000000",
    ]
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    let expected = text.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Int($0) }
    }
    try #require(expected.allSatisfy { $0.count == 2 })
    #expect(board.sent == expected.map { UInt8($0[1]) })
    #expect(board.lines == ["no sensor", "id 0", "failed", "failed"])
    // simavr starts without a delay, reports a byte when it is written, and has a different bus speed: allow some frames.
    for (time, each) in zip(board.times, expected) {
      #expect(abs(Int((time - 66_024_000) / 125 * 2) - each[0]) < 16_000)
    }
  }
}
