import ATmega328P
import Foundation
import Machines
import TestSupport
import Testing

/// A chip with an image, which records the serial output.
final class Board {
  let machine: ATmega328P
  /// The bytes sent, and the times at which they were complete, in nanoseconds.
  private(set) var sent: [UInt8] = []
  private(set) var times: [UInt64] = []
  /// The causes of the resets.
  private(set) var resets: [ResetCause] = []

  init(_ image: Data, fuses: ATmega328PFuses = .init(), frequency: UInt64 = 16_000_000) {
    machine = ATmega328P(frequency: frequency, fuses: fuses)
    machine.memories[0].load(image, at: 0)
    machine.serialPorts[0].output = { [unowned self] byte, time in
      sent.append(byte)
      times.append(time)
    }
    machine.reset(.powerOn)
  }

  /// Runs until a time in seconds, and continues after resets.
  @discardableResult
  func run(until seconds: Double) -> MachineStop {
    while true {
      let stop = machine.run(until: UInt64(seconds * 1e9))
      guard case .reset(let cause) = stop else { return stop }
      resets.append(cause)
    }
  }

  var text: String { String(decoding: sent, as: UTF8.self) }
  var lines: [String] {
    text.split(whereSeparator: \.isNewline).map(String.init)
  }
}

/// The images of the tests.
enum Image {
  /// Compiles a C program of Tests/Firmware/AVR, or a program text.
  static func c(_ name: String, _ text: String? = nil, flags: [String] = []) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "image-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var source = Fixtures.root.appending(path: "Tests/Firmware/AVR/\(name).c")
    if let text {
      source = folder.appending(path: "\(name).c")
      try Data(text.utf8).write(to: source)
    }
    let elf = folder.appending(path: "a.elf").path
    let bin = folder.appending(path: "a.bin")
    try run(
      "avr-gcc",
      [
        "-mmcu=atmega328p", "-DF_CPU=16000000L", "-Os", "-std=gnu11", "-Wall", "-Werror",
        source.path, "-o", elf,
      ] + flags)
    try run("avr-objcopy", ["-O", "binary", "-R", ".eeprom", elf, bin.path])
    return try Data(contentsOf: bin)
  }

  /// Reads a sketch of Tests/Firmware/Arduino that Tests/run has built.
  static func sketch(_ name: String) throws -> Data {
    try Data(contentsOf: Fixtures.root.appending(path: ".build-peers/firmware/\(name).bin"))
  }

  private static func run(_ name: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(name) \(arguments)")
  }
}
