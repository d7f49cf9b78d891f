import BluetoothLE
import Conformance
import Foundation
import TestSupport
import Testing

/// The bridge to Bumble: the same check as any radio, with real frames of HCI, L2CAP and ATT between two radios.
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

  @Test("its radios pass the check of all radios")
  func conforms() throws {
    let bridge = try BLEBridge(command: Self.command)
    let peripheral = try bridge.radio(BLEAddress(0xC4BE_8470_1122))
    let complaints = RadioConformance.complaints(
      central: try bridge.radio(BLEAddress(0xC000_0000_0001)), peripheral: peripheral,
      patience: 60_000_000_000)
    #expect(complaints == [])
  }

  @Test("what is no command, and what cannot be done, is told; the bridge goes on")
  func mistakes() throws {
    let bridge = try BLEBridge(command: Self.command)
    let radio = try bridge.radio(BLEAddress(0xC000_0000_0001))
    let number = radio.send(.read(BLEConnection(rawValue: 7), handle: 3))
    let event = radio.next(by: radio.nanoseconds + 60_000_000_000)
    #expect(event?.kind == .failed(command: number, .disconnected))
    #expect(throws: BLEBridge.BridgeError.self) {
      _ = try bridge.radio(BLEAddress(0xC000_0000_0002), transport: "tcp-client:127.0.0.1:1")
    }
    // Where no program can be listened for, that is told under the number that was given.
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

  @Test("much that is said at once in both directions holds up nobody", .timeLimit(.minutes(10)))
  func flood() throws {
    let bridge = try BLEBridge(command: Self.command)
    let radio = try bridge.radio(BLEAddress(0xC000_0000_0001))
    // Each is refused with a line that is longer than itself: more than all pipes between hold.
    let numbers = (0..<10_000).map { _ in
      radio.send(.read(BLEConnection(rawValue: 7), handle: 3))
    }
    var answered = 0
    while answered < numbers.count, radio.next(by: radio.nanoseconds + 60_000_000_000) != nil {
      answered += 1
    }
    #expect(answered == numbers.count)
  }

  @Test("a bridge that is killed is told as gone")
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

  @Test("a bridge without its stack says what to install")
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
    "what cannot be started, and what ends at once, is one line that says why and what to install",
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
