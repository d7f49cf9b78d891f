import BME280Model
import Chips
import Testing
import VirtualI2C

/// Harsh parts answer open questions against the driver.
struct HarshAnswerTests {
  /// Checks the declarations of a chip, and returns the keys with a harsh answer.
  static func keys<Switches: UndocumentedSwitches & Equatable>(
    _ standard: Switches
  ) -> [String] {
    var harsh = standard
    harsh.turnHarsh()
    #expect(harsh != standard)
    var keys: [String] = []
    for assumption in Switches.assumptions {
      guard let answer = assumption.harsh else {
        #expect(assumption.answer(in: harsh) == assumption.answer(in: standard))
        continue
      }
      keys.append(assumption.key)
      #expect(answer != assumption.answer(in: standard), "\(assumption.key): that is the default")
      #expect(assumption.answer(in: harsh) == answer, "\(assumption.key)")
      if case .words(let words) = assumption.answers, case .word(let word) = answer {
        #expect(words.contains(word), "\(assumption.key)")
      }
    }
    return keys
  }

  @Test(
    "a harsh part of each chip differs from the default in the declared answers, and only in those")
  func declarations() {
    #expect(Self.keys(UndocumentedBehavior()).contains("config_in_normal_mode"))
    #expect(Self.keys(SHT21UndocumentedBehavior()).contains("second_read"))
    #expect(Self.keys(HDC1000UndocumentedBehavior()).contains("stale_read"))
    #expect(Self.keys(BMP180UndocumentedBehavior()).contains("read_only_write"))
  }

  @Test("the fidelity page lists the harsh answer of each open question")
  func page() {
    let entries = Fidelity.assumptions
    #expect(entries.first { $0.key == "config_in_normal_mode" }?.harsh == "ignored")
    #expect(entries.first { $0.key == "measuring_delay" }?.harsh == "0.3ms")
    #expect(entries.first { $0.key == "filter_rounding" }?.harsh == "")
  }
}
