import BME280
import BME280Model

extension Search {
  /// Returns the best explanations, all equally good.
  ///
  /// The best ones explain the most values with the fewest defects.
  ///
  /// - Parameter check: the other benches; if all small sets of defects contradict them, larger sets are tried.
  /// - Returns: the explanations.
  mutating func best(_ check: CrossCheck? = nil) -> [Explanation] {
    guard observed > 0, !data.isEmpty else { return [] }
    var right: [UInt8: Match] = [:]
    for quantity in quantities {
      let match = correctMatch(quantity)
      if match.isWhole { right[quantity.rawValue] = match }
    }
    let wrong = quantities.filter { right[$0.rawValue] == nil }
    if wrong.isEmpty {
      let whole = explanation([], quantities.compactMap { right[$0.rawValue] })
      if whole.isWhole { return [whole] }
    }
    var found: [Explanation] = []
    for size in 0...2 where found.isEmpty {
      found = explanations(of: self.sets(size), right, check)
    }
    // Explanations of another bench are tried before all sets of three defects.
    if found.isEmpty { found = explanations(of: check?.larger.map(mask) ?? [], right, check) }
    let triesThrees = observed > 1 && check?.isExhausted != true
    if found.isEmpty, triesThrees {
      found = explanations(of: self.sets(3), right, check)
      if found.isEmpty { check?.recordFailure() }
    }
    if found.isEmpty { found = partly(wrong, right, upTo: triesThrees ? 3 : 2) }
    return unique(found)
  }

  /// Removes explanations that differ from an earlier one only in the formula.
  private func unique(_ explanations: [Explanation]) -> [Explanation] {
    var seen: Set<[Defect]> = []
    return explanations.filter { seen.insert($0.defects).inserted }
  }

  /// Returns an explanation for each set of defects that reproduces all values and contradicts no other bench.
  private mutating func explanations(
    of sets: [DefectMask], _ right: [UInt8: Match], _ check: CrossCheck?
  ) -> [Explanation] {
    var found: [Explanation] = []
    for set in sets {
      guard let whole = whole(set, right) else { continue }
      if whole.defects.isEmpty || check?.allows(whole.defects) != false { found.append(whole) }
    }
    return found
  }

  /// Returns the explanation that consists of a set of defects, or `nil` if the set does not reproduce all values.
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

