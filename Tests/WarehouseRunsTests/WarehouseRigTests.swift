import Foundation
import TestSupport
import Testing
import WarehouseRuns

/// The warehouse rigs of the repository, and errors in rigs.
struct WarehouseRigTests {
  static let rigs: [String] = {
    let folder = Fixtures.root.appending(path: "rigs/warehouse").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted()
  }()

  /// Runs a text as if it were a rig in the repository.
  static func run(
    _ text: String, seed: UInt64? = nil, _ format: WarehouseFormat = .text
  ) throws -> (status: Int32, output: String) {
    let file = Fixtures.root.appending(path: "rigs/warehouse/.\(UUID().uuidString).yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = Output()
    let status = WarehouseProgram.run(
      path: file.path, seed: seed, format: format, write: output.write
    ) { output.write($0.replacing(file.path, with: "RIG") + "\n") }
    return (status, output.text)
  }

  static func text(_ name: String) throws -> String {
    try Fixtures.text("rigs/warehouse/\(name).yaml")
  }

  @Test(
    "every warehouse rig in the repository has a description and meets its expectations",
    arguments: rigs)
  func passes(_ name: String) throws {
    let text = try Fixtures.text("rigs/warehouse/\(name)")
    #expect(text.hasPrefix("# ") && text.contains("expect:"))
    let result = try Self.run(text)
    #expect(result.status == 0, "\(result.output.suffix(4000))")
    #expect(result.output.contains("  met  "))
  }

  @Test("the repository contains eleven warehouse rigs")
  func all() { #expect(Self.rigs.count == 11) }

  @Test(
    "an expectation that is wrong is reported as not met",
    arguments: [
      ("article", "is: 69%", "is: 68%"), ("article", "missed: 1", "missed: 0"),
      ("article", "true: 56.8%", "true: 57.4%"),
      ("article", "alarms, count: 2", "alarms, count: 3"),
      ("article", "told: [Ana, Rui]", "told: [Ana]"), ("cold-room", "kept: false", "kept: true"),
      ("cold-room", "lasts: 2h25min", "lasts: 2h27min"),
      ("cold-room", "held-back, count: 2", "held-back, count: 1"),
      ("dead-tag", "raised: 3h2min", "raised: 3h4min"),
      ("mapping", "reason: hottest, tag: roof", "reason: hottest, tag: gate"),
      ("mapping", "is: 26.11C", "is: 26.2C"), ("turns", "least: 5000", "least: 9000"),
      ("broker-away", "exactly-once", "lossy"), ("article-alone", "tags: 1,", "tags: 2,"),
      ("article-alone", "until: 6h", "until: 5h"), ("article-alone", "is: 8", "is: 4"),
      ("far-shelf", "count: 1", "count: 2"),
    ])
  func fails(_ name: String, _ right: String, _ wrong: String) throws {
    let text = try Self.text(name)
    #expect(text.contains(right))
    let result = try Self.run(text.replacing(right, with: wrong))
    #expect(result.status == 1)
    #expect(
      result.output.components(separatedBy: "NOT MET").count == 2, "\(result.output.suffix(2000))")
  }

  @Test(
    "the same rig and seed produce the same output, and another seed produces another output",
    arguments: ["kills", "turns"])
  func repeatable(_ name: String) throws {
    let text = try Self.text(name).replacing("count: 200}", with: "count: 20}")
      .replacing("duration: 48h", with: "duration: 4h")
    let (one, two) = (try Self.run(text, .jsonl), try Self.run(text, .jsonl))
    #expect(one.output == two.output)
    #expect(try Self.run(text, seed: 77, .jsonl).output != one.output)
  }

  @Test("the formats text, jsonl and json report the same events")
  func formats() throws {
    let text = try Self.text("cold-room")
    let plain = try Self.run(text).output.split(separator: "\n")
    let lines = try Self.run(text, .jsonl).output.split(separator: "\n")
    let list = try JSONSerialization.jsonObject(with: Data(Self.run(text, .json).output.utf8))
    #expect(plain.count == lines.count && plain.count > 20)
    #expect((list as? [Any])?.count == lines.count)
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
  }

  @Test("with 200 kills and any seed, each stored record arrives exactly once")
  func kills() throws {
    var chance = Seeded("kills of a hub, its bridge and its broker")
    let text = try Self.text("kills").replacing("60, zone", with: "6, zone")
      .replacing("least: 165000", with: "least: 10000").components(separatedBy: "  - {that: alarm")[
        0]
    for _ in 0..<4 {
      let seed = UInt64.random(in: 1...1_000_000, using: &chance)
      let result = try Self.run(text, seed: seed)
      #expect(result.status == 0, "seed \(seed): \(result.output.suffix(1000))")
    }
  }

  @Test("a run's summary separately lists losses that the delivery guarantee does not cover")
  func account() throws {
    let text = try Self.text("kills").components(separatedBy: "  - {that: alarm")[0]
    let kept = try Self.run(text).output
    #expect(kept.contains("records on the hub's disk"))
    #expect(kept.contains(" arrived, 0 missing, "), "\(kept.suffix(800))")
    #expect(kept.contains("acknowledged by a broker lost with it and sent again"))
    #expect(kept.contains("notifications never reached the disk, with 200 kills"))
    let lost = try Self.run(text.replacing("confirm: receiver", with: "confirm: broker")).output
    #expect(lost.contains("lost with it\n") && !lost.contains(", 0 missing"))
    #expect(lost.contains("NOT MET"))
  }

  @Test("positions, range and radio timings affect the run, and invalid ones are reported")
  func waves() throws {
    let text = try Self.text("far-shelf")
    let near = try Self.run(text.replacing("range: 40m", with: "range: 100m"))
    #expect(near.output.contains("never"), "\(near.output.suffix(800))")
    #expect(try Self.run(text.replacing("[0m, 0m], range", with: "[60m, 0m], range")).status == 1)
    for (right, wrong, message) in [
      ("at: [5m, 0m]", "at: [5m]", "at: the position must have two lengths"),
      ("loss: 0.05", "loss: 2", "loss"),
      ("patience: 10s", "patience: 0s", "link: 'patience' must be 100ms to 24h"),
      ("range: 40m", "over: bumble, range: 40m", "range: is not supported over a Bluetooth stack"),
    ] {
      #expect(text.contains(right))
      let result = try Self.run(text.replacing(right, with: wrong))
      #expect(result.status == 78 && result.output.contains(message), "\(result.output)")
    }
  }

  @Test("with 'confirm: broker', killing the broker loses records that it has confirmed")
  func lossy() throws {
    let text = try Self.text("kills").replacing("confirm: receiver", with: "confirm: broker")
      .replacing("{that: delivery, is: exactly-once}", with: "{that: delivery, is: lossy}")
    let result = try Self.run(text)
    #expect(result.status == 0, "\(result.output.suffix(1000))")
  }

  @Test("the schema of warehouse rigs is JSON, names each key, and is stored next to the rigs")
  func schema() throws {
    let schema = WarehouseProgram.schema
    #expect(try Fixtures.text("rigs/warehouse.schema.json") == schema)
    _ = try JSONSerialization.jsonObject(with: Data(schema.utf8))
    for key in ["\"warehouse\"", "\"fleets\"", "\"kills\"", "\"hysteresis\""] {
      #expect(schema.contains(key))
    }
  }
}

/// The output of a program.
final class Output {
  private(set) var text = ""

  func write(_ text: String) { self.text += text }
}
