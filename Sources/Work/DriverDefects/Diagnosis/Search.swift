import BME280

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
    let count = min(evidence.data.count, Diagnosis.most)
    data = Array(evidence.data.prefix(count))
    raw = evidence.part.readings.prefix(count).map(\.raw)
    measuresNoHumidity = evidence.part.chip?.measuresHumidity == false
    calibration = evidence.part.calibration
    alignment = Alignment(evidence, observations)
    observed = alignment.pairs.reduce(0) { $0 + $1.observation.count }
  }

  /// The sets of so many defects that are worth a trial.
  func sets(_ size: Int) -> [DefectMask] { trials.sets[size] }

  /// The quantities that were observed, in their order.
  var quantities: [Quantities] {
    let all = alignment.pairs.reduce(Quantities()) { $0.union($1.observation.quantities) }
    return Quantities.named.map(\.quantity).filter(all.contains)
  }

  /// The best explanations, all equally good: as much explained as possible with as few defects as possible.
  mutating func best() -> [Explanation] {
    guard observed > 0, !data.isEmpty else { return [] }
    var right: [UInt8: Match] = [:]
    for quantity in quantities {
      let match = rightly(quantity)
      if match.isWhole { right[quantity.rawValue] = match }
    }
    let wrong = quantities.filter { right[$0.rawValue] == nil }
    if wrong.isEmpty {
      let whole = explanation([], quantities.compactMap { right[$0.rawValue] })
      if whole.isWhole { return [whole] }
    }
    var found: [Explanation] = []
    for size in 0...3 where found.isEmpty && (size < 3 || observed > 1) {
      for set in self.sets(size) {
        if let whole = whole(set, right) { found.append(whole) }
      }
    }
    if found.isEmpty { found = partly(wrong, right) }
    let chance = chance(upTo: found.first?.defects.count ?? 0)
    return unique(found).map { $0.with(chance: chance) }
  }

  /// The same defects under several formulas are one explanation.
  private func unique(_ explanations: [Explanation]) -> [Explanation] {
    var seen: Set<[Defect]> = []
    return explanations.filter { seen.insert($0.defects).inserted }
  }

  // MARK: Sets of defects

  /// What a set of defects gives, where that is everything.
  private mutating func whole(_ set: DefectMask, _ right: [UInt8: Match]) -> Explanation? {
    var matches: [Match] = []
    for quantity in quantities {
      let match = match(quantity, set)
      if match.isWhole {
        matches.append(match)
      } else if relevant(set, quantity) == 0, let right = right[quantity.rawValue] {
        matches.append(right)
      } else {
        return nil
      }
    }
    let explanation = explanation(named(set), matches)
    return explanation.isWhole ? explanation : nil
  }

  /// What explains each quantity for itself, where nothing explains all of them.
  private mutating func partly(_ wrong: [Quantities], _ right: [UInt8: Match]) -> [Explanation] {
    var sets: DefectMask = 0
    var isCorrected = false
    var matches: [Match] = []
    for quantity in quantities {
      if !wrong.contains(quantity), let match = right[quantity.rawValue] {
        matches.append(match)
        continue
      }
      var best = match(quantity, 0)
      var bestSet: DefectMask = 0
      for size in 1...3 where !best.isWhole && (size == 1 || observations(of: quantity) > 1) {
        for set in self.sets(size) where relevant(set, quantity) == set && !best.isWhole {
          let match = match(quantity, set)
          if match.count > best.count, match.isWhole || size == 1 {
            (best, bestSet) = (match, set)
          }
        }
      }
      if !best.isWhole, let corrected = corrected(quantity) {
        (bestSet, best) = corrected
        isCorrected = true
      }
      sets |= bestSet
      matches.append(best)
    }
    let fitted = isCorrected ? Defect.decodings.filter(\.isFitted) : []
    return [explanation(named(sets) + fitted, matches)]
  }

  private func observations(of quantity: Quantities) -> Int {
    alignment.pairs.count { $0.observation.quantities.contains(quantity) }
  }

  func named(_ set: DefectMask) -> [Defect] {
    defects.indices.filter { set >> DefectMask($0) & 1 != 0 }.map { defects[$0] }
  }

  /// The defects of a set that can change a quantity.
  func relevant(_ set: DefectMask, _ quantity: Quantities) -> DefectMask {
    // Where the pressure stands for the humidity, what is wrong with it is to be seen there.
    if quantity == .humidity, set & trials.standing != 0 {
      return set & (trials.reach[.humidity] | trials.reach[.pressure])
    }
    return set & trials.reach[quantity]
  }

  mutating func match(_ quantity: Quantities, _ set: DefectMask) -> Match {
    let relevant = relevant(set, quantity)
    let key = Key(quantity: quantity.rawValue, defects: relevant)
    if let known = memory[key] { return known }
    let match = computed(quantity, named(relevant))
    memory[key] = match
    return match
  }

  private func computed(_ quantity: Quantities, _ defects: [Defect]) -> Match {
    var best = Match()
    // A limit is where many ways end: what needs several defects to end there is no explanation.
    guard defects.count < 2 || !restsOnLimits(quantity) else { return best }
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
    _ quantity: Quantities, _ decoding: Decoding, _ route: Route, isExact: Bool
  ) -> Match {
    let (words, unknown) = decoding.words.words(registers)
    var match = Match()
    match.routes = [route.kind.rawValue]
    if quantity != .pressure, route.kind == .int64 {
      match.routes.append(Formula.Kind.int32.rawValue)
    }
    for (index, pair) in alignment.pairs.enumerated()
    where pair.observation.quantities.contains(quantity) {
      match.wanted += 1
      var mask: UInt64 = 0
      for place in pair.places(of: quantity) {
        let shown = decoding.value(quantity, at: place, of: data, words)
        guard
          pair.observation.fits(
            shown.value, quantity, isKnown: !unknown.contains(quantity))
        else { continue }
        mask |= 1 << UInt64(place)
        match.crashes = match.crashes || shown.crashes
      }
      match.masks[index] = mask
      if mask == 0, isExact {
        match.wanted += 1
        return match
      }
    }
    return match
  }
}
