import Foundation
import TestSupport
import Testing

/// In real time a call takes as long as its bytes on the wire, as with hardware.
struct ExecWireTimeTests {
  /// A rig with one sensor on a bus of 100 kHz.
  private static let slowRig = """
    name: slow-bus
    buses:
      - number: 1
        adapter: {frequency: 100kHz}
        devices:
          - {address: 0x76, model: bme280, calibration: \(Fixtures.root.path)/fixtures/calibrations/periph-i2c.yaml}
    environment: {constant: {pressure: 1009hPa, temperature: 22.5C, humidity: 45%}}
    """

  /// The time of a write of one byte and a read of one byte: S, address, register, Sr, address,
  /// byte, P.
  private static let secondsOfRead = (9.0 * 4 + 3) / 100_000

  @Test("a hundred register reads take at least the time of their bits on the wire")
  func reads() throws {
    let script = """
      import time
      from smbus2 import SMBus
      bus = SMBus(1)
      start = time.monotonic()
      for _ in range(100): assert bus.read_byte_data(0x76, 0xD0) == 0x60
      print(time.monotonic() - start)
      """
    let seconds = try #require(Double(Self.python(script)))
    #expect(seconds >= 100 * Self.secondsOfRead)
  }

  @Test("four clients of one bus together take at least the time of all their transfers")
  func crowd() throws {
    let script = """
      import multiprocessing, time
      from smbus2 import SMBus
      def work(_):
          bus = SMBus(1)
          for _ in range(50): assert bus.read_byte_data(0x76, 0xD0) == 0x60
      with multiprocessing.Pool(4) as pool:
          start = time.monotonic()
          pool.map(work, range(4), chunksize=1)
          print(time.monotonic() - start)
      """
    let seconds = try #require(Double(Self.python(script)))
    #expect(seconds >= 200 * Self.secondsOfRead)
  }

  @Test(
    "a driver that sleeps for the conversion time reads correct values on a slow bus",
    arguments: 1...3)
  func driver(_ round: Int) throws {
    let result = try CommandLineTool.withFile(Self.slowRig) { rig in
      try VirtualBusBench.exec(
        ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", "rpi_bme280"],
        options: ["--rig", rig],
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/rpi_bme280"])
    }
    let values = try JSONDecoder().decode(
      [String: Double].self, from: Data(result.output.utf8))
    let truth = ["temperature": (22.5, 0.01), "pressure": (100_900, 2), "humidity": (45, 0.05)]
    for (quantity, (value, tolerance)) in truth {
      let read = try #require(values[quantity], "\(result.errors)")
      #expect(abs(read - value) <= tolerance, "\(quantity) \(read)")
    }
  }

  private static func python(_ script: String) throws -> String {
    let result = try CommandLineTool.withFile(slowRig) { rig in
      try VirtualBusBench.exec(
        ["\(VirtualBusBench.peers)/bin/python", "-c", script], options: ["--rig", rig],
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/smbus2"])
    }
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
