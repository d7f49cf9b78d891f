package import BME280
package import Quantities

/// The way from bytes to values of a program with named defects.
package struct FaultyDecoder: Hashable, Sendable {
  /// What a program shows.
  package struct Result: Hashable, Sendable {
    /// In C, Pa and %RH; `nil` where it shows none.
    package let values: AirReading
    /// Whether a language that traps on overflow would have ended the program.
    package let wouldTrap: Bool
  }

  /// The defects that there are.
  package static let defectNames = Defect.decodings.map(\.name)
  /// The formulas that there are.
  package static let formulaNames = Formula.Kind.allCases.map(\.rawValue)

  private let decoding: Decoding

  /// Creates a decoder, or `nil` when a name is not known or a defect belongs to another formula.
  ///
  /// - Parameters:
  ///   - defects: the names of its defects.
  ///   - formula: the name of its formula.
  package init?(defects: [String], formula: String) {
    guard let kind = Formula.Kind(rawValue: formula) else { return nil }
    var decoding = Decoding()
    decoding.formula.kind = kind
    for name in defects {
      guard let defect = Defect.decodings.first(where: { $0.name == name }),
        defect.formula.map({ $0 == kind }) ?? true, case .decoding(let change) = defect.change
      else { return nil }
      change(&decoding)
    }
    self.decoding = decoding
  }

  /// What the program makes of a measurement.
  package func shows(_ raw: RawMeasurement, of calibration: Calibration) -> Result {
    var registers = [UInt8?](repeating: nil, count: 256)
    let nvm = calibration.bytes
    for index in nvm.indices { registers[Calibration.register(ofByte: index)] = nvm[index] }
    registers[0xE8] = 0
    func three(_ code: Int32) -> [UInt8] {
      [
        UInt8(truncatingIfNeeded: code >> 12), UInt8(truncatingIfNeeded: code >> 4),
        UInt8(truncatingIfNeeded: code << 4),
      ]
    }
    let humidity = [
      UInt8(truncatingIfNeeded: raw.humidity >> 8), UInt8(truncatingIfNeeded: raw.humidity),
    ]
    let data = three(raw.pressure) + three(raw.temperature) + humidity
    let shown = decoding.shown(registers, [data])[0]
    return Result(values: shown.values, wouldTrap: shown.crashes)
  }
}
