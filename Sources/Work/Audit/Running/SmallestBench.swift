import Bench

/// The smallest bench that still gives a finding.
package struct SmallestBench: Sendable {
  /// The name of the random bench from which it was derived.
  package let origin: String
  /// The finding on the smallest bench.
  package let judgement: Judgement
  /// The rig of the smallest bench.
  package let rig: String
}

extension RandomBenches {
  /// The largest number of findings for which a smallest bench is searched, one for each cause.
  private static let mostFindings = 3
  /// The time after which the search for one finding ends, in nanoseconds (30 s).
  private static let patience: UInt64 = 30_000_000_000

  /// Searches the smallest bench for the findings of an audit: one that gives no finding after any further simplification,
  /// or that was reached within 30 s.
  ///
  /// - Parameters:
  ///   - result: the result of the audit on these benches.
  ///   - settings: its settings.
  ///   - folder: an existing folder for rigs and traces.
  ///   - isInterrupted: polled while programs run; returns `true` to abort.
  /// - Throws: ``AuditError``.
  /// - Returns: the smallest bench for one finding of each cause, at most three.
  package func smallest(
    of result: AuditRun.Result, _ settings: AuditSettings, in folder: String,
    isInterrupted: @escaping () -> Bool
  ) throws(AuditError) -> [SmallestBench] {
    var found: [SmallestBench] = []
    let clock = WallClock()
    for group in FindingGroup.all(of: result.judgements).prefix(Self.mostFindings) {
      // A wrong value says more than a last digit.
      let isWrong = group.judgements.first { $0.verdict == .wrong }
      guard let first = isWrong ?? group.judgements.first,
        var bench = benches.first(where: { $0.name == first.scenario.name })
      else { continue }
      bench.name = "simpler"
      bench.origin = "The smallest bench for \(first.scenario.name)"
      let start = clock.nanoseconds
      func finding(on bench: RandomBench) throws(AuditError) -> (Judgement, Scenario.Place)? {
        var trial = settings
        trial.scenarios = [bench.scenario]
        let outcome = try AuditRun(trial, in: folder, isInterrupted: isInterrupted).run()
        return outcome.judgements.first { $0.verdict.isFinding }.map { ($0, outcome.place) }
      }
      var isSimpler = true
      while isSimpler {
        isSimpler = false
        // A program that is silent when it fails takes the whole time limit on each bench.
        for simpler in bench.simplifications where clock.nanoseconds - start < Self.patience {
          guard try finding(on: simpler) != nil else { continue }
          (bench, isSimpler) = (simpler, true)
          break
        }
      }
      bench.name = "smallest-\(found.count + 1)"
      guard let (judgement, place) = try finding(on: bench) else { continue }
      found.append(
        SmallestBench(
          origin: first.scenario.name, judgement: judgement, rig: bench.scenario.rig(at: place)))
    }
    return found
  }
}
