import Audit
import Testing
struct ScenarioTests {
  @Test("x") func x() { #expect(!Scenario.all.isEmpty) }
}
