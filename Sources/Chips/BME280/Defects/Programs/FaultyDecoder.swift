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

    /// Creates what a program shows.
    package init(values: AirReading, wouldTrap: Bool) {
      (self.values, self.wouldTrap) = (values, wouldTrap)
    }
  }

  /// What a program remembers of the measurements that it has read.
  package struct Memory: Sendable {
    /// The data registers of the first measurement and of the last ones.
    fileprivate var data: [[UInt8]] = []

    /// Creates the memory of a program that has just begun.
    package init() {}

    /// Keeps a measurement; beyond the longest mean only the first and the last ones matter.
    fileprivate mutating func keep(_ bytes: [UInt8]) {
      data.append(bytes)
      if data.count > Self.most + 1 { data.remove(at: 1) }
    }

    /// The longest mean of the catalogue, and the measurement before it.
    private static let most = 11
  }

  /// The defects that there are.
  package static let defectNames = Defect.decodings.map(\.name)
  /// The formulas that there are.
  package static let formulaNames = Formula.Kind.allCases.map(\.rawValue)

  /// What is wrong with it, in the order in which it was named.
  package let defects: [Defect]
  /// The name of its formula.
  package let formula: String
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

  /// What the program makes of a measurement that is its first.
  package func shows(_ raw: RawMeasurement, of calibration: Calibration) -> Result {
    var memory = Memory()
    return shows(raw, of: calibration, &memory)
  }

  /// What the program makes of a measurement.
  ///
  /// - Parameters:
  ///   - raw: its codes.
  ///   - calibration: the part's.
  ///   - memory: what the program has read before; the measurement joins it.
  /// - Returns: what it shows.
  package func shows(
    _ raw: RawMeasurement, of calibration: Calibration, _ memory: inout Memory
  ) -> Result {
    memory.keep(raw.registers)
    let shown = decoding.shown(calibration.registers, memory.data, last: 1)[0]
    return Result(values: shown.values, wouldTrap: shown.crashes)
  }
}

extension Calibration {
  /// The registers of a part with this calibration, as far as it fills them.
  package var registers: [UInt8?] {
    var registers = [UInt8?](repeating: nil, count: 256)
    let nvm = bytes
    for index in nvm.indices { registers[Calibration.register(ofByte: index)] = nvm[index] }
    registers[0xE8] = 0
    return registers
  }
}

extension RawMeasurement {
  /// The data registers 0xF7 to 0xFE that hold these codes.
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
