import Audit
import Foundation
import Support
import TestSupport
import Testing

/// Parsing of damaged baselines.
struct BaselineFuzzTests {
  @Test(
    "a baseline that uses the verdict names of older versions is read with the same meaning",
    arguments: [("told", Judgement.Verdict.reported), ("missed", .notRun), ("failed", .failed)])
  func formerWords(word: String, verdict: Judgement.Verdict) throws {
    #expect(Judgement.Verdict(word: word) == verdict)
    #expect(Judgement.Verdict(word: verdict.rawValue) == verdict)
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text =
      #"{"scenarios":[{"scenario":"nobody","verdict":"\#(word)"},{"scenario":"calm","verdict":"wrong"}]}"#
    try Data(text.utf8).write(to: URL(filePath: path))
    let baseline = try Baseline(path)
    func judged(_ name: String, _ verdict: Judgement.Verdict) throws -> Judgement {
      let scenario = try #require(Scenario.all.first { $0.name == name })
      return Judgement(
        scenario: scenario, verdict: verdict, shown: [], differences: [], reason: "", likely: [],
        conduct: [], readings: 0, seconds: 0)
    }
    #expect(try baseline.knows(judged("calm", .wrong)))
    #expect(try baseline.knows(judged("nobody", .failed)) == verdict.isFinding)
  }

  @Test("a mutated baseline file is read or rejected with an error, without a crash")
  func mutations() throws {
    var generator = Seeded("mutated baselines")
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let good = Array(
      #"{"audit":["x"],"findings":2,"scenarios":[{"scenario":"calm","verdict":"wrong"},{"scenario":"frost","verdict":"failed"}]}"#
        .utf8)
    var accepted = 0
    for _ in 0..<Repetitions.mutations {
      try Data(Mutator.mutated(good, using: &generator)).write(to: URL(filePath: path))
      do throws(Failure) {
        _ = try Baseline(path)
        accepted += 1
      } catch {
        #expect(error.kind == .badContent, "seed \(generator.seed)")
      }
    }
    #expect((1..<Repetitions.mutations).contains(accepted))
  }
}
