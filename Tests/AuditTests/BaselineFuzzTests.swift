import Files
import Foundation
import TestSupport
import Testing

@testable import Audit

/// A baseline that was damaged is refused or read, never more.
struct BaselineFuzzTests {
  @Test(
    "a baseline with the words of before is read, and each means what it meant",
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

  @Test("mutated baselines")
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
