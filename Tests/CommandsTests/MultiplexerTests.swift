import Foundation
import TestSupport
import Testing

/// Programs reach parts behind a multiplexer by its register, and by adapters of their own as with Linux's driver.
struct MultiplexerTests {
  static let rig = """
    name: cold and warm
    buses:
      - {number: 1, devices: [{model: tca9548a, channels: [11, none, 12]}]}
      - {number: 11, devices: [{model: bme280, offset: {temperature: 1K}}]}
      - {number: 12, devices: [{model: bme280, offset: {temperature: -1K}}]}
    environment: {constant: {temperature: 10C}}
    """

  static func exec(
    _ program: [String], _ text: String = rig, environment: [String: String] = [:]
  ) throws -> CommandLineTool.Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try VirtualBusBench.exec(
      program, options: ["--rig", file.path, "--clock", "virtual"], environment: environment)
  }

  @Test("drivers from PyPI read two parts with one address through the multiplexer's register")
  func register() throws {
    let peers = "\(VirtualBusBench.peers)/drivers"
    let result = try Self.exec(
      ["\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "Tests/Peers/read_multiplexed.py"],
      environment: ["PYTHONPATH": "\(peers)/adafruit_parts:\(peers)/adafruit"])
    let values = (result.outputLines.last ?? "").split(separator: " ").compactMap { Double($0) }
    try #require(values.count == 2, "\(result.output)\(result.errors)")
    #expect(abs(values[0] - 11) < 0.02 && abs(values[1] - 9) < 0.02, "\(values)")
  }

  @Test("each channel is an adapter with the name that Linux gives it")
  func adapters() throws {
    let list = try Self.exec(["i2cdetect", "-l"])
    let names = list.outputLines.map {
      $0.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(names.contains { $0.first == "i2c-11" && $0.contains("i2c-1-mux (chan_id 0)") })
    #expect(names.contains { $0.first == "i2c-12" && $0.contains("i2c-1-mux (chan_id 2)") })
    let map = try Self.exec(["i2cdetect", "-y", "12"])
    #expect(map.output.contains("76") && map.output.contains("70: 70"), "\(map.output)")
  }

  @Test("a multiplexer with a kernel driver is busy on its own bus and on the buses behind it")
  func bound() throws {
    let text = Self.rig.replacing("12]}", with: "12], bound: true}")
    for bus in ["1", "11"] {
      let busy = try Self.exec(["i2cget", "-y", bus, "0x70"], text)
      #expect(busy.status != 0 && busy.errors.contains("busy"), "\(busy.errors)")
    }
    #expect(try Self.exec(["i2cget", "-y", "12", "0x76", "0xd0"], text).outputLines == ["0x60"])
  }

  @Test("a fault on a bus behind a multiplexer is counted there, whichever way a program takes")
  func faults() throws {
    let text =
      Self.rig + "\nfaults: [{bus: 12, at: 0s, kind: bit-flip, byte: 0, mask: 0x01, count: 2}]\n"
    let result = try Self.exec(
      [
        "sh", "-c",
        "i2cget -y 12 0x76 0xd0; i2cset -y 1 0x70 4; i2cget -y 1 0x76 0xd0; i2cget -y 11 0x76 0xd0",
      ], text)
    #expect(result.outputLines == ["0x61", "0x61", "0x60"], "\(result.output)\(result.errors)")
  }
}
