import DriverDefects

/// Which measurements each observation may belong to, quantity by quantity.
struct Alignment {
  /// An observation, with the places of the measurements that each of its quantities may come from.
  struct Pair {
    let observation: Observation
    let places: [UInt8: [Int]]

    func places(of quantity: QuantitySet) -> [Int] { places[quantity.rawValue] ?? [] }
  }

  let pairs: [Pair]
  /// Whether a reading may take its values from several measurements: drivers that read them one by one.
  let isLoose: Bool

  /// Aligns.
  ///
  /// A program shows what it has read before, in its order: as many readings as observations belong together
  /// one by one, twice as many two by two, as drivers read the temperature again for the pressure.
  init(_ evidence: Evidence, _ observations: [Observation]) {
    let readings = evidence.part.readings
    let count = min(readings.count, Diagnosis.most)
    var rounds: [UInt8: [Int]] = [:]
    for (quantity, _) in QuantitySet.named {
      let fresh = readings.indices.filter { readings[$0].fresh.contains(quantity) }
      rounds[quantity.rawValue] = fresh.isEmpty ? Array(readings.indices) : fresh
    }
    isLoose = readings.prefix(count).contains {
      $0.fresh != .all && $0.fresh != [.temperature, .pressure]
    }
    pairs = observations.prefix(Diagnosis.most).enumerated().compactMap { index, observation in
      let places = rounds.mapValues { rounds in
        Self.places(observation, index, rounds, observations.count, evidence.times)
          .filter { $0 < count }
      }
      let isFar = places.values.allSatisfy(\.isEmpty) && observation.time == nil
      return isFar ? nil : Pair(observation: observation, places: places)
    }
  }

  private static func places(
    _ observation: Observation, _ index: Int, _ rounds: [Int], _ observations: Int,
    _ times: [Double]
  ) -> [Int] {
    let (each, more) = rounds.count.quotientAndRemainder(dividingBy: observations)
    // One observation of many measurements may be any of them.
    if more == 0, each > 0 { return Array(rounds[(index * each)..<((index + 1) * each)]) }
    if let time = observation.time {
      return rounds.last { times[$0] <= time + 0.001 }.map { [$0] } ?? []
    }
    // A first measurement is thrown away, or the last is not shown any more.
    guard more <= each else { return rounds }
    return Array(rounds[(index * each)..<((index + 1) * each + more)])
  }
}
