public import VirtualParts

/// What the model of the BME280 and BMP280 claims, assumes and leaves out.
public enum Fidelity {
  /// A fact of the chip and the test that fails when the model breaks it.
  public typealias Fact = FidelityLedger.Fact
  /// An open question of the chip and the switch that answers it.
  public typealias Assumption = FidelityLedger.Assumption
  /// Something that the model leaves out.
  public typealias Shortcut = FidelityLedger.Shortcut

  /// The ledger, from which its page in the documentation is printed.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "Fidelity",
      preface: [
        "Printed by `aneroid doctor --fidelity`. Each fact names the test that fails when the model breaks",
        "it. DS is Bosch's data sheet of the BME280; *seen* means captured from real parts.",
      ],
      chapters: chapters, assumptions: assumptions, shortcuts: shortcuts)
  }
}
