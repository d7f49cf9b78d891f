import Foundation
import Support
import TestSupport
import Testing

/// Numbers with a fixed number of decimals are rounded as in C.
struct DecimalTests {
  @Test("the digits equal those of C's printf for numbers of every magnitude")
  func digits() {
    var generator = Seeded("decimals")
    let special = [
      0, -0.0, 0.5, 1.5, 2.5, -0.5, 0.005, 1.005, 0.045, -0.04, 1e15, 1e22, 1e300, -1e-9,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    ]
    let random = (0..<20_000).map { index in
      let bits = UInt64.random(in: 0...UInt64.max, using: &generator)
      return index % 2 == 0 ? Double(bitPattern: bits) : Double(bits % 2_000_000_000) / 1e4 - 1e5
    }
    for value in special + random {
      for decimals in 0...6 {
        let expected = String(format: "%.\(decimals)f", value)
        if Decimal.printed(value, decimals) != expected {
          Issue.record("\(value) with \(decimals): \(Decimal.printed(value, decimals))")
        }
      }
    }
  }

  @Test("a negative value rounded to zero has no sign in reports, but has one in C's format")
  func zero() {
    #expect(Decimal.fixed(-0.04, 1) == "0.0")
    #expect(Decimal.fixed(-0.06, 1) == "-0.1")
    #expect(Decimal.printed(-0.04, 1) == "-0.0")
    #expect(Decimal.signed(0.04, 1) == "0.0")
    #expect(Decimal.signed(0.06, 1) == "+0.1")
  }

  @Test(
    "an uncertainty is never printed as 0",
    arguments: [
      (-0.9931, 0.01, "-0.993", "0.010"), (-0.99312, 0.0003, "-0.9931", "0.0003"),
      (-0.993123, 0.00003, "-0.99312", "0.00003"), (-0.993, 0.000003, "-0.993", "< 0.001"),
      (0, 0, "0.000", "< 0.001"), (1, 0.0004, "+1.0000", "0.0004"),
      (1, 0.00051, "+1.000", "0.001"), (1, .nan, "+1.000", "nan"),
    ])
  func uncertainties(_ value: Double, _ uncertainty: Double, _ one: String, _ other: String) {
    let shown = Decimal.measured(value, uncertainty, 3)
    #expect(shown.value == one && shown.uncertainty == other, "\(shown)")
  }

  @Test("an uncertainty that rounds to 0 without decimals is printed as '< 1'")
  func wholeUncertainty() {
    #expect(Decimal.measured(7, 0.001, 0).uncertainty == "< 1")
  }
}
