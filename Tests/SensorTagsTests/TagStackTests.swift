import BluetoothLE
import Environment
import Foundation
import SensorTags
import TestSupport
import Testing

/// The tags over real frames, as independent programs receive them: Bumble's scanner, Bumble's GATT
/// dump, and a client that uses Bumble's library.
@Suite(.serialized)
struct TagStackTests {
  /// A tag on a virtual radio of the bridge, and a socket through which a program acts as another
  /// radio's host.
  final class Stack {
    let bridge: BLEBridge
    let radio: BridgeRadio
    let tag: SensorTag
    let folder = Fixtures.root.appending(path: ".build-peers/bumble/bin")

    init(_ model: TagModel) throws {
      let sources = Fixtures.root.appending(path: "Sources/Python").path
      bridge = try BLEBridge(command: [
        "/usr/bin/env", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=\(sources)",
        folder.appending(path: "python").path, "-m", "aneroid.ble",
      ])
      radio = try bridge.radio(BLEAddress(0xC4BE_8470_1122))
      let air = ScriptedAir(constant: Air(pressure: 100_653, temperature: 25, humidity: 60))
      tag = SensorTag(model, on: radio, in: air, seed: 5)
      tag.powerOn()
    }

    /// A program in Bumble's Python environment, with its output; it is ended together with this
    /// object.
    final class Running {
      fileprivate let process = Process()
      fileprivate let file = FileManager.default.temporaryDirectory.appending(
        path: "tag-\(UUID().uuidString).txt")

      deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: file)
      }

      var isRunning: Bool { process.isRunning }
      var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
    }

    /// Makes a controller available to another program, and waits until it can be used.
    func expose(on transport: String) throws {
      let number = bridge.expose(on: transport, telling: radio)
      let tell = radio.handler
      defer { radio.handler = tell }
      var outcome: BLEEvent.Kind?
      radio.handler = { event in
        switch event.kind {
        case .done(number, _), .failed(number, _): outcome = event.kind
        default: tell?(event)
        }
      }
      pump(for: 60) { outcome != nil }
      guard case .done = outcome else {
        Issue.record("no controller on \(transport): \(String(describing: outcome))")
        throw CancellationError()
      }
    }

    /// Starts a program that reaches a controller through an abstract socket with a unique name.
    func start(_ program: String, _ arguments: [String]) throws -> Running {
      let socket = "@aneroid-\(UUID().uuidString)"
      try expose(on: "unix-server:\(socket)")
      let running = Running()
      #expect(FileManager.default.createFile(atPath: running.file.path, contents: nil))
      let process = running.process
      process.executableURL = folder.appending(path: program)
      process.arguments = arguments.map { $0 == "PORT" ? "unix-client:\(socket)" : $0 }
      process.standardOutput = try FileHandle(forWritingTo: running.file)
      process.environment = ["PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"]
      try process.run()
      return running
    }

    /// Returns the output of a program until it exits or prints a text.
    func output(
      of program: String, _ arguments: [String] = [], until text: String? = nil,
      seconds: Double = 300
    ) throws -> String {
      let running = try start(program, arguments)
      pump(for: seconds) { !running.isRunning || text.map { running.text.contains($0) } == true }
      return running.text
    }

    /// Runs the tag, and optionally a second one, for some seconds or until a condition is true.
    func pump(for seconds: Double, with other: SensorTag? = nil, until isSo: () -> Bool) {
      let end = radio.nanoseconds + UInt64(seconds * 1e9)
      while radio.nanoseconds < end, !isSo() {
        let next = min(tag.nextChange ?? .max, other?.nextChange ?? .max)
        _ = radio.next(by: min(next, radio.nanoseconds + 20_000_000))
        tag.advance(to: radio.nanoseconds)
        other?.advance(to: radio.nanoseconds)
      }
    }
  }

  @Test(
    "bumble-scan receives a tag's name from the scan response", arguments: TagModel.allCases)
  func scan(model: TagModel) throws {
    let stack = try Stack(model)
    let name = "'\(model.advertisedName)'"
    let output = try stack.output(of: "bumble-scan", ["PORT"], until: name)
    #expect(output.contains("C4:BE:84:70:11:22"), "\(output)")
    #expect(output.contains(name), "\(output)")
    #expect(output.contains("LE_GENERAL_DISCOVERABLE_MODE"), "\(output)")
  }

  @Test("bumble-gatt-dump lists the attribute table with the handles of a real tag")
  func dump() throws {
    let stack = try Stack(.cc2650)
    let output = try stack.output(of: "bumble-gatt-dump", ["PORT", "C4:BE:84:70:11:22"])
    let lines = [
      "Characteristic(handle=0x0003, uuid=UUID-16:2A00 (Device Name), READ)",
      "Service(handle=0x0008, uuid=UUID-16:1801 (Generic Attribute))",
      "Service(handle=0x000C, uuid=UUID-16:180A (Device Information))",
      "Service(handle=0x001F, uuid=F000AA00-0451-4000-B000-000000000000)",
      "Characteristic(handle=0x0021, uuid=F000AA01-0451-4000-B000-000000000000, READ|NOTIFY)",
      "uuid=F000AA20-0451-4000-B000-000000000000)",
      "uuid=F000AA22-0451-4000-B000-000000000000, READ|WRITE)",
      "uuid=F000AA44-0451-4000-B000-000000000000, READ|WRITE)",
      "UUID-16:180F (Battery)", "UUID-16:FFE0",
      Array("CC2650 SensorTag".utf8).map { String($0, radix: 16) }.joined(),
    ]
    for line in lines { #expect(output.contains(line), "\(line) is not in:\n\(output)") }
    #expect(!output.contains("F000AA43"))
  }

  @Test(
    "a client based on the Bumble library receives the correct humidity in each notification",
    arguments: TagModel.allCases)
  func client(model: TagModel) throws {
    let stack = try Stack(model)
    let script = Fixtures.root.appending(path: "Tests/Peers/bumble/client.py").path
    let output = try stack.output(of: "python", [script, "PORT", "C4:BE:84:70:11:22", "3"])
    #expect(output.contains("model \(model.modelNumber)\n"), "\(output)")
    #expect(output.hasSuffix("off 00000000\n"), "\(output)")
    let notifications = output.split(separator: "\n").filter { $0.hasPrefix("notified ") }
    #expect(notifications.count == 3)
    for line in notifications {
      let data = bytes(line.dropFirst("notified ".count))
      let word = UInt16(data[2] & 0xFC) | UInt16(data[3]) << 8
      let code = Double(word) / 65536
      // Only the formula for the correct sensor gives 60 %.
      let humidity: Double = model == .cc2650 ? code * 100 : code * 125 - 6
      #expect(abs(humidity - 60) < 0.1)
    }
  }
}
