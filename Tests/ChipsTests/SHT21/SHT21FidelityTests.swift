import Chips
import Testing

/// Tests of the fidelity ledger of the SHT21.
struct SHT21FidelityTests {
  @Test("the SHT21's fidelity page is current, and each fact and assumption on it names a test")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: SHT21UndocumentedBehavior()).children.count
    try FidelityCheck.check(
      SHT21Fidelity.ledger, page: "SHT21ModelFidelity", facts: 20, assumptions: switches)
  }
}
