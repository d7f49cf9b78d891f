import Diagnosis
import Support
import TestSupport
import Testing

/// Tests that any table of observations is parsed, or rejected with its line.
struct ObservationFuzzTests {
  @Test("a mutated table of observations is read or rejected with a line number and a message")
  func mutations() {
    var generator = Seeded("mutated observations")
    let good = Array(
      "t,temperature_c,pressure_hpa,humidity_rh\n0.1,21.30,1005.2,45.0\n10.1,21.31,nan,45.1\n20.1,-,1005.3,\n"
        .utf8)
    var refused = 0
    for _ in 0..<Repetitions.mutations {
      let text = String(decoding: Mutator.mutated(good, using: &generator), as: UTF8.self)
      do throws(CSV.FormatError) {
        _ = try ObservationTable.read(text)
      } catch {
        #expect(error.line >= 1 && !error.message.isEmpty, "seed \(generator.seed)")
        refused += 1
      }
    }
    #expect((1..<Repetitions.mutations).contains(refused))
  }
}
