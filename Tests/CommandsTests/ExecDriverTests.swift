import Foundation
import TestSupport
import Testing

/// Published drivers, unmodified, on a virtual bus.
struct ExecDriverTests {
  /// A driver and its expected values in the air of the built-in rig: 21 C, 1013.25 hPa, 50 %.
  struct Driver: CustomTestStringConvertible {
    let name: String
    /// The tolerance for the documented arithmetic and rounding of the driver, in C, Pa and %.
    var temperature = 0.01
    var pressure = 5.0
    var humidity = 0.1
    var testDescription: String { name }
  }

  static let drivers = [
    Driver(name: "rpi_bme280"), Driver(name: "bme280_0_7"),
    // This driver rounds to 0.1 C, 0.1 hPa and 0.1 %.
    Driver(name: "bme280pi", temperature: 0.06, pressure: 10),
    Driver(name: "pimoroni_bme280"), Driver(name: "adafruit"),
    // This driver swaps the nibbles of H5, which changes the humidity of this sensor by almost 1 %.
    Driver(name: "aiobme280", humidity: 1),
  ]

  static func read(
    _ driver: String, function: String? = nil, rig: String, clock: String = "real",
    as user: VirtualBusBench.User = .asIs
  ) throws -> [String: Double] {
    try CommandLineTool.withFile(rig) { rig in
      let result = try VirtualBusBench.exec(
        ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", function ?? driver],
        options: ["--rig", rig, "--clock", clock], as: user,
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(driver)"])
      let line = try #require(result.outputLines.last, "\(result.errors)")
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return (value as? [String: Any] ?? [:]).compactMapValues { $0 as? Double }
    }
  }

  /// A rig with one sensor in constant air; it refers to no file, so that every user can read it.
  static func rig(
    model: String = "bme280", calibration: String = "periph-i2c", _ more: String = ""
  ) throws -> String {
    let text = try Fixtures.text("fixtures/calibrations/\(calibration).yaml")
    let registers = text.split(separator: "\n").first { $0.hasPrefix("registers: ") }
    return """
      name: drivers
      buses:
        - number: 1
          adapter: {frequency: 400kHz}
          devices:
            - address: 0x76
              model: \(model)
              calibration: \(try #require(registers).dropFirst("registers: ".count))
              \(more)
      environment: {constant: {pressure: 1013.25hPa, temperature: 21C, humidity: 50%}}
      """
  }

  /// 'measuring' rises at once and the calibration is available at once, which several drivers rely on.
  static let promptStatus = "unknown: {measuring_delay: 0s, copy_time_reset: 0s}"

  @Test(
    "each driver reads the correct temperature, pressure and humidity", arguments: drivers,
    VirtualBusBench.User.allCases)
  func air(_ driver: Driver, _ user: VirtualBusBench.User) throws {
    let values = try Self.read(driver.name, rig: try Self.rig(Self.promptStatus), as: user)
    #expect(abs((values["temperature"] ?? 0) - 21) <= driver.temperature)
    #expect(abs((values["pressure"] ?? 0) - 101_325) <= driver.pressure)
    #expect(abs((values["humidity"] ?? 0) - 50) <= driver.humidity)
  }

  @Test("a driver for the BMP280 reads a BMP280")
  func bmp280() throws {
    let rig = try Self.rig(model: "bmp280", calibration: "bmp-orangepi")
    let values = try Self.read("pimoroni_bmp280", rig: rig)
    #expect(abs((values["temperature"] ?? 0) - 21) < 0.02)
    #expect(abs((values["pressure"] ?? 0) - 101_325) < 10)
    // If it is read at once, the driver does not wait for the first conversion and returns the
    // compensated power-on codes. In virtual time the load of the machine does not matter.
    let early = try Self.read(
      "pimoroni_bmp280", function: "pimoroni_bmp280_at_once", rig: rig, clock: "virtual")
    #expect(abs((early["temperature"] ?? 0) - 22.97) < 0.02)
    #expect(abs((early["pressure"] ?? 0) - 75_917.3) < 10)
  }

  /// Drivers that fail if 'measuring' rises after they poll it.
  ///
  /// They poll the bit right after the trigger, get 0 and read the previous result, here that of
  /// power-on. The expected values are therefore the power-on codes 0x80000 and 0x8000, compensated
  /// for this sensor.
  static let defects: [(driver: String, quantity: String, value: Double)] = [
    ("pimoroni_bme280", "temperature", 22.97), ("pimoroni_bme280", "pressure", 64_953.6),
    ("pimoroni_bme280", "humidity", 73.10),
    // This driver measures once per quantity, so the first value is stale and the next one is from
    // the first measurement.
    ("adafruit", "temperature", 22.97),
  ]

  @Test(
    "drivers that poll 'measuring' right after the trigger display their known wrong values",
    arguments: defects)
  func defect(_ driver: String, _ quantity: String, _ value: Double) throws {
    // A delay of two milliseconds is reliable only in virtual time on a busy machine.
    let values = try Self.read(
      driver, rig: try Self.rig("unknown: {measuring_delay: 2ms}"), clock: "virtual")
    #expect(abs((values[quantity] ?? 0) - value) < value / 1000)
  }

  @Test("an ESPHome device built for a PC reads the air", arguments: ["real", "virtual"])
  func esphome(_ clock: String) throws {
    let count = clock == "real" ? 2 : 59
    // The program never exits by itself, so its output is read until there is enough of it, without
    // a time limit.
    let until = "timeout 90 stdbuf -oL \"$0\" | awk '{ print } / >> /{ n++ } n == 3 * $1 { exit }'"
    let result = try VirtualBusBench.exec(
      ["sh", "-c", until.replacing("$1", with: "\(count)"), VirtualBusBench.client("esphome")],
      options: ["--clock", clock], seconds: 120)
    let air: [(name: String, value: Double, tolerance: Double)] = [
      ("temperature", 21, 0.01), ("pressure", 1013.25, 0.05), ("humidity", 50, 0.05),
    ]
    for (name, value, tolerance) in air {
      let values = result.outputLines.filter { $0.contains("'\(name)' >> ") }
        .compactMap { $0.firstMatch(of: />> ([0-9.]+)/).flatMap { Double($0.output.1) } }
      #expect(values.count >= count, "\(name): \(values.count) values, \(result.errors)")
      #expect(values.allSatisfy { abs($0 - value) <= tolerance }, "\(name): \(values)")
    }
  }

  @Test("smbus2 reads the chip ID", arguments: VirtualBusBench.User.allCases)
  func smbus2(_ user: VirtualBusBench.User) throws {
    let script = "import smbus2; print(hex(smbus2.SMBus(1).read_byte_data(0x76, 0xD0)))"
    let result = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", script], as: user,
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/smbus2"])
    #expect(result.output == "0x60\n")
  }
}