  /// Explains each quantity by itself; used if no set of defects explains all quantities.
  private mutating func partly(
    _ wrong: [QuantitySet], _ right: [UInt8: Match], upTo most: Int
  ) -> [Explanation] {
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
      for size in 1...most where !best.isWhole && (size == 1 || observations(of: quantity) > 1) {
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

  private func observations(of quantity: QuantitySet) -> Int {
    alignment.pairs.count { $0.observation.quantities.contains(quantity) }
  }
}

extension Search {
  /// Returns the observations of a quantity that a correct formula reproduces, for the variant that reproduces the
  /// most.
  func correctMatch(_ quantity: QuantitySet) -> Match {
    var best = Match()
    guard let calibration else { return best }
    for variant in CompensationVariant.allCases
    // Bosch's doubles apply H3 twice, which is wrong if it is not 0.
    where variant != .boschDouble || quantity != .humidity || calibration.h3 == 0 {
      var match = Match()
      match.routes = [variant.name.description]
      for (index, pair) in alignment.pairs.enumerated()
      where pair.observation.quantities.contains(quantity) {
        match.wanted += 1
        if lacksHumidity, quantity == .humidity, pair.observation.absent.contains(.humidity) {
          match.masks[index] = ~0
          continue
        }
        var mask: UInt64 = 0
        for measurement in pair.measurements(of: quantity) {
          let value = value(quantity, of: raw[measurement], calibration, variant)
          guard let band = pair.observation.band(of: quantity), band.showsOrCuts(value),
            !isCut(quantity, value, raw[measurement], calibration, variant)
          else { continue }
          mask |= 1 << UInt64(measurement)
        }
        match.masks[index] = mask
      }
      if match.isWhole, best.isWhole {
        best.routes += match.routes
      } else if match.count > best.count || best.wanted == 0 {
        best = match
      }
    }
    return best
  }

  private func value(
    _ quantity: QuantitySet, of raw: RawMeasurement, _ calibration: Calibration,
    _ variant: CompensationVariant
  ) -> Double {
    let result = calibration.compensateSI(raw, variant: variant)
    return switch quantity {
    case .temperature: result.temperature
    case .pressure: result.pressure
    default: result.humidity
    }
  }

  /// Returns `true` if a value is at a limit of the part's range because the formula clamps it.
  ///
  /// Bosch's own formulas clamp values to the range; clamped values are not measurements.
  private func isCut(
    _ quantity: QuantitySet, _ value: Double, _ raw: RawMeasurement, _ calibration: Calibration,
    _ variant: CompensationVariant
  ) -> Bool {
    guard quantity != .humidity, Observation.limits(of: quantity).contains(value) else {
      return false
    }
    let whole = self.value(quantity, of: raw, calibration, .datasheetDouble)
    return abs(whole - value) > (quantity == .pressure ? 10 : 0.05)
  }

  /// Returns `true` if all displayed values of a quantity are at a limit of its range.
  func reliesOnLimits(_ quantity: QuantitySet) -> Bool {
    let bands = alignment.pairs.compactMap { $0.observation.band(of: quantity) }
    let limits = Observation.limits(of: quantity)
    return !bands.isEmpty && bands.allSatisfy { band in limits.contains(where: band.contains) }
  }

  /// Returns the explanation that consists of some defects, given the observations that they reproduce for each
  /// quantity.
  func explanation(_ defects: [Defect], _ matches: [Match]) -> Explanation {
    var open = QuantitySet()
    var explained = 0
    for (index, pair) in alignment.pairs.enumerated() {
      let wanted = zip(quantities, matches).filter { pair.observation.quantities.contains($0.0) }
      let masks = wanted.map { (quantity: $0.0, mask: spread($0.1.masks[index] ?? 0)) }
      // All values of an observation belong to one measurement.
      var given = QuantitySet()
      for bit in 0..<UInt64(64) {
        let here = masks.filter { $0.mask >> bit & 1 != 0 }
        if here.count > given.count { given = here.reduce([]) { $0.union($1.quantity) } }
      }
      explained += given.count
      open.formUnion(pair.observation.quantities.subtracting(given))
    }
    let changed = zip(quantities, matches).filter { !$0.1.isRight }.map(\.0)
    return Explanation(
      defects: defects, formula: formula(matches), explained: explained, observed: observed,
      unexplainedQuantities: QuantitySet.named.filter { open.contains($0.quantity) }.map(\.name),
      crashes: matches.contains(where: \.crashes),
      reliesOnLimits: !defects.isEmpty && !changed.isEmpty && changed.allSatisfy(reliesOnLimits),
      amounts: matches.compactMap(\.amount))
  }

  /// Adds the adjacent measurements to a mask of measurements, if one reading may combine values of several.
  private func spread(_ mask: UInt64) -> UInt64 {
    guard alignment.isLoose, mask != ~0 else { return mask }
    return mask | mask << 1 | mask >> 1 | mask << 2 | mask >> 2
  }

  private func formula(_ matches: [Match]) -> String {
    guard let first = matches.first else { return "" }
    if let common = first.routes.first(where: { name in
      matches.allSatisfy { $0.routes.contains(name) }
    }) {
      return common
    }
    return zip(quantities, matches).compactMap { quantity, match in
      match.routes.first.map { route in
        let name = QuantitySet.named.first { $0.quantity == quantity }?.name ?? ""
        return "\(name) \(route)"
      }
    }.joined(separator: ", ")
  }
}

extension Search {
  /// Finds a built-in correction, which is a constant difference between the displayed and the computed values.
  ///
  /// At least three readings are required, in air that changes by more than the displayed digits.
  mutating func corrected(_ quantity: QuantitySet) -> (set: DefectMask, match: Match)? {
    let bands = alignment.pairs.compactMap { $0.observation.band(of: quantity) }
    guard bands.count >= 3, alignment.pairs.allSatisfy({ $0.measurements(of: quantity).count == 1 })
    else { return nil }
    for size in 0...1 {
      for set in Combinations(of: defects.count, size)
      where relevant(set.mask, quantity) == set.mask {
        let defects = named(set.mask)
        for route in Route.all(quantity)
        where defects.allSatisfy({ route.allows($0, for: quantity) }) {
          if let match = corrected(quantity, decoding(defects, route), route) {
            return (set.mask, match)
          }
        }
      }
    }
    return nil
  }

  private func corrected(
    _ quantity: QuantitySet, _ decoding: Decoding, _ route: Route
  ) -> Match? {
    let (words, unknown) = decoding.words.words(registers)
    guard !unknown.contains(quantity) else { return nil }
    var (low, high) = (-Double.infinity, Double.infinity)
    var values: [Double] = []
    var match = Match()
    match.routes = [route.kind.rawValue]
    var width = 0.0
    for (index, pair) in alignment.pairs.enumerated() {
      guard let band = pair.observation.band(of: quantity),
        let measurement = pair.measurements(of: quantity).first,
        let value = decoding.value(quantity, at: measurement, of: data, words).value
      else { continue }
      match.wanted += 1
      match.masks[index] = 1 << UInt64(measurement)
      values.append(value)
      low = max(low, band.low - value)
      high = min(high, band.high - value)
      width = max(width, band.high - band.low)
    }
    let change = (values.max() ?? 0) - (values.min() ?? 0)
    guard low <= high, change > 4 * width, abs(low + high) / 2 > width else { return nil }
    match.amount = Self.amount(quantity, (low + high) / 2)
    return match
  }

  private static func amount(_ quantity: QuantitySet, _ value: Double) -> String {
    let (name, unit, scale): (String, String, Double) =
      switch quantity {
      case .temperature: ("temperature", "C", 1)
      case .pressure: ("pressure", "hPa", 100)
      default: ("humidity", "%RH", 1)
      }
    let hundredths = (value / scale * 100).rounded()
    return "\(name) \(hundredths < 0 ? "" : "+")\(hundredths / 100) \(unit)"
  }
}
