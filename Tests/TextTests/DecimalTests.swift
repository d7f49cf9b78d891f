import Foundation
import TestSupport
import Testing
import Text

/// Numbers with a fixed number of decimals are rounded as C rounds them.
struct DecimalTests {
  @Test("the digits are those of C, for numbers of every size")
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

  @Test("what is rounded to zero has no sign where it is told, and keeps it where it is printed")
  func zero() {
    #expect(Decimal.fixed(-0.04, 1) == "0.0")
    #expect(Decimal.fixed(-0.06, 1) == "-0.1")
    #expect(Decimal.printed(-0.04, 1) == "-0.0")
    #expect(Decimal.signed(0.04, 1) == "0.0")
    #expect(Decimal.signed(0.06, 1) == "+0.1")
  }
}
