import Cores
import TestSupport
import Testing

/// Comparison of the ARM core with Unicorn, which runs as a separate program: random instructions on random states.
struct JudgedTests {
  static let judge = Fixtures.rootPath + "/.build-peers/clients/arm_judge"

  @Test("each instruction has the same result as in Unicorn")
  func instructions() throws {
    try compare(Encodings.all, .cortexM4F, Repetitions.count(30_000, long: 1_300_000))
  }

  @Test("each ARMv6-M instruction has the same result as in Unicorn, and other instructions fault")
  func baseline() throws {
    try compare(Encodings.baseline, .cortexM0, Repetitions.count(10_000, long: 1_100_000))
  }

  private func compare(_ encodings: [Encoding], _ model: ArmCore.Model, _ count: Int) throws {
    var chance = Seeded("instructions")
    var tally = Tally(isBaseline: model.isBaseline)
    let bench = ArmBench(model)
    var done = 0
    while done < count {
      let cases = (0..<min(ArmBench.batch, count - done)).map { _ in
        encodings.randomElement(using: &chance).map {
          ($0, ArmCase($0, isBaseline: model.isBaseline, &chance))
        }
      }.compactMap { $0 }
      let judged = try Self.judge(cases.map(\.1), isBaseline: model.isBaseline)
      bench.load(cases.map(\.1))
      for (index, (encoding, each)) in cases.enumerated() {
        let ours = bench.run(each.words, at: index)
        tally.add(encoding, each, ours, judged[index])
      }
      done += cases.count
    }
    print(tally.summary)
    #expect(tally.differences == [], "\(tally.differences.joined(separator: "\n"))")
    // Each encoding must be compared often enough, and not be excused every time.
    for encoding in encodings {
      #expect(tally.compared[encoding.name, default: 0] > count / 2000, "\(encoding.name)")
    }
  }

  /// Returns Unicorn's results.
  static func judge(_ cases: [ArmCase], isBaseline: Bool) throws -> [[UInt32]] {
    let folder = try TestFolder()
    let words = cases.flatMap(\.words)
    try folder.write(words.withUnsafeBytes { Array($0) }, to: "input")
    try Tool.run(judge, [folder["input"], folder["output"]] + (isBaseline ? ["m0"] : []))
    let bytes = try folder.bytes(of: "output")
    try #require(bytes.count == words.count * 4)
    let all = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    return stride(from: 0, to: all.count, by: ArmCase.words).map {
      Array(all[$0..<$0 + ArmCase.words])
    }
  }
}
