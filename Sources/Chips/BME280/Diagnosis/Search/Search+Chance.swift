import DriverDefects
import Glibc

extension Search {
  /// How likely some set of defects, of at most a size, would have given a value that has nothing to do with them.
  ///
  /// The values of all that is tried lie more or less densely around the one that was shown: so many of them fall
  /// into its digits by chance.
  ///
  /// - Returns: a probability; nothing where more than one value was shown, which chance hardly ever gives.
  func chance(upTo size: Int) -> Double? {
    guard alignment.pairs.count == 1, let pair = alignment.pairs.first, size > 0,
      quantities.count == 1, let quantity = quantities.first,
      let band = pair.observation.band(of: quantity)
    else { return nil }
    let half = (band.high - band.low) / 2
    let middle = (band.high + band.low) / 2
    // Wide enough for a count, narrow enough to be about this value.
    let window = max(200 * half, abs(middle) * 0.02)
    var (near, hits) = (0, 0)
    var seen: Set<Double> = []
    for size in 1...size {
      for set in sets(size) where relevant(set, quantity) == set {
        for value in values(quantity, named(set), pair.places(of: quantity))
        where abs(value - middle) <= window && seen.insert(value).inserted {
          near += 1
          if band.contains(value) { hits += 1 }
        }
      }
    }
    let expected = Double(near - hits) * half / window
    return 1 - exp(-expected)
  }

  private func values(_ quantity: QuantitySet, _ defects: [Defect], _ places: [Int]) -> [Double] {
    Route.all(quantity).filter { route in
      defects.allSatisfy { route.allows($0, for: quantity) }
    }.flatMap { route -> [Double] in
      let decoding = decoding(defects, route)
      let words = decoding.words.words(registers).words
      return places.compactMap { decoding.value(quantity, at: $0, of: data, words).value }
    }
  }
}
