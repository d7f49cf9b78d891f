import Audit
import Files
import Foundation
import TestSupport
import Testing

/// A baseline that was damaged is refused or read, never more.
struct BaselineFuzzTests {
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
