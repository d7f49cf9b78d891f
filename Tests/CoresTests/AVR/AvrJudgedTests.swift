import Cores
import TestSupport
import Testing

/// Comparison of the AVR core with simavr, which runs as a separate program: random instructions on random states.
struct AvrJudgedTests {
  static let judge = Fixtures.rootPath + "/.build-peers/clients/avr_judge"

  @Test("each instruction has the same result as in simavr")
  func instructions() throws {
    var chance = Seeded("AVR instructions")
    let count = Repetitions.count(30_000, long: 1_300_000)
    var tally = AvrTally()
    let bench = AvrBench()
    let batch = 16384
    for first in stride(from: 0, to: count, by: batch) {
      let cases = (first..<min(first + batch, count)).compactMap { _ in
        AvrEncodings.all.randomElement(using: &chance).map { ($0, AvrCase($0, &chance)) }
      }
      let judged = try Self.judge(cases.map(\.1))
      for (index, (encoding, each)) in cases.enumerated() {
        tally.add(encoding, each, bench.run(each), judged[index])
      }
    }
    print(tally.summary)
    #expect(tally.differences == [], "\(tally.differences.joined(separator: "\n"))")
    // Each encoding is compared often enough.
    for encoding in AvrEncodings.all {
      #expect(tally.compared[encoding.name, default: 0] > count / 200, "\(encoding.name)")
    }
  }

  /// Returns simavr's results.
  static func judge(_ cases: [AvrCase]) throws -> [AvrCase] {
    let folder = try TestFolder()
    try folder.write(cases.flatMap(\.data), to: "input")
    try Tool.run(judge, [folder["input"], folder["output"]])
    let bytes = try folder.bytes(of: "output")
    try #require(bytes.count == cases.count * AvrCase.size)
    return stride(from: 0, to: bytes.count, by: AvrCase.size).map {
      AvrCase(bytes[$0..<$0 + AvrCase.size])
    }
  }
}
