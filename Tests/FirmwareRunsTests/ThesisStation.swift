import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// The weather station of the thesis as firmware, on a bench that a test can stop.
final class ThesisStation {
  /// The microcontroller of the build.
  enum Board: String, CaseIterable {
    case nrf52832 = "thesis"
    case atmega328p = "thesis-arduino"

    /// The image, built by .ci/firmware.
    var image: FirmwareImage {
      get throws {
        let path = Fixtures.root.appending(path: ".build-firmware/\(rawValue).elf").path
        return try FirmwareImage(path: path)
      }
    }

    /// The number of writes of a record that can be interrupted: words of flash, bytes of EEPROM.
    var piecesOfARecord: Int { self == .nrf52832 ? 6 : 12 }
  }

  /// The output lines, with the time of their first byte.
  private(set) var said: [(time: UInt64, text: String)] = []
  /// The lines.
  var lines: [String] { said.map(\.text) }
  let bench: FirmwareBench
  var machine: any Microcontroller { bench.machine }

  private var line: [UInt8] = []
  private var began: UInt64 = 0

  init(_ board: Board, _ rig: Rig, options: FirmwareOptions = FirmwareOptions()) throws {
    let model = try #require(MicrocontrollerModel.named("\(board)"))
    var options = options
    options.reportsWarnings = false
    bench = try FirmwareBench(board.image, on: model, rig, options: options)
    machine.serialPorts[0].output = { [unowned self] byte, time in
      if line.isEmpty { began = time }
      if byte != 10 { return line.append(byte) }
      said.append((began, String(decoding: line.dropLast(), as: UTF8.self)))
      line = []
    }
  }

  /// Runs until a time in seconds since power-on.
  func run(until seconds: Double) {
    let end = FirmwareBench.powerOnLead + UInt64(seconds * 1e9)
    while true {
      switch machine.run(until: end) {
      case .reset: continue
      case let stop:
        #expect(stop == .reached)
        return
      }
    }
  }

  /// Resets the part; an incomplete line is dropped.
  func reset(_ cause: ResetCause) {
    machine.reset(cause)
    line = []
  }

  /// Runs until a number of further writes to non-volatile memory.
  func run(untilWritten pieces: Int) {
    var written = 0
    for memory in machine.memories { memory.didChange = { _, _ in written += 1 } }
    while written < pieces { _ = machine.step() }
    for memory in machine.memories { memory.didChange = nil }
  }

  /// A rig with weather that allows a forecast.
  static let falling = """
    name: falling
    duration: 3650d
    buses:
      - number: 1
        adapter: {frequency: 100kHz}
        devices: [{address: 0x76, model: bme280, calibration: kkoovalsky-internet}]
    environment:
      ramp:
        from: {pressure: 1012hPa, temperature: 26.2C, humidity: 40%}
        to: {pressure: 1006hPa, temperature: 25.4C, humidity: 55%}
        begin: 0s
        over: 6h
    """

  static func rig(_ text: String = falling) throws -> Rig {
    try Rig(text: text, file: Fixtures.root.appending(path: "rigs/test.yaml").path)
  }
}

/// A parsed output line of a cycle.
struct StationCycle: Equatable, CustomStringConvertible {
  var number = 0
  var samples = 0
  /// The mean temperature in thousandths of a degree Celsius, the mean pressure in tenths of a pascal.
  var temperature: Int?
  var pressure: Int?
  var forecast = "none"
  /// The rate in thousandths of hPa/h.
  var rate: Int?

  var description: String {
    "cycle \(number): \(samples) \(temperature as Any) \(pressure as Any) \(forecast) \(rate as Any)"
  }

  init() {}

  /// Parses a line; `nil` for other lines.
  init?(_ line: String) {
    let words = line.split { " ,".contains($0) }.map(String.init)
    guard words.first == "cycle" else { return nil }
    func digits(after name: String, _ offset: Int = 1) -> Int? {
      guard let index = words.firstIndex(of: name), index + offset < words.count else { return nil }
      return Int(words[index + offset].filter { $0 != "." })
    }
    number = Int(words[1]) ?? 0
    samples = digits(after: "samples") ?? 0
    temperature = digits(after: "temperature")
    pressure = digits(after: "pressure")
    forecast = words.firstIndex(of: "forecast").map { words[$0 + 1] } ?? ""
    rate = digits(after: "rate")
  }
}
