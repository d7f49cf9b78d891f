import Chips
import Testing

/// Tests of the fidelity ledger of the HDC1000.
struct HDC1000FidelityTests {
  @Test(
    "the HDC1000's fidelity page is current, and each fact and assumption on it names a test")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: HDC1000UndocumentedBehavior()).children.count
    try FidelityCheck.check(
      HDC1000Fidelity.ledger, page: "HDC1000ModelFidelity", facts: 20, assumptions: switches)
  }
}
