import BME280Model

/// A program to try on a table: a formula and some defects that can change the pressure.
struct TrialBuild: Sendable {
  let defects: [Defect]
  let decoding: Decoding
  /// The cost in bits of choosing this program, not counting the given defects.
  let bits: Double
  /// `words` is the index of the program's word decoding, and `raw` that of its raw decoding, in the lists of distinct
  /// decodings.
  var words = 0, raw = 0
  /// `true` if the displayed temperature may be wrong.
  let changesTemperature: Bool
  /// `true` if the program combines measurements, so that its values depend on the whole sequence.
  var needsSequence: Bool { decoding.averaged > 1 || decoding.isOneLate }
}

/// All programs to try with one formula.
struct TrialBuilds: Sendable {
  let kind: Formula.Kind
  /// The programs to try.
  private(set) var builds: [TrialBuild] = []
  /// The distinct word decodings and raw decodings.
  private(set) var wordReadings: [WordReading] = [], rawReadings: [RawReading] = []

  /// The defects that can change a pressure, except built-in corrections, which may have any amount.
  static let candidates = Defect.decodings.filter { $0.reach.contains(.pressure) && !$0.isFitted }

  /// Creates all programs that have the given defects and at most `most` others.
  ///
  /// The cost of a program is one bit, plus one bit for each other defect, plus the bits for choosing these defects.
  init(_ kind: Formula.Kind, given: [Defect], upTo most: Int) {
    self.kind = kind
    let free = Self.candidates.filter {
      !given.contains($0) && ($0.formula.map { $0 == kind } ?? true)
    }
    guard given.allSatisfy({ $0.formula.map { $0 == kind } ?? true }) else { return }
    var seen: Set<Decoding> = []
    var wordIndices: [WordReading: Int] = [:]
    var rawIndices: [RawReading: Int] = [:]
    for size in 0...most {
      let cost = Double(size + 1) + Logarithm.base2(Self.choices(of: size, among: free.count))
      for set in Combinations(of: free.count, size) {
        let chosen = free.indices.filter { set.mask >> DefectMask($0) & 1 != 0 }.map { free[$0] }
        var decoding = Decoding()
        decoding.formula.kind = kind
        for case .decoding(let change) in (given + chosen).map(\.change) { change(&decoding) }
        // If a smaller set of defects produces the same decoding, this is not a new program.
        guard seen.insert(decoding).inserted else { continue }
        var build = TrialBuild(
          defects: given + chosen, decoding: decoding, bits: cost,
          changesTemperature: decoding.reach.contains(.temperature))
        guard size < 3 || !build.needsSequence else { continue }
        build.words = Self.index(of: decoding.words, &wordIndices, &wordReadings)
        build.raw = Self.index(of: decoding.raw, &rawIndices, &rawReadings)
        builds.append(build)
      }
    }
  }

  /// Returns a copy with only one of the programs.
  func only(_ index: Int) -> TrialBuilds {
    var alone = self
    var build = builds[index]
    alone.wordReadings = [wordReadings[build.words]]
    alone.rawReadings = [rawReadings[build.raw]]
    (build.words, build.raw) = (0, 0)
    alone.builds = [build]
    return alone
  }

  private static func index<Way: Hashable>(
    of way: Way, _ indices: inout [Way: Int], _ all: inout [Way]
  ) -> Int {
    if let known = indices[way] { return known }
    indices[way] = all.count
    all.append(way)
    return all.count - 1
  }

  private static func choices(of size: Int, among count: Int) -> Double {
    (0..<size).reduce(1) { $0 * Double(count - $1) / Double($1 + 1) }
  }
}
