import BME280
import DriverDefects

extension Search {
  /// What the right variants of the formulas make of a quantity.
  func rightly(_ quantity: QuantitySet) -> Match {
    var best = Match()
    guard let calibration else { return best }
    for variant in CompensationVariant.allCases
    // Bosch's doubles apply H3 twice: wrong where it is not 0.
    where variant != .boschDouble || quantity != .humidity || calibration.h3 == 0 {
      var match = Match()
      match.routes = [variant.name.description]
      for (index, pair) in alignment.pairs.enumerated()
      where pair.observation.quantities.contains(quantity) {
        match.wanted += 1
        if measuresNoHumidity, quantity == .humidity, pair.observation.absent.contains(.humidity) {
          match.masks[index] = ~0
          continue
        }
        var mask: UInt64 = 0
        for place in pair.places(of: quantity) {
          let value = value(quantity, of: raw[place], calibration, variant)
          guard let band = pair.observation.band(of: quantity), band.showsOrCuts(value),
            !isCut(quantity, value, raw[place], calibration, variant)
          else { continue }
          mask |= 1 << UInt64(place)
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

  /// Whether a value stands at a limit of the part's range because the formula has cut it.
  ///
  /// Bosch's own formulas do: what they show there is no measurement.
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

  /// Whether all that was shown of a quantity stands at a limit of its range.
  func restsOnLimits(_ quantity: QuantitySet) -> Bool {
    let bands = alignment.pairs.compactMap { $0.observation.band(of: quantity) }
    let limits = Observation.limits(of: quantity)
    return !bands.isEmpty && bands.allSatisfy { band in limits.contains(where: band.contains) }
  }

  /// How much is explained by what each quantity comes from.
  func explanation(_ defects: [Defect], _ matches: [Match]) -> Explanation {
    var open = QuantitySet()
    var explained = 0
    for (index, pair) in alignment.pairs.enumerated() {
      let wanted = zip(quantities, matches).filter { pair.observation.quantities.contains($0.0) }
      let masks = wanted.map { (quantity: $0.0, mask: spread($0.1.masks[index] ?? 0)) }
      // All values of an observation belong to one measurement.
      var given = QuantitySet()
      for place in 0..<UInt64(64) {
        let here = masks.filter { $0.mask >> place & 1 != 0 }
        if here.count > given.count { given = here.reduce([]) { $0.union($1.quantity) } }
      }
      explained += given.count
      open.formUnion(pair.observation.quantities.subtracting(given))
    }
    let changed = zip(quantities, matches).filter { !$0.1.isRight }.map(\.0)
    return Explanation(
      defects: defects, formula: formula(matches), explained: explained, observed: observed,
      leavesOpen: QuantitySet.named.filter { open.contains($0.quantity) }.map(\.name),
      crashes: matches.contains(where: \.crashes),
      restsOnLimits: !defects.isEmpty && !changed.isEmpty && changed.allSatisfy(restsOnLimits),
      amounts: matches.compactMap(\.amount))
  }

  /// A reading that takes its values from several measurements may take those next to each other.
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
