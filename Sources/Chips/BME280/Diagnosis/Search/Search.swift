import BME280
import DriverDefects

/// Looks for the defects, alone, in pairs and at last in threes, that make what was observed of the bytes.
///
/// Each quantity may have a formula of its own, but only one for all its values; a value counts as explained when
/// it comes out to the digit.
struct Search {
  let registers: [UInt8?]
  let data: [[UInt8]]
  let alignment: Alignment
  let calibration: Calibration?
  let raw: [RawMeasurement]
  let defects = Trials.defects
  let observed: Int
  /// The words as a right program has them.
  private let rightWords: (words: Words, unknown: QuantitySet)
  /// The quantities of which all values stand at a limit.
  private var onLimits = QuantitySet()
  private let trials = Trials.all
  private var memory: [Key: Match] = [:]

  private struct Key: Hashable {
    let quantity: UInt8
    let defects: DefectMask
  }

  /// What some defects make of a quantity.
  struct Match {
    /// For each observation that has the quantity: the places whose value it shows, a bit each.
    var masks: [Int: UInt64] = [:]
    /// The names of the formulas that give it.
    var routes: [String] = []
    var crashes = false
    /// What is added everywhere, in words.
    var amount: String?
    /// Whether no defect is in it.
    var isRight = true
    /// How many observations have the quantity.
    var wanted = 0

    var count: Int { masks.values.count { $0 != 0 } }
    var isWhole: Bool { wanted > 0 && count == wanted }
  }

  /// Whether the part is one that has no humidity to show.
  let measuresNoHumidity: Bool

  init(_ evidence: Evidence, _ observations: [Observation]) {
    registers = evidence.part.registers
    rightWords = WordReading().words(registers)
    let count = min(evidence.data.count, Diagnosis.most)
    data = Array(evidence.data.prefix(count))
    raw = evidence.part.readings.prefix(count).map(\.raw)
    measuresNoHumidity = evidence.part.chip?.measuresHumidity == false
    calibration = evidence.part.calibration
    alignment = Alignment(evidence, observations)
    observed = alignment.pairs.reduce(0) { $0 + $1.observation.count }
    for (quantity, _) in QuantitySet.named where restsOnLimits(quantity) {
      onLimits.insert(quantity)
    }
  }

  /// The sets of so many defects that are worth a trial.
  func sets(_ size: Int) -> [DefectMask] { trials.sets[size] }

  /// The quantities that were observed, in their order.
  var quantities: [QuantitySet] {
    let all = alignment.pairs.reduce(QuantitySet()) { $0.union($1.observation.quantities) }
    return QuantitySet.named.map(\.quantity).filter(all.contains)
  }

  // MARK: Sets of defects

  /// The set of some defects.
  func mask(_ some: [Defect]) -> DefectMask {
    defects.indices.reduce(0) { set, index in
      some.contains(defects[index]) ? set | 1 << DefectMask(index) : set
    }
  }

  func named(_ set: DefectMask) -> [Defect] {
    defects.indices.filter { set >> DefectMask($0) & 1 != 0 }.map { defects[$0] }
  }

  /// The defects of a set that can change a quantity.
  func relevant(_ set: DefectMask, _ quantity: QuantitySet) -> DefectMask {
    // Where the pressure stands for the humidity, what is wrong with it is to be seen there.
    if quantity == .humidity, set & trials.standing != 0 {
      return set & (trials.reach[.humidity] | trials.reach[.pressure])
    }
    return set & trials.reach[quantity]
  }

  /// What a set of defects explains of a quantity.
  mutating func match(_ quantity: QuantitySet, _ set: DefectMask) -> Match {
    // A limit is where many ways end: what needs several defects to end there is no explanation.
    guard !onLimits.contains(quantity) || relevant(set, quantity).nonzeroBitCount < 2 else {
      return Match()
    }
    return given(quantity, set)
  }

  /// What a set of defects gives of a quantity, whether or not that says anything.
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

  /// A way of decoding with some defects, for one quantity.
  func decoding(_ defects: [Defect], _ route: Route) -> Decoding {
    var decoding = Decoding()
    decoding.formula.kind = route.kind
    decoding.fineForm = route.fine
    for defect in defects {
      if case .decoding(let change) = defect.change { change(&decoding) }
    }
    return decoding
  }

  /// What a way of decoding makes of a quantity; where only a whole match counts, up to the first value missed.
  private func match(
    _ quantity: QuantitySet, _ decoding: Decoding, _ route: Route, isExact: Bool
  ) -> Match {
    let (words, unknown) =
      decoding.words == WordReading() ? rightWords : decoding.words.words(registers)
    var match = Match()
    // The same of a program that cuts digits off: it does so always.
    var cut: [Int: UInt64] = [:]
    match.routes = [route.kind.rawValue]
    if quantity != .pressure, route.kind == .int64 {
      match.routes.append(Formula.Kind.int32.rawValue)
    }
    for (index, pair) in alignment.pairs.enumerated()
    where pair.observation.quantities.contains(quantity) {
      match.wanted += 1
      var (mask, cutMask): (UInt64, UInt64) = (0, 0)
      for place in pair.places(of: quantity) {
        let shown = decoding.value(quantity, at: place, of: data, words)
        let fits = pair.observation.fits(
          shown.value, quantity, isKnown: !unknown.contains(quantity))
        if fits.rounded { mask |= 1 << UInt64(place) }
        if fits.cut { cutMask |= 1 << UInt64(place) }
        match.crashes = match.crashes || ((fits.rounded || fits.cut) && shown.crashes)
      }
      match.masks[index] = mask
      cut[index] = cutMask
      if mask == 0, cutMask == 0, isExact {
        match.wanted += 1
        return match
      }
    }
    // Only where all values are explained so: one alone is too little.
    if !match.isWhole, match.wanted > 1, cut.values.allSatisfy({ $0 != 0 }) { match.masks = cut }
    return match
  }
}
