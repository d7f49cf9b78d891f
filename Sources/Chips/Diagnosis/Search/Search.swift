import BME280
import BME280Model

/// A search for the defects that produce the observed values from the bytes.
///
/// Defects are tried alone, then in pairs and finally in threes. Each quantity may have its own formula, but all its
/// values must come from that one formula. A value is explained if it is reproduced to the last digit.
struct Search {
  let registers: [UInt8?]
  let data: [[UInt8]]
  let alignment: Alignment
  let calibration: Calibration?
  let raw: [RawMeasurement]
  let defects = Trials.defects
  let observed: Int
  /// The calibration words as a correct program decodes them.
  private let correctWords: (words: Words, unknown: QuantitySet)
  /// The quantities whose displayed values are all at a limit of the range of the part.
  private var onLimits = QuantitySet()
  private let trials = Trials.all
  private var memory: [Key: Match] = [:]

  private struct Key: Hashable {
    let quantity: UInt8
    let defects: DefectMask
  }

  /// The observations of a quantity that some defects reproduce.
  struct Match {
    /// The measurements whose values an observation displays, one bit each; the key is the index of the observation.
    var masks: [Int: UInt64] = [:]
    /// The names of the formulas that reproduce the quantity.
    var routes: [String] = []
    var crashes = false
    /// The built-in correction, as text.
    var amount: String?
    /// `true` if the values are reproduced without any defect.
    var isRight = true
    /// The number of observations that contain the quantity.
    var wanted = 0

    var count: Int { masks.values.count { $0 != 0 } }
    var isWhole: Bool { wanted > 0 && count == wanted }
  }

  /// `true` if the part does not measure humidity.
  let lacksHumidity: Bool

  init(_ evidence: Evidence, _ observations: [Observation]) {
    registers = evidence.part.registers
    correctWords = WordReading().words(registers)
    let count = min(evidence.data.count, Diagnosis.most)
    data = Array(evidence.data.prefix(count))
    raw = evidence.part.readings.prefix(count).map(\.raw)
    lacksHumidity = evidence.part.chip?.measuresHumidity == false
    calibration = evidence.part.calibration
    alignment = Alignment(evidence, observations)
    observed = alignment.pairs.reduce(0) { $0 + $1.observation.count }
    for (quantity, _) in QuantitySet.named where reliesOnLimits(quantity) {
      onLimits.insert(quantity)
    }
  }

  /// Returns the sets of `size` defects that are worth trying.
  func sets(_ size: Int) -> [DefectMask] { trials.sets[size] }

  /// The observed quantities, in order.
  var quantities: [QuantitySet] {
    let all = alignment.pairs.reduce(QuantitySet()) { $0.union($1.observation.quantities) }
    return QuantitySet.named.map(\.quantity).filter(all.contains)
  }

  // MARK: Sets of defects

  /// Returns the mask of some defects.
  func mask(_ some: [Defect]) -> DefectMask {
    defects.indices.reduce(0) { set, index in
      some.contains(defects[index]) ? set | 1 << DefectMask(index) : set
    }
  }

  func named(_ set: DefectMask) -> [Defect] {
    defects.indices.filter { set >> DefectMask($0) & 1 != 0 }.map { defects[$0] }
  }

  /// Returns the defects of a set that can change a quantity.
  func relevant(_ set: DefectMask, _ quantity: QuantitySet) -> DefectMask {
    // If the pressure is displayed as the humidity, pressure defects change the humidity too.
    if quantity == .humidity, set & trials.pressureAsHumidity != 0 {
      return set & (trials.reach[.humidity] | trials.reach[.pressure])
    }
    return set & trials.reach[quantity]
  }

  /// Returns the observations of a quantity that a set of defects explains.
  mutating func match(_ quantity: QuantitySet, _ set: DefectMask) -> Match {
    // Many defects produce values at a limit, so a set of several defects that does so is not an explanation.
    guard !onLimits.contains(quantity) || relevant(set, quantity).nonzeroBitCount < 2 else {
      return Match()
    }
    return given(quantity, set)
  }

  /// Returns the observations of a quantity that a set of defects reproduces, even if their values are at a limit,
  /// which is hardly evidence.
  mutating func given(_ quantity: QuantitySet, _ set: DefectMask) -> Match {
    let relevant = relevant(set, quantity)
    let key = Key(quantity: quantity.rawValue, defects: relevant)
    if let known = memory[key] { return known }
    let match = computed(quantity, named(relevant))
    memory[key] = match
    return match
  }

  private func computed(_ quantity: QuantitySet, _ defects: [Defect]) -> Match {
    var best = Match()
    for route in Route.all(quantity) where defects.allSatisfy({ route.allows($0, for: quantity) }) {
      let decoding = decoding(defects, route)
      let match = match(quantity, decoding, route, isExact: defects.count > 1)
      if match.count > best.count || best.wanted == 0 { best = match }
      if best.isWhole { break }
    }
    best.isRight = defects.isEmpty
    return best
  }

  /// Returns a decoding with some defects, for one quantity.
  func decoding(_ defects: [Defect], _ route: Route) -> Decoding {
    var decoding = Decoding()
    decoding.formula.kind = route.kind
    decoding.fineForm = route.fine
    for defect in defects {
      if case .decoding(let change) = defect.change { change(&decoding) }
    }
    return decoding
  }

