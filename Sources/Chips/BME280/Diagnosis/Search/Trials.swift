import DriverDefects

/// Which sets of defects are tried, and what each of them can change: worked out once.
struct Trials: Sendable {
  /// The defects that are found by trying, also together with others.
  static let usual = Defect.decodings.filter { !$0.isFitted }
  /// All that are found by trying: behind the usual ones those that are tried alone.
  static let defects = usual + Defect.lone
  /// Those of all defects.
  static let all = Trials(defects)

  /// The defects that can change a quantity.
  struct Reach: Sendable {
    fileprivate var masks = [DefectMask](repeating: 0, count: 8)

    /// Those that change any of some quantities.
    subscript(quantities: QuantitySet) -> DefectMask { masks[Int(quantities.rawValue)] }
  }

  let reach: Reach
  /// The defect by which the pressure stands for the humidity.
  let standing: DefectMask
  /// The sets of no, one, two and three defects.
  let sets: [[DefectMask]]

  private init(_ defects: [Defect]) {
    let decodings = defects.map { defect in
      var decoding = Decoding()
      Self.change(&decoding, by: defect)
      return decoding
    }
    var reach = Reach()
    var standing: DefectMask = 0
    // What is tried in threes too: not what differs from measurement to measurement, nor the sign of one word of the pressure, which
    // would take long and of which none is known together with two others.
    var common: DefectMask = 0
    for (index, decoding) in decodings.enumerated() {
      let bit = DefectMask(1) << DefectMask(index)
      let own = decoding.reach
      for quantities in reach.masks.indices
      where !own.isDisjoint(with: QuantitySet(rawValue: UInt8(quantities))) {
        reach.masks[quantities] |= bit
      }
      if decoding.showsPressureAsHumidity { standing |= bit }
      var isSingleWord = false
      if case .notP = decoding.words.signs { isSingleWord = true }
      if decoding.averaged == 1, decoding.early.isEmpty, !isSingleWord { common |= bit }
    }
    // Of two that change the same thing one alone would show.
    let exclusive = decodings.indices.map { index in
      decodings.indices.reduce(DefectMask(0)) { mask, other in
        var both = decodings[index]
        Self.change(&both, by: defects[other])
        let isHidden = other != index && both == decodings[other]
        return isHidden ? mask | 1 << DefectMask(other) : mask
      }
    }
    self.reach = reach
    self.standing = standing
    sets = (0...3).map { size in
      let count = size < 2 ? defects.count : Self.usual.count
      return Combinations(of: count, size).map(\.mask).filter { mask in
        guard size < 3 || mask & ~common == 0 else { return false }
        var rest = mask
        while rest != 0 {
          if exclusive[rest.trailingZeroBitCount] & mask != 0 { return false }
          rest &= rest - 1
        }
        return true
      }
    }
  }

  private static func change(_ decoding: inout Decoding, by defect: Defect) {
    if case .decoding(let change) = defect.change { change(&decoding) }
  }
}
