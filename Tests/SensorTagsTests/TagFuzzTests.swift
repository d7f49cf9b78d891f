import BluetoothLE
import Foundation
import SensorTags
import TestSupport
import Testing

/// Invalid Attribute Protocol messages, sent over real frames in both directions.
@Suite(.serialized)
struct TagFuzzTests {
  static let script = Fixtures.root.appending(path: "Tests/Peers/bumble/fuzz.py").path
  /// The number of messages to a tag; `Tests/run --long` sends 100,000.
  static let count = Repetitions.count(2000, long: 100_000)
  /// The number of responses to a central, which is smaller because the central keeps reconnecting.
  static let answers = Repetitions.count(500, long: 20_000)

  @Test(
    "after any invalid messages, a tag still delivers its name and values",
    .timeLimit(.minutes(20)), arguments: TagModel.allCases)
  func tag(model: TagModel) throws {
    let seed = Seeded("messages to a tag").seed >> 1
    let stack = try TagStackTests.Stack(model)
    let output = try stack.output(
      of: "python",
      [Self.script, "client", "PORT", "C4:BE:84:70:11:22", "\(Self.count)", "\(seed)"],
      seconds: 900)
    #expect(output.contains("sent \(Self.count) "), "seed \(seed): \(output)")
    print(output)
    let client = Fixtures.root.appending(path: "Tests/Peers/bumble/client.py").path
    let values = try stack.output(of: "python", [client, "PORT", "C4:BE:84:70:11:22", "3"])
    #expect(values.contains("model \(model.modelNumber)\n"), "seed \(seed): \(values)")
    #expect(values.split(separator: "\n").filter { $0.hasPrefix("notified ") }.count == 3)
  }

  @Test(
    "whatever responses a central receives, each command completes and the bridge keeps running",
    .timeLimit(.minutes(20)))
  func central() throws {
    let seed = Seeded("answers to a central").seed >> 1
    var chance = Seeded("commands")
    let stack = try TagStackTests.Stack(.cc2650)
    stack.radio.send(.stopAdvertising)
    let central = try stack.bridge.radio(BLEAddress(0xC000_0000_0001))
    let server = try stack.start(
      "python", [Self.script, "server", "PORT", "\(Self.answers)", "\(seed)"])
    stack.pump(for: 300) { server.text.contains("ready") }
    func outcome(_ command: BLECommand) -> BLEEvent.Kind? {
      let number = central.send(command)
      while let event = central.next(by: central.nanoseconds + 130_000_000_000) {
        switch event.kind {
        case .done(number, _), .failed(number, _): return event.kind
        default: break
        }
      }
      return nil
    }
    var commands = 0
    while !server.text.contains("answered"), server.isRunning {
      let result = outcome(.connect(BLEAddress(0xF0F1_F2F3_F4F6), timeOut: 5_000_000_000))
      guard case .done(_, .connected(let link)) = result else {
        #expect(result != nil, "seed \(seed)")
        break
      }
      let handle = UInt16.random(in: 0...99, using: &chance)
      for command: BLECommand in [
        .exchangeMTU(link.connection, 100), .discover(link.connection),
        .read(link.connection, handle: handle),
        .write([1], link.connection, handle: handle), .subscribe(link.connection, handle: handle),
        .disconnect(link.connection),
      ] {
        let result = outcome(command)
        #expect(result != nil, "seed \(seed): \(command) never ends")
        commands += 1
      }
    }
    #expect(server.text.contains("answered"), "seed \(seed): \(server.text)")
    print("\(commands) commands ended")
    guard case .done = outcome(.scan(isActive: true)) else {
      Issue.record("seed \(seed): the bridge no longer responds")
      return
    }
  }
}
