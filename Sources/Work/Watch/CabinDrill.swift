import Barometry
import Bench
package import Environment
import Glibc
import Quantities
package import Rigs
import Runs
package import Support
import VirtualI2C

/// A rehearsal of a leak: a hidden hole in a cabin, and the score of the search for it.
///
/// The hole is drawn from a seed, so the same rig and seed always give the same drill.
package struct CabinDrill {
  /// The rig with the hidden hole, and without scheduled moves of hatches.
  package private(set) var rig: Rig
  /// The plan of the cabin at the start.
  package private(set) var plan: CabinPlan
  /// The hidden hole.
  package let leak: CabinPlan.Leak
  /// The index of the module of the crew's barometer.
  package let module: Int

  /// The stream of random numbers of the hole, which is independent of the noise.
  private static let stream: UInt64 = 0xD5177

  /// Draws a drill.
  ///
  /// - Parameters:
  ///   - path: the rig, a file or a built-in name.
  ///   - seed: the seed of the hole and of the noise. Default: the seed of the rig.
  /// - Throws: `Failure` if the rig is bad, or has no cabin with hatches or no leak detection.
  package init(_ path: String, seed: UInt64?) throws(Failure) {
    var rig = try Rig(path: path)
    guard var plan = rig.environment.plan, !plan.hatches.isEmpty, rig.pipeline?.leak != nil else {
      throw Failure(
        .badRig, "\(rig.file): a drill needs a cabin with hatches, and 'leak' in the pipeline",
        "\(rig.file): 'aneroid rig show iss-leak' prints an example")
    }
    rig.seed = seed ?? rig.seed
    var generator = SeededGenerator(seed: rig.seed, stream: Self.stream)
    let sensor = rig.pipeline?.sensors.first
    let device = rig.buses.first { $0.number == sensor?.bus }?.devices
      .first { $0.address == sensor?.address }
    let module = plan.modules.firstIndex { $0.name == device?.module } ?? 0
    self.module = module
    let joined = plan.joined(with: module, plan.hatches.map(\.isOpen)).sorted()
    // A hole in the crew's own module cannot be shut off.
    let others = joined.filter { $0 != module }
    guard !others.isEmpty else {
      throw Failure(
        .badRig, "\(rig.file): a drill needs an open hatch at the module of the barometer")
    }
    let hidden = others[Int.random(in: 0..<others.count, using: &generator)]
    // From a fall that the crew notices at once to one that needs half a minute to be measured.
    let t1mm = 20 * pow(6, Double.random(in: 0...1, using: &generator))
    let start = UInt64.random(in: 60...300, using: &generator) * 1_000_000_000
    let volume = joined.reduce(0) { $0 + plan.modules[$1].volume }
    let hole = ReserveChart.hole(at: plan.air.pressure, t1mm: t1mm, volume: volume)
    leak = CabinPlan.Leak(
      module: hidden, diameter: (hole * 1e4).rounded() / 1e4, start: start)
    plan.leak = leak
    plan.operations = []
    self.plan = plan
    rig.rehearse(plan, until: start + 3_600_000_000_000)
    self.rig = rig
  }

  /// Adds a port through which a program moves the hatches, unless the rig has one.
  ///
  /// - Returns: the port.
  package mutating func addPanel() -> CabinPlan.Panel {
    if let panel = plan.panel { return panel }
    var panel = CabinPlan.Panel()
    panel.bus = rig.pipeline?.sensors.first?.bus ?? panel.bus
    plan.panel = panel
    rig.rehearse(plan, until: rig.duration ?? 0)
    return panel
  }

  /// The course of a search.
  package struct Course: Hashable, Sendable {
    /// The time in nanoseconds at which the hole was shut off; `nil` if it was not.
    package let isolated: UInt64?
    /// The reserve time in minutes that the leak has used up.
    package let used: Double
    /// The modules that were shut off with the hole, by index.
    package let lost: [Int]
    /// Whether the search lasted until the leak began.
    package let hasBegun: Bool
  }

  /// Evaluates a search.
  ///
  /// - Parameters:
  ///   - operations: the moves of the hatches, in order of time.
  ///   - end: the end of the search in nanoseconds.
  /// - Returns: its course.
  package func course(_ operations: [CabinPlan.Operation], until end: UInt64) -> Course {
    var plan = plan
    plan.temperatureDrift = CabinPlan.TemperatureDrift()
    plan.operations = operations
    var isolated: UInt64?
    for time in [leak.start] + operations.map(\.time) where time <= end {
      let joined = plan.joined(with: module, plan.isOpen(at: time))
      if joined.contains(leak.module) { isolated = nil } else { isolated = isolated ?? time }
    }
    let stop = isolated.map { max($0, leak.start) } ?? end
    let moved = Cabin(plan)
    let used =
      constant
      * log(
        moved.air(in: module, at: leak.start).pressure / moved.air(in: module, at: stop).pressure)
    let kept = plan.joined(with: module, plan.isOpen(at: end))
    return Course(
      isolated: isolated, used: max(used, 0),
      lost: isolated == nil ? [] : plan.modules.indices.filter { !kept.contains($0) },
      hasBegun: end >= leak.start)
  }

  /// Searches for the hole as the guided search advises.
  ///
  /// - Parameter reach: the time in nanoseconds that the crew needs to reach a hatch.
  /// - Throws: `Failure` if the rig cannot be run.
  /// - Returns: the course of this search.
  package func guidedCourse(reach: UInt64) throws(Failure) -> Course {
    var rig = rig
    rig.letCrewSearch(reach: reach)
    let run = try RigRun(rig)
    try run.run()
    return course(run.bench.cabin?.plan.operations ?? [], until: run.duration)
  }

  /// The course of the best possible search: as soon as the leak is declared, the hatches around its
  /// module are closed, one after the other.
  ///
  /// - Parameters:
  ///   - reach: the time in nanoseconds that the crew needs to reach a hatch.
  ///   - declared: the time in nanoseconds from the start of the leak to its declaration.
  /// - Returns: the course.
  package func luckyCourse(reach: UInt64, declared: UInt64) -> Course {
    var time = leak.start + declared
    var operations: [CabinPlan.Operation] = []
    for (index, hatch) in plan.hatches.enumerated()
    where hatch.isOpen && (hatch.one == leak.module) != (hatch.other == leak.module) {
      time += reach
      operations.append(CabinPlan.Operation(at: time, .close(index)))
    }
    return course(operations, until: time + 1)
  }

  /// Creates the report of a search.
  ///
  /// - Parameters:
  ///   - course: the search.
  ///   - reach: the time in nanoseconds that a crew needs to reach a hatch.
  /// - Throws: `Failure` if the guided search cannot be run.
  /// - Returns: its lines.
  package func report(_ course: Course, reach: UInt64) throws(Failure) -> [String] {
    guard course.hasBegun else {
      return ["drill \(rig.name), seed \(rig.seed): ended before a leak began, and not scored"]
    }
    let guided = try guidedCourse(reach: reach)
    let lucky = luckyCourse(reach: reach, declared: 5_000_000_000)
    func clock(_ time: UInt64) -> String { Decimal.duration(time / 1_000_000_000 * 1_000_000_000) }
    func line(_ name: String, _ course: Course) -> String {
      let names = course.lost.map { plan.modules[$0].name }.joined(separator: ", ")
      let end =
        course.isolated.map {
          "shut off \(clock($0 - min($0, leak.start))) after its start, and with it \(names)"
        } ?? "not shut off"
      let head = name + String(repeating: " ", count: max(16 - name.count, 0))
      return "  \(head)\(Decimal.fixed(course.used, 2)) min of reserve used; \(end)"
    }
    let millimetres = Decimal.fixed(leak.diameter * 1000, 1)
    let lost = Set(course.lost).subtracting(lucky.lost).sorted().map { plan.modules[$0].name }
    let score =
      course.isolated == nil
      ? "the leak was not shut off"
      : "\(Decimal.fixed(course.used - lucky.used, 2)) min of reserve more than the best possible search"
        + (lost.isEmpty ? "" : ", and \(lost.joined(separator: ", ")) shut off without need")
    return [
      "drill \(rig.name), seed \(rig.seed): a hole of \(millimetres) mm in "
        + "\(plan.modules[leak.module].name) at \(clock(leak.start)); "
        + "\(Decimal.fixed(reserve, 1)) min of reserve at its start",
      line("this search", course), line("guided search", guided), line("best possible", lucky),
      "  (guided and best possible search: \(clock(reach)) to reach a hatch)",
      "score: \(score)",
    ]
  }

  /// The reserve time in minutes at the start of the leak.
  private var reserve: Double {
    let limit = rig.pipeline?.leak?.limit ?? LeakAnalysis().limit
    return constant * log(plan.air.pressure / limit)
  }

  /// The time constant of the leak in minutes, with all hatches as at the start.
  private var constant: Double {
    var plan = plan
    plan.temperatureDrift = CabinPlan.TemperatureDrift()
    let cabin = Cabin(plan)
    let minute: UInt64 = 60_000_000_000
    return 1
      / log(
        cabin.air(in: module, at: leak.start).pressure
          / cabin.air(in: module, at: leak.start + minute).pressure)
  }
}
