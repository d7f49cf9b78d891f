package import BME280
package import Quantities

/// A decoder with the same defects as a faulty program.
package struct FaultyDecoder: Hashable, Sendable {
  /// The values that the program displays for one measurement.
  package struct Result: Hashable, Sendable {
    /// The values in C, Pa and %RH; `nil` for a quantity that is not displayed.
    package let values: AirReading
    /// `true` if the program would have crashed in a language that traps on overflow.
    package let wouldTrap: Bool

    package init(values: AirReading, wouldTrap: Bool) {
      (self.values, self.wouldTrap) = (values, wouldTrap)
    }
  }

  /// The measurements that a program has read so far.
  package struct Memory: Sendable {
    /// The data registers of the first measurement and of the latest ones.
    fileprivate var data: [[UInt8]] = []

    /// Creates the memory of a program that has just started.
    package init() {}

    /// Adds a measurement and drops those that no longer matter: only the first one and the ones within the longest
    /// moving average are needed.
    fileprivate mutating func keep(_ bytes: [UInt8]) {
      data.append(bytes)
      if data.count > Self.most + 1 { data.remove(at: 1) }
    }

    /// The number of latest measurements to keep: the length of the catalogue's longest moving average, plus one.
    private static let most = 11
  }

  /// The names of all decoding defects.
  package static let defectNames = Defect.decodings.map(\.name)
  package static let formulaNames = Formula.Kind.allCases.map(\.rawValue)

  /// The defects, in the order given.
  package let defects: [Defect]
  /// The name of the formula.
  package let formula: String
  private let decoding: Decoding

  /// Creates a decoder, or `nil` if a name is unknown or a defect belongs to a different formula.
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

  /// Returns the values that the program displays for its first measurement.
  package func shows(_ raw: RawMeasurement, of calibration: Calibration) -> Result {
    var memory = Memory()
    return shows(raw, of: calibration, &memory)
  }

  /// Returns the values that the program displays for a measurement.
  ///
  /// - Parameters:
  ///   - raw: the codes of the measurement.
  ///   - calibration: the calibration of the part.
  ///   - memory: the measurements read so far, to which this one is added.
  /// - Returns: the displayed values.
  package func shows(
    _ raw: RawMeasurement, of calibration: Calibration, _ memory: inout Memory
  ) -> Result {
    memory.keep(raw.registers)
    let shown = decoding.shown(calibration.registers, memory.data, last: 1)[0]
    return Result(values: shown.values, wouldTrap: shown.crashes)
  }
}

extension Calibration {
  /// The 256 registers of a part with this calibration; registers outside the calibration are `nil`, except 0xE8,
  /// which is 0.
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
