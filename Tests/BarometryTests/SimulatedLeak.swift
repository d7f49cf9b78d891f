import Barometry
import Environment
import VirtualI2C

/// A random cabin with a hole, a crew that moves its hatches, and a sensor in one of its modules.
///
/// The true time is computed from the cabin's physics: it is the time until the module with the
/// sensor reaches the limit, without further actions.
struct SimulatedLeak {
  /// The results of many simulated cabins.
  struct Tally {
    /// The number of bounds, and the number of bounds longer than the true time.
    var moments = 0, tooLong = 0
    /// The largest relative excess of a bound, and the seed of the cabin in which it occurred.
    var worst = 0.0, worstSeed: UInt64 = 0
    /// The number of cabins in which a bound was more than 5 % longer than the true time.
    var astray = 0
    /// The number of leaks never declared, and of leaks declared before their start.
    var undeclared = 0, falseAlarms = 0
    /// A histogram of bound / true time in steps of 1 %, after five minutes plus a twentieth of the
    /// remaining time.
    var shares = [Int](repeating: 0, count: 201)

    /// Adds a bound; returns whether it was more than 5 % longer than the true time.
    mutating func take(_ bound: Double, truth: Double, seed: UInt64, isOld: Bool) -> Bool {
      moments += 1
      if bound > truth {
        tooLong += 1
        let excess = truth > 0 ? bound / truth - 1 : .infinity
        if excess > worst { (worst, worstSeed) = (excess, seed) }
      }
      if isOld, truth > 0 { shares[min(Int(bound / truth * 100), 200)] += 1 }
      return bound > truth * 1.05
    }

    /// The median of bound / true time.
    var median: Double {
      var rest = shares.reduce(0, +) / 2
      for (index, count) in shares.enumerated() {
        rest -= count
        if rest < 0 { return Double(index) / 100 }
      }
      return 0
    }
  }

  let seed: UInt64
  let limit: Double, period: Double, filter: Double
  private var plan: CabinPlan
  private let module: Int
  private let noise: Double
  /// The time of the first sample, the number of samples before the leak, and the maximum number after it.
  private let begin: Double, quiet: Int, length: Int
  private var chance: SeededGenerator