  /// Returns the observations of a quantity that a decoding reproduces.
  ///
  /// If `isExact` is `true`, the comparison stops at the first observation that is not reproduced.
  private func match(
    _ quantity: QuantitySet, _ decoding: Decoding, _ route: Route, isExact: Bool
  ) -> Match {
    let (words, unknown) =
      decoding.words == WordReading() ? correctWords : decoding.words.words(registers)
    var match = Match()
    // The masks for a program that truncates digits instead of rounding, which it does for all values.
    var cut: [Int: UInt64] = [:]
    match.routes = [route.kind.rawValue]
    if quantity != .pressure, route.kind == .int64 {
      match.routes.append(Formula.Kind.int32.rawValue)
    }
    for (index, pair) in alignment.pairs.enumerated()
    where pair.observation.quantities.contains(quantity) {
      match.wanted += 1
      var (mask, cutMask): (UInt64, UInt64) = (0, 0)
      for measurement in pair.measurements(of: quantity) {
        let shown = decoding.value(quantity, at: measurement, of: data, words)
        let fits = pair.observation.fits(
          shown.value, quantity, isKnown: !unknown.contains(quantity))
        if fits.rounded { mask |= 1 << UInt64(measurement) }
        if fits.cut { cutMask |= 1 << UInt64(measurement) }
        match.crashes = match.crashes || ((fits.rounded || fits.cut) && shown.crashes)
      }
      match.masks[index] = mask
      cut[index] = cutMask
      if mask == 0, cutMask == 0, isExact {
        match.wanted += 1
        return match
      }
    }
    // Truncation is only accepted if it explains all values and there are several.
    if !match.isWhole, match.wanted > 1, cut.values.allSatisfy({ $0 != 0 }) { match.masks = cut }
    return match
  }
}

/// The sets of defects that are tried, and the quantities that each defect can change; computed only once.
struct Trials: Sendable {
  /// The defects that are found by trying them, alone and in combination.
  static let usual = Defect.decodings.filter { !$0.isFitted }
  /// All defects that are found by trying them: the usual ones, followed by those that are only tried alone.
  static let defects = usual + Defect.lone
  static let all = Trials(defects)

  /// For each set of quantities, the defects that can change any of them.
  struct Reach: Sendable {
    fileprivate var masks = [DefectMask](repeating: 0, count: 8)

    /// Returns the defects that can change any of some quantities.
    subscript(quantities: QuantitySet) -> DefectMask { masks[Int(quantities.rawValue)] }
  }

  let reach: Reach
  /// The defect by which a program displays the pressure as the humidity.
  let pressureAsHumidity: DefectMask
  /// The sets of defects to try, grouped by size: no defect, one, two and three defects.
  let sets: [[DefectMask]]

  private init(_ defects: [Defect]) {
    let decodings = defects.map { defect in
      var decoding = Decoding()
      Self.change(&decoding, by: defect)
      return decoding
    }
    var reach = Reach()
    var pressureAsHumidity: DefectMask = 0
    // The defects that are also tried in threes. Excluded are defects whose effect differs from measurement to
    // measurement, and the wrong sign of a single pressure word, because these trials would take long and no
    // combination of such a defect with two others is known.
    var common: DefectMask = 0
    for (index, decoding) in decodings.enumerated() {
      let bit = DefectMask(1) << DefectMask(index)
      let own = decoding.reach
      for quantities in reach.masks.indices
      where !own.isDisjoint(with: QuantitySet(rawValue: UInt8(quantities))) {
        reach.masks[quantities] |= bit
      }
      if decoding.showsPressureAsHumidity { pressureAsHumidity |= bit }
      var isSingleWord = false
      if case .wrong(.p(2...8)) = decoding.words.signs { isSingleWord = true }
      if decoding.averaged == 1, decoding.early.isEmpty, !isSingleWord { common |= bit }
    }
    // If two defects change the same thing, only one of them would have an effect.
    let exclusive = decodings.indices.map { index in
      decodings.indices.reduce(DefectMask(0)) { mask, other in
        var both = decodings[index]
        Self.change(&both, by: defects[other])
        let isHidden = other != index && both == decodings[other]
        return isHidden ? mask | 1 << DefectMask(other) : mask
      }
    }
    self.reach = reach
    self.pressureAsHumidity = pressureAsHumidity
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

/// A set of defects, one bit each.
typealias DefectMask = UInt128

/// All subsets of some size, each as a mask with a bit for each member.
struct Combinations: Sequence, IteratorProtocol {
  /// A subset.
  struct Element { let mask: DefectMask }

  private let count: Int
  private var members: [Int]
  private var isDone = false

  init(of count: Int, _ size: Int) {
    precondition(count <= DefectMask.bitWidth, "a mask has a bit for each")
    self.count = count
    members = Array(0..<Swift.min(size, count))
    isDone = size > count
  }

  mutating func next() -> Element? {
    guard !isDone else { return nil }
    defer { advance() }
    return Element(mask: members.reduce(0) { $0 | 1 << DefectMask($1) })
  }

  private mutating func advance() {
    var position = members.count - 1
    while position >= 0, members[position] == count - members.count + position { position -= 1 }
    guard position >= 0 else {
      isDone = true
      return
    }
    members[position] += 1
    for next in members.indices where next > position { members[next] = members[next - 1] + 1 }
  }
}
