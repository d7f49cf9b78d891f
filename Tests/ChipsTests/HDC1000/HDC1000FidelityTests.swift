import Chips
import Testing

/// Tests of the fidelity ledger of the HDC1000.
struct HDC1000FidelityTests {
  @Test(
    "every fact and assumption of the HDC1000 names an existing test, and the page is current")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: HDC1000UndocumentedBehavior()).children.count
    try FidelityCheck.check(
      HDC1000Fidelity.ledger, page: "HDC1000ModelFidelity", facts: 20, assumptions: switches)
  }
}
