import DriverDefects

/// A program that is tried on a table: a formula and some defects that can change the pressure.
struct TrialBuild: Sendable {
  /// Its defects.
  let defects: [Defect]
  /// What it does.
  let decoding: Decoding
  /// How many bits it takes to say which one it is, those that are given left out.
  let bits: Double
  /// Where its way of reading words, and of reading raw values, stand among the distinct ones.
  var words = 0, raw = 0
  /// Whether what it shows of the temperature can be wrong.
  let changesTemperature: Bool
  /// Whether it mixes measurements in a way that only the whole sequence tells.
  var needsSequence: Bool { decoding.averaged > 1 || decoding.isOneLate }
}

/// All programs that are tried with one formula.
struct TrialBuilds: Sendable {
  /// The formula.
  let kind: Formula.Kind
  /// The programs.
  private(set) var builds: [TrialBuild] = []
  /// The distinct ways of reading words and raw values among them.
  private(set) var wordReadings: [WordReading] = [], rawReadings: [RawReading] = []

  /// The defects that can change a pressure, without a correction of any amount.
  static let candidates = Defect.decodings.filter { $0.reach.contains(.pressure) && !$0.isFitted }

  /// Creates the programs with so many defects at most in addition to those that are given.
  ///
  /// A build costs a bit for each defect and one more, and as many as it takes to choose the defects.
  init(_ kind: Formula.Kind, given: [Defect], upTo most: Int) {
    self.kind = kind
    let free = Self.candidates.filter {
      !given.contains($0) && ($0.formula.map { $0 == kind } ?? true)
    }
    guard given.allSatisfy({ $0.formula.map { $0 == kind } ?? true }) else { return }
    var seen: Set<Decoding> = []
    var wordPlaces: [WordReading: Int] = [:]
    var rawPlaces: [RawReading: Int] = [:]
    for size in 0...most {
      let cost = Double(size + 1) + Logarithm.base2(Self.choices(of: size, among: free.count))
      for set in Combinations(of: free.count, size) {
        let chosen = free.indices.filter { set.mask >> DefectMask($0) & 1 != 0 }.map { free[$0] }
        var decoding = Decoding()
        decoding.formula.kind = kind
        for case .decoding(let change) in (given + chosen).map(\.change) { change(&decoding) }
        // What a smaller set does already is no other program.
        guard seen.insert(decoding).inserted else { continue }
        var build = TrialBuild(
          defects: given + chosen, decoding: decoding, bits: cost,
          changesTemperature: decoding.reach.contains(.temperature))
        guard size < 3 || !build.needsSequence else { continue }
        build.words = Self.place(decoding.words, &wordPlaces, &wordReadings)
        build.raw = Self.place(decoding.raw, &rawPlaces, &rawReadings)
        builds.append(build)
      }
    }
  }

  /// One of the programs alone.
  func only(_ index: Int) -> TrialBuilds {
    var alone = self
    var build = builds[index]
    alone.wordReadings = [wordReadings[build.words]]
    alone.rawReadings = [rawReadings[build.raw]]
    (build.words, build.raw) = (0, 0)
    alone.builds = [build]
    return alone
  }

  private static func place<Way: Hashable>(
    _ way: Way, _ places: inout [Way: Int], _ all: inout [Way]
  ) -> Int {
    if let known = places[way] { return known }
    places[way] = all.count
    all.append(way)
    return all.count - 1
  }

  private static func choices(of size: Int, among count: Int) -> Double {
    (0..<size).reduce(1) { $0 * Double(count - $1) / Double($1 + 1) }
  }
}
