import Foundation
import TestSupport
import Testing
import Warehouse
import WarehouseRuns

/// The configuration of a run over a Bluetooth stack, and the evaluation of its results.
///
/// The hub's tests cover its programs.
struct StackWarehouseTests {
  private static func warehouse(
    _ path: String = "rigs/warehouse.yaml", _ output: Output = Output()
  ) -> StackWarehouse? {
    let reading = StackWarehouse.read(
      path: Fixtures.root.appending(path: path).path, seed: nil, format: .jsonl,
      write: output.write, complain: output.write)
    if case .stack(let warehouse) = reading { return warehouse }
    return nil
  }

  @Test("the generated hub file matches the rig, and the hub can read it")
  func hubFile() throws {
    let warehouse = try #require(Self.warehouse())
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    try warehouse.hubFile(transport: "unix:/tmp/a \"quoted\" air", broker: 18_830)
      .write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let settings = try HubSettings(path: file.path)
    #expect(settings.policy.hub == "north")
    #expect(settings.policy.zones.map(\.name) == ["shelves", "loading dock", "paper store"])
    let rule = AlarmRule(
      .humidityLow, .alarm, limit: 30, onDelay: 2_000_000_000, hysteresis: 2)
    #expect(settings.policy.zones[2].rules == [rule])
    #expect(settings.policy.zones[0].storage?.name == "dry-place")
    #expect(settings.policy.tags.map(\.address) == warehouse.plan.tags.map(\.address))
    #expect(settings.policy.tags.allSatisfy { $0.period == 30_000_000_000 })
    #expect(settings.policy.onCall.escalateAfter == 8_000_000_000)
    #expect(settings.link?.transport == "unix:/tmp/a \"quoted\" air")
    #expect(settings.link?.connections == 5 && settings.link?.period == 500_000_000)
    #expect(settings.broker?.port == 18_830 && settings.broker?.isConfirmedByReceiver == true)
  }

  @Test("scheduled actions are in chronological order, and the same seed gives the same kill times")
  func plan() throws {
    let kills = try #require(Self.warehouse("rigs/warehouse-kills.yaml")).plan
    #expect(kills.schedule.count == 10 && kills.tags.count == 4)
    #expect(zip(kills.schedule, kills.schedule.dropFirst()).allSatisfy { $0.time <= $1.time })
    let again = try #require(Self.warehouse("rigs/warehouse-kills.yaml")).plan
    #expect(kills.schedule.map(\.time) == again.schedule.map(\.time))
    let commands = try #require(Self.warehouse()).plan.schedule
    #expect(commands.map(\.time) == [14_000_000_000, 16_000_000_000])
    guard case .command(let json) = commands.first?.what else {
      Issue.record("no command")
      return
    }
    #expect(
      try HubCommand(json: Array(json.utf8))
        == .acknowledge(2, name: "Ana", note: "the dock's dryer is on", duration: nil))
  }

  @Test("a warehouse in virtual time uses no Bluetooth stack, and a missing rig gives status 66")
  func others() {
    let path = Fixtures.root.appending(path: "rigs/warehouse/cold-room.yaml").path
    var found: [Int32?] = []
    for path in [path, "/no/such/rig.yaml"] {
      switch StackWarehouse.read(
        path: path, seed: nil, format: .text, write: { _ in }, complain: { _ in })
      {
      case .stack: found.append(nil)
      case .air: found.append(0)
      case .failed(let status): found.append(status)
      }
    }
    #expect(found == [0, 66])
  }

  @Test("expectations are evaluated only from records delivered since the start of the run")
  func judged() throws {
    let output = Output()
    let warehouse = try #require(Self.warehouse("rigs/warehouse.yaml", output))
    func record(_ number: Int, _ second: Double, _ tag: Int, _ raw: String, _ more: String) {
      let time = Date(timeIntervalSince1970: 1_767_225_600 + second)
      let text = ISO8601DateFormatter.string(
        from: time, timeZone: .gmt, formatOptions: [.withInternetDateTime, .withFractionalSeconds])
      warehouse.take(
        record: """
          {"hub":"north","sequence":\(number),"kind":"reading","time":"\(text)",\
          "tag":"\(warehouse.plan.tags[tag].address)","model":"cc2650",\(more),\
          "characteristic":"AA21","raw":"\(raw)"}
          """)
    }
    for tag in 0..<5 { record(1 + tag, -1, tag, "40658099", "\"humidity_rh\":60") }
    #expect(warehouse.isComplete && warehouse.unheard == [])
    warehouse.begin(at: 1_767_225_600_000_000_000)
    record(6, 1, 0, "4065bc7a", "\"humidity_rh\":47.943")
    // 0x9998 of 65536 is 60 %, which the article displays as 69 %.
    record(7, 20, 0, "40659899", "\"humidity_rh\":59.998")
    var delivery = StackWarehouse.Delivery()
    (delivery.written, delivery.records, delivery.delivered, delivery.isExact) = (7, 8, 8, true)
    #expect(!warehouse.finish(delivery))
    let lines = output.text.split(separator: "\n")
    func passed(_ words: String) -> Bool {
      lines.contains { $0.contains(words) && $0.contains("\"passed\":true") }
    }
    #expect(passed("the article shows 69 % at shelf 1 where 60 % is true"))
    #expect(passed("every record on the hub's disk arrived exactly once"))
    // No value is exactly 56.8 %; the alarm trips at 54 %, the midpoint between 47.9 and 60 %.
    #expect(!passed("trips at a true 56.8 %") && output.text.contains("53.97 %"))
    #expect(!passed("at least 100 readings"))
  }
}
