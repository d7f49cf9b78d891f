import BluetoothLE
import Conformance
import Foundation
import TestSupport
import Testing

/// The bridge to Bumble: the conformance check of all radios, with real HCI, L2CAP and ATT frames between two radios.
@Suite(.serialized)
struct BridgeTests {
  /// The bridge of this checkout, with the stack that `Tests/run` has installed.
  static var command: [String] {
    let python = Fixtures.root.appending(path: ".build-peers/bumble/bin/python").path
    let sources = Fixtures.root.appending(path: "Sources/Python").path
    return [
      "/usr/bin/env", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=\(sources)", python, "-m",
      "aneroid.ble",
    ]
  }

  @Test("the radios of a bridge pass the conformance check")
  func conforms() throws {
    let bridge = try BLEBridge(command: Self.command)
    let peripheral = try bridge.radio(BLEAddress(0xC4BE_8470_1122))
    let deviations = RadioConformance.deviations(
      central: try bridge.radio(BLEAddress(0xC000_0000_0001)), peripheral: peripheral,
      timeOut: 60_000_000_000)
    #expect(deviations == [])
  }

  @Test("invalid and failing commands are reported, and the bridge continues")
  func mistakes() throws {
    let bridge = try BLEBridge(command: Self.command)
    let radio = try bridge.radio(BLEAddress(0xC000_0000_0001))
    let number = radio.send(.read(BLEConnection(rawValue: 7), handle: 3))
    let event = radio.next(by: radio.nanoseconds + 60_000_000_000)
    #expect(event?.kind == .failed(command: number, .disconnected))
    #expect(throws: BLEBridge.BridgeError.self) {
      _ = try bridge.radio(BLEAddress(0xC000_0000_0002), transport: "tcp-client:127.0.0.1:1")
    }
    // If the controller cannot be exposed, the failure is reported under the command number.
    for transport in ["tcp-server:127.0.0.1:none", "nothing-of-this:0"] {
      let exposed = bridge.expose(on: transport, telling: radio)
      let event = radio.next(by: radio.nanoseconds + 60_000_000_000)
      guard case .failed(exposed, .other) = event?.kind else {
        Issue.record("\(transport): \(String(describing: event))")
        continue
      }
    }
    let last = radio.send(.scan(isActive: true))
    #expect(
      radio.next(by: radio.nanoseconds + 60_000_000_000)?.kind == .done(command: last, .nothing))
  }

  @Test("10,000 commands sent at once do not block the bridge", .timeLimit(.minutes(10)))
  func flood() throws {
    let bridge = try BLEBridge(command: Self.command)
    let radio = try bridge.radio(BLEAddress(0xC000_0000_0001))
    // Each command is rejected with a reply longer than the command; all replies together exceed the capacity of the
    // pipes.
    let numbers = (0..<10_000).map { _ in
      radio.send(.read(BLEConnection(rawValue: 7), handle: 3))
    }
    var answered = 0
    while answered < numbers.count, radio.next(by: radio.nanoseconds + 60_000_000_000) != nil {
      answered += 1
    }
    #expect(answered == numbers.count)
  }

  @Test("when a bridge is killed, its radio emits the event 'gone'")
  func killed() throws {
    let bridge = try BLEBridge(command: Self.command)
    let radio = try bridge.radio(BLEAddress(0xC000_0000_0001))
    kill(bridge.process, SIGKILL)
    let event = radio.next(by: radio.nanoseconds + 60_000_000_000)
    guard case .gone = event?.kind else {
      Issue.record("\(String(describing: event))")
      return
    }
  }

  @Test("if the Python Bluetooth stack is missing, the bridge's error names the package to install")
  func missing() throws {
    let sources = Fixtures.root.appending(path: "Sources/Python").path
    let bridge = try BLEBridge(
      command: ["/usr/bin/env", "PYTHONPATH=\(sources)", "/usr/bin/python3", "-m", "aneroid.ble"])
    let error = #expect(throws: BLEBridge.BridgeError.self) {
      _ = try bridge.radio(BLEAddress(1))
    }
    #expect(error?.description.contains("pip install") == true, "\(String(describing: error))")
  }

  @Test(
    "a bridge that fails to start or exits at once is reported in one line with cause and remedy",
    arguments: [
      ["/nowhere/python3", "-m", "aneroid.ble"],
      ["/usr/bin/env", "-i", "/usr/bin/python3", "-m", "aneroid.ble"],
      ["/bin/sh", "-c", "echo the reason >&2; exit 3"],
    ])
  func noProgram(command: [String]) throws {
    let error = #expect(throws: BLEBridge.BridgeError.self) {
      _ = try BLEBridge(command: command).radio(BLEAddress(1))
    }
    let text = try #require(error?.description)
    #expect(!text.contains("\n"), "\(text)")
    let why = ["No such file or directory", "No module named 'aneroid'", "the reason"]
    #expect(why.contains { text.contains($0) }, "\(text)")
  }
}
