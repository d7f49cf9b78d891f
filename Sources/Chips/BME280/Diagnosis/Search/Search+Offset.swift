import DriverDefects

extension Search {
  /// A correction that is built in: what was shown differs from what is computed by the same amount each time.
  ///
  /// It takes three readings, and air that changes by more than their digits.
  mutating func corrected(_ quantity: QuantitySet) -> (set: DefectMask, match: Match)? {
    let bands = alignment.pairs.compactMap { $0.observation.band(of: quantity) }
    guard bands.count >= 3, alignment.pairs.allSatisfy({ $0.places(of: quantity).count == 1 })
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
        let place = pair.places(of: quantity).first,
        let value = decoding.value(quantity, at: place, of: data, words).value
      else { continue }
      match.wanted += 1
      match.masks[index] = 1 << UInt64(place)
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
