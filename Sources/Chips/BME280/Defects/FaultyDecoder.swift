package import BME280
package import Quantities

/// The decoding of a program with named defects.
package struct FaultyDecoder: Hashable, Sendable {
  /// The values that a program shows.
  package struct Result: Hashable, Sendable {
    /// The values in C, Pa and %RH; `nil` for those not shown.
    package let values: AirReading
    /// `true` if the program would have crashed in a language that traps on overflow.
    package let wouldTrap: Bool

    /// Creates a result.
    package init(values: AirReading, wouldTrap: Bool) {
      (self.values, self.wouldTrap) = (values, wouldTrap)
    }
  }

  /// The measurements that a program has read so far.
  package struct Memory: Sendable {
    /// The data registers of the first and of the last measurements.
    fileprivate var data: [[UInt8]] = []

    /// Creates the memory of a program that has just started.
    package init() {}

    /// Adds a measurement; beyond the longest moving average only the first and the last ones are needed.
    fileprivate mutating func keep(_ bytes: [UInt8]) {
      data.append(bytes)
      if data.count > Self.most + 1 { data.remove(at: 1) }
    }

    /// The longest moving average of the catalogue, plus one measurement.
    private static let most = 11
  }

  /// The names of all decoding defects.
  package static let defectNames = Defect.decodings.map(\.name)
  /// The names of all formulas.
  package static let formulaNames = Formula.Kind.allCases.map(\.rawValue)

  /// The defects, in the order given.
  package let defects: [Defect]
  /// The name of the formula.
  package let formula: String
  private let decoding: Decoding

  /// Creates a decoder, or `nil` if a name is unknown or a defect belongs to another formula.
  ///
  /// - Parameters:
  ///   - defects: the names of the defects.
  ///   - formula: the name of the formula.
  package init?(defects: [String], formula: String) {
    guard let kind = Formula.Kind(rawValue: formula) else { return nil }
    var decoding = Decoding()
    decoding.formula.kind = kind
    var found: [Defect] = []
    for name in defects {
      guard let defect = Defect.decodings.first(where: { $0.name == name }),
        defect.formula.map({ $0 == kind }) ?? true, case .decoding(let change) = defect.change
      else { return nil }
      change(&decoding)
      found.append(defect)
    }
    (self.decoding, self.defects, self.formula) = (decoding, found, formula)
  }

  /// Returns the values that the program shows for its first measurement.
  package func shows(_ raw: RawMeasurement, of calibration: Calibration) -> Result {
    var memory = Memory()
    return shows(raw, of: calibration, &memory)
  }

  /// Returns the values that the program shows for a measurement.
  ///
  /// - Parameters:
  ///   - raw: the codes.
  ///   - calibration: the calibration of the part.
  ///   - memory: the measurements read so far; this one is added.
  /// - Returns: the values shown.
  package func shows(
    _ raw: RawMeasurement, of calibration: Calibration, _ memory: inout Memory
  ) -> Result {
    memory.keep(raw.registers)
    let shown = decoding.shown(calibration.registers, memory.data, last: 1)[0]
    return Result(values: shown.values, wouldTrap: shown.crashes)
  }
}

extension Calibration {
  /// The registers of a part that contain this calibration; others are `nil`.
  package var registers: [UInt8?] {
    var registers = [UInt8?](repeating: nil, count: 256)
    let nvm = bytes
    for index in nvm.indices { registers[Calibration.register(ofByte: index)] = nvm[index] }
    registers[0xE8] = 0
    return registers
  }
}

extension RawMeasurement {
  /// The data registers 0xF7 to 0xFE that contain these codes.
  package var registers: [UInt8] {
    func three(_ code: Int32) -> [UInt8] {
      [
        UInt8(truncatingIfNeeded: code >> 12), UInt8(truncatingIfNeeded: code >> 4),
        UInt8(truncatingIfNeeded: code << 4),
      ]
    }
    return three(pressure) + three(temperature) + [
      UInt8(truncatingIfNeeded: humidity >> 8), UInt8(truncatingIfNeeded: humidity),
    ]
  }
}
