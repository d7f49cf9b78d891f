import Chips
import Testing

/// Tests of the fidelity ledger of the SHT21.
struct SHT21FidelityTests {
  @Test("every fact and assumption of the SHT21 names an existing test, and the page is current")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: SHT21UndocumentedBehavior()).children.count
    try FidelityCheck.check(
      SHT21Fidelity.ledger, page: "SHT21ModelFidelity", facts: 20, assumptions: switches)
  }
}
