import Cores
import Foundation
import TestSupport
import Testing

/// The ARM core against another's: random instructions on random states, done by Unicorn as a program of its own.
struct JudgedTests {
  static let judge = Fixtures.root.appending(path: ".build-peers/clients/arm_judge")

  @Test("each instruction leaves what Unicorn leaves")
  func instructions() throws {
    var chance = Seeded("instructions")
    let count = Repetitions.count(30_000, long: 1_300_000)
    var tally = Tally()
    let bench = ArmBench()
    var done = 0
    while done < count {
      let cases = (0..<min(ArmBench.batch, count - done)).map { _ in
        Encodings.all.randomElement(using: &chance).map { ($0, ArmCase($0, &chance)) }
      }.compactMap { $0 }
      let judged = try Self.judge(cases.map(\.1))
      bench.load(cases.map(\.1))
      for (index, (encoding, each)) in cases.enumerated() {
        let ours = bench.run(each.words, at: index)
        tally.add(encoding, each, ours, judged[index])
      }
      done += cases.count
    }
    print(tally.summary)
    #expect(tally.differences == [], "\(tally.differences.joined(separator: "\n"))")
    // Each form is compared often enough, and not excused.
    for encoding in Encodings.all {
      #expect(tally.compared[encoding.name, default: 0] > count / 2000, "\(encoding.name)")
    }
  }

  /// What Unicorn makes of some cases.
  static func judge(_ cases: [ArmCase]) throws -> [[UInt32]] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "judge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (asked, told) = (folder.appending(path: "asked"), folder.appending(path: "told"))
    let words = cases.flatMap(\.words)
    try words.withUnsafeBytes { Data($0) }.write(to: asked)
    let process = Process()
    process.executableURL = judge
    process.arguments = [asked.path, told.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let bytes = try Data(contentsOf: told)
    try #require(bytes.count == words.count * 4)
    let all = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    return stride(from: 0, to: all.count, by: ArmCase.words).map {
      Array(all[$0..<$0 + ArmCase.words])
    }
  }
}
