import DriverDefects

/// All that a program showed of one quantity, each value with what right formulas make of its bytes.
struct DigitSeries {
  /// One value.
  struct Point {
    let bench: Int
    let shown: Double
    /// One of its last digit.
    let digit: Double
    /// How far single precision and another order of computing may take it.
    let tolerance: Double
    /// The measurements that it may come from.
    let places: [Int]
    /// The nearest value of a right formula.
    let nearest: Double
    /// The calibration and the bytes of the first of them: the same bytes tell the same.
    let measurement: [UInt8?]
  }

  let quantity: QuantitySet
  private(set) var points: [Point] = []
  /// What all values are multiples of.
  private var step = 0.0

  /// Gathers the values of a quantity.
  init(_ quantity: QuantitySet, _ searches: [Search]) {
    self.quantity = quantity
    for (bench, search) in searches.enumerated() where search.calibration != nil {
      var known: [Int: [Double]] = [:]
      for pair in search.alignment.pairs {
        let places = pair.places(of: quantity)
        guard let band = pair.observation.band(of: quantity), let first = places.first else {
          continue
        }
        let rights = places.flatMap { place in
          if let known = known[place] { return known }
          let values = search.rights(quantity, at: place)
          known[place] = values
          return values
        }
        let shown = (band.low + band.high) / 2
        guard let nearest = rights.min(by: { abs($0 - shown) < abs($1 - shown) }) else { continue }
        points.append(
          Point(
            bench: bench, shown: shown, digit: band.high - band.low,
            tolerance: abs(shown) * 2e-7, places: places, nearest: nearest,
            measurement: search.calibrationBytes + search.data[first]))
      }
    }
    step = RoundingStep.common(to: points, of: quantity)
  }

  /// Whether a value is told from those of every right formula, rounded or cut.
  func isTelling(_ point: Point) -> Bool {
    abs(point.shown - point.nearest) > 3 * (point.tolerance + max(step, point.digit))
  }

  /// Whether a defect, on one route and with one way of rounding, gives every value.
  func agrees(with defect: Defect, _ searches: [Search]) -> Bool {
    guard !defect.reach.isDisjoint(with: quantity) else { return false }
    return Route.all(quantity).contains { route in
      guard route.allows(defect, for: quantity) else { return false }
      let decodings = searches.map { search in
        let decoding = search.decoding([defect], route)
        return (decoding: decoding, words: decoding.words.words(search.registers).words)
      }
      return [false, true].contains { isCut in
        points.allSatisfy { point in
          let (decoding, words) = decodings[point.bench]
          return point.places.contains { place in
            let value = decoding.value(quantity, at: place, of: searches[point.bench].data, words)
            return value.value.map { shows($0, point, isCut: isCut) } ?? false
          }
        }
      }
    }
  }

  /// Whether a program that computes a value shows it so.
  private func shows(_ value: Double, _ point: Point, isCut: Bool) -> Bool {
    let step = max(step, point.digit)
    guard isCut else { return abs(value - point.shown) <= step / 2 + point.tolerance }
    let rest = abs(value) - abs(point.shown)
    return -point.tolerance <= rest && rest <= step + point.tolerance
  }
}

extension Search {
  /// The registers of the calibration, as far as they are known.
  fileprivate var calibrationBytes: [UInt8?] {
    Array(registers[0x88..<0xA2] + registers[0xE1..<0xE8])
  }
}

/// What all values of a quantity are multiples of, by the roundings that people use.
enum RoundingStep {
  private static func known(_ quantity: QuantitySet) -> [Double] {
    switch quantity {
    case .temperature: [1, 0.5, 0.1, 0.01, 0.001]
    case .pressure: [100, 10, 1, 0.1, 0.01, 1.0 / 256]
    default: [1, 0.5, 0.1, 0.01, 1.0 / 1024, 0.001]
    }
  }

  /// The coarsest that all are multiples of; 0 where they are of none.
  static func common(to points: [DigitSeries.Point], of quantity: QuantitySet) -> Double {
    // Some programs leave out zeros at the end: the finest digit is that of all.
    let digit = points.map(\.digit).min() ?? 0
    return known(quantity).first { step in
      points.allSatisfy { point in
        // What single precision cannot tell is no multiple of anything.
        let rest = abs(point.shown - (point.shown / step).rounded() * step)
        let tolerance = point.tolerance + digit / 2
        return 4 * tolerance < step && rest <= tolerance
      }
    } ?? 0
  }
}
