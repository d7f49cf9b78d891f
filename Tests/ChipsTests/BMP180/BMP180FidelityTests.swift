import Chips
import Testing

/// Tests of the fidelity ledger of the BMP180.
struct BMP180FidelityTests {
  @Test("the BMP180's fidelity page is current, and each fact and assumption on it names a test")
  func ledger() throws {
    // As many assumptions as there are switches.
    let switches = Mirror(reflecting: BMP180UndocumentedBehavior()).children.count
    try FidelityCheck.check(
      BMP180Fidelity.ledger, page: "BMP180ModelFidelity", facts: 17, assumptions: switches)
  }
}
