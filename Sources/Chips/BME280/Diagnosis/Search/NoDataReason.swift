import DriverDefects

/// Why there is nothing to diagnose, and what to look at: no answer, no data.
///
/// The order of the questions is that of the thesis's own tree: is the board found, does it blink, do data come,
/// are they right.
package struct NoDataReason: Hashable, Sendable {
  /// What is missing.
  package let sentence: String
  /// What to check, in this order.
  package let checks: [String]

  /// Nobody spoke to a sensor.
  package static let silence = NoDataReason(
    sentence: "nothing in this trace goes to 0x76 or 0x77",
    checks: [
      "is this the right bus (trace check names those that there are)?",
      "has the program found its board or adapter? aneroid doctor lists adapters; a board over "
        + "Bluetooth must be charged and near, and connected to nobody else",
      "does the program use another address? say --address",
    ])

  /// What keeps some evidence from being data.
  package init?(_ evidence: Evidence) {
    guard evidence.data.isEmpty else { return nil }
    if evidence.transfers > 0, evidence.failures == evidence.transfers {
      self.init(
        sentence:
          "nobody answers at \(evidence.address): all \(evidence.transfers) transfers failed",
        checks: [
          "SDO: at ground the address is 0x76, at VDDIO 0x77",
          "power (VDD and VDDIO), ground, SDA and SCL not exchanged, pull-ups to VDDIO",
          "CSB at VDDIO: once low, the part speaks SPI until power goes",
          "over a board that blinks on each command: no blink, no command; a blink without an answer: the wiring",
        ])
    } else {
      self.init(
        sentence: "no measurement of \(evidence.address) was read",
        checks: [
          "ctrl_meas (0xF4) needs a mode: 0x25 measures once, 0x27 for ever",
          "reads longer than the adapter's limit (18 bytes over the board of the thesis) give nothing: split them",
          "the data are at 0xF7 to 0xFE",
        ])
    }
  }

  private init(sentence: String, checks: [String]) {
    self.sentence = sentence
    self.checks = checks
  }
}
