import Chips
import Testing

/// The ledger of the HDC1000.
struct HDC1000FidelityTests {
  @Test(
    "every fact and assumption of the HDC1000 names a test that exists, and the page is current")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: HDC1000UnknownBehaviour()).children.count
    try FidelityCheck.check(
      HDC1000Fidelity.ledger, page: "HDC1000ModelFidelity", facts: 20, assumptions: switches)
  }
}