  init(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * chance.unit() }
    func scaled(_ low: Double, _ high: Double) -> Double {
      low * Self.power(high / low, chance.unit())
    }
    func one<Choice>(_ choices: [Choice]) -> Choice {
      choices[Int(chance.next() % UInt64(choices.count))]
    }
    self.seed = seed
    limit = one([490 * 133.322387415, 410.4 * 133.322387415])
    period = one([1, 1, 1, 2, 5, 10])
    filter = one([1, 1, 1, 1, 1, 1, 2, 4, 8, 16])
    noise = scaled(0.2, 5)
    let count = one([1, 1, 2, 3, 4])
    let volume = scaled(50, 1500)
    let shares = (0..<count).map { _ in between(0.2, 1) }
    let modules = shares.enumerated().map { index, share in
      CabinPlan.Module(name: "\(index)", volume: volume * share / shares.reduce(0, +))
    }
    begin = between(0, 5520)
    quiet = Int(between(120, 400))
    length = one([300, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 15_000])
    let pressure = one([101_325, 101_325, between(limit * 1.02, 102_000)])
    plan = CabinPlan(
      modules: modules, hatches: (1..<max(count, 1)).map { CabinPlan.Hatch($0 - 1, $0) },
      air: Air(pressure: pressure, temperature: between(18, 27), humidity: 45))
    plan.process = one([.isothermal, .adiabatic])
    plan.temperatureDrift.amplitude = one([0, between(0, 1)])
    plan.temperatureDrift.rise = one([0, between(-2, 2)])
    plan.temperatureDrift.begin = UInt64(between(0, 12_000) * 1e9)
    plan.temperatureDrift.length = UInt64(between(3600, 9000) * 1e9)
    module = Int(chance.next() % UInt64(count))
    // From 0.02 to 80 mmHg a minute in a full cabin.
    let speed = scaled(0.02, 80) * 133.322387415 / 60 / 101_325
    let start = begin + Double(quiet) * period
    plan.leak = CabinPlan.Leak(
      module: Int(chance.next() % UInt64(count)),
      diameter: (speed * volume / 199.3 * 4 / (0.85 * 3.141592653589793)).squareRoot(),
      start: UInt64(start * 1e9))
    var time = start
    for _ in 0..<one([0, 0, 1, 2, 3]) where count > 1 {
      time += scaled(30, 1000) * period
      let hatch = Int(chance.next() % UInt64(count - 1))
      let isOpen = plan.operations.last { $0.action.hatch == hatch }?.action == .close(hatch)
      plan.operations.append(
        CabinPlan.Operation(at: UInt64(time * 1e9), isOpen ? .open(hatch) : .close(hatch)))
    }
    self.chance = chance
  }

  /// Returns a power computed by repeated roots, accurate enough for choosing random values.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var (result, root, rest) = (1.0, base, exponent)
    for _ in 0..<40 {
      root = root.squareRoot()
      rest *= 2
      if rest >= 1 {
        result *= root
        rest -= 1
      }
    }
    return result
  }

  /// Runs the cabin to the limit or to the end of its samples.
  func run(_ tally: inout Tally) {
    var chance = chance
    let cabin = Cabin(plan)
    var analysis = LeakAnalysis(period: period, filter: filter)
    analysis.limit = limit
    var filtered: (pascals: Double, celsius: Double)?
    var moves = plan.operations[...]
    let start = Double(plan.leak?.start ?? 0) / 1e9
    var end = crossing(after: start, with: 0)
    var declared: Double?
    var (isFalse, isAstray) = (false, false)
    for index in 0..<(quiet + length) {
      let time = begin + Double(index) * period
      while let move = moves.first, Double(move.time) / 1e9 <= time {
        moves.removeFirst()
        end = crossing(after: time, with: plan.operations.count - moves.count)
        analysis.restart()
        declared = nil
      }
      if time >= end { break }
      if chance.next() % 100 == 0 {
        analysis.fail()
      } else {
        let air = cabin.air(in: module, at: UInt64(time * 1e9))
        let seen = (
          pascals: air.pressure + noise * chance.gaussian(),
          celsius: air.temperature + 0.005 * chance.gaussian()
        )
        let last = filtered ?? seen
        let now = (
          pascals: last.pascals + (seen.pascals - last.pascals) / filter,
          celsius: last.celsius + (seen.celsius - last.celsius) / filter
        )
        filtered = now
        // The driver reports the temperature in steps of 0.01 C, and the pressure in steps of a
        // sixteenth of the finest resolution.
        analysis.take(
          (now.pascals * 64).rounded() / 64, celsius: (now.celsius * 100).rounded() / 100, at: time)
      }
      if analysis.isLeaking, time < start { isFalse = true }
      if analysis.isLeaking, declared == nil { declared = time }
      for share in index % 4 == 0 ? [0, 0.7] : [0] {
        let moment = min(time + share * period, end)
        guard time >= start, let reserve = analysis.assessment(at: moment)?.reserve else {
          continue
        }
        let age = moment - (declared ?? moment)
        let isFar = tally.take(
          reserve.bound, truth: end - moment, seed: seed,
          isOld: age > 300 && age > 0.05 * (end - moment))
        if isFar { isAstray = true }
      }
    }
    if isFalse { tally.falseAlarms += 1 }
    if isAstray { tally.astray += 1 }
    if declared == nil, moves.count == plan.operations.count { tally.undeclared += 1 }
  }

  /// Returns the time in seconds at which the limit is reached if only the first `operations`
  /// actions happen; infinity if it is never reached.
  private func crossing(after time: Double, with operations: Int) -> Double {
    var here = plan
    here.operations = Array(plan.operations.prefix(operations))
    var calm = here
    calm.temperatureDrift = CabinPlan.TemperatureDrift()
    let (real, steady) = (Cabin(here), Cabin(calm))
    func pressure(_ cabin: Cabin, _ time: Double) -> Double {
      cabin.air(in: module, at: UInt64(time * 1e9)).pressure
    }
    // Without swings the pressure only falls, so start the search for the crossing near the limit.
    let near = limit * 1.03
    var (low, high) = (time, time + 3_000_000)
    guard pressure(steady, high) < limit * 0.97 else { return .infinity }
    while high - low > 1 {
      let middle = (low + high) / 2
      if pressure(steady, middle) > near { low = middle } else { high = middle }
    }
    var step = 0.05
    var before = low
    while pressure(real, before + step) > limit {
      before += step
      step = min(step * 1.01, 20)
    }
    var after = before + step
    for _ in 0..<40 {
      let middle = (before + after) / 2
      if pressure(real, middle) > limit { before = middle } else { after = middle }
    }
    return after
  }
}

extension CabinPlan.Action {
  /// The index of the hatch that the action moves; `nil` for other actions.
  fileprivate var hatch: Int? {
    switch self {
    case .close(let hatch), .open(let hatch): hatch
    default: nil
    }
  }
}
