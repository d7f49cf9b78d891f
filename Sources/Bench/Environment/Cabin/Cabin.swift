import CMath

/// A cabin over time: a pure function of its plan and of what a crew has done in it so far.
public final class Cabin {
  /// What it is.
  public private(set) var plan: CabinPlan

  /// A time in which nothing is done: its start in nanoseconds, and how the pressure goes in each module.
  private struct Stretch {
    let start: UInt64
    let flows: [Outflow]
  }

  private var stretches: [Stretch] = []

  /// Works out a cabin.
  public init(_ plan: CabinPlan) {
    self.plan = plan
    workOut()
  }

  /// Lets a crew do something that no plan has foreseen.
  ///
  /// - Parameters:
  ///   - action: what is done.
  ///   - time: when, in nanoseconds; nothing that was asked for so far is later.
  public func perform(_ action: CabinPlan.Action, at time: UInt64) {
    let place = plan.operations.firstIndex { $0.time > time } ?? plan.operations.endIndex
    plan.operations.insert(CabinPlan.Operation(at: time, action), at: place)
    workOut()
  }

  /// Lets a crew lead: hatches that were to be moved later by plan are not.
  ///
  /// - Parameter time: from when on, in nanoseconds.
  public func lead(from time: UInt64) {
    plan.operations.removeAll { operation in
      switch operation.action {
      case .close, .open: operation.time > time
      case .mend, .repressurise: false
      }
    }
    workOut()
  }

  private func workOut() {
    stretches = []
    var isOpen = plan.hatches.map(\.isOpen)
    var states = plan.modules.map { _ in CabinState(plan.air) }
    var isLeaking = false
    var sources: [(module: Int, rate: Double, end: UInt64)] = []
    var begin: UInt64 = 0
    for time in moments {
      let seconds = Double(time - begin) / 1e9
      if let last = stretches.last { states = last.flows.map { $0.state(after: seconds) } }
      if let leak = plan.leak, leak.start == time { isLeaking = true }
      sources.removeAll { $0.end <= time }
      for operation in plan.operations where operation.time == time {
        switch operation.action {
        case .close(let hatch): isOpen[hatch] = false
        case .open(let hatch): isOpen[hatch] = true
        case .mend: isLeaking = false
        case .repressurise(let module, let rate, let length):
          sources.append((module, rate, time + length))
        }
      }
      let flows = flows(isOpen, states, isLeaking, sources.map { ($0.module, $0.rate) })
      stretches.append(Stretch(start: time, flows: flows))
      begin = time
    }
  }

  /// The start and the times at which something changes, each once.
  private var moments: [UInt64] {
    var times = Set(plan.operations.map(\.time))
    if let leak = plan.leak { times.insert(leak.start) }
    for case .repressurise(_, _, let length) in plan.operations.map(\.action) {
      for operation in plan.operations where operation.action.length == length {
        times.insert(operation.time + length)
      }
    }
    return times.union([0]).sorted()
  }

  /// How the pressure goes on in each module; joined modules first become one.
  private func flows(
    _ isOpen: [Bool], _ states: [CabinState], _ isLeaking: Bool,
    _ sources: [(module: Int, rate: Double)]
  ) -> [Outflow] {
    var flows: [Outflow?] = plan.modules.map { _ in nil }
    for module in plan.modules.indices where flows[module] == nil {
      let joined = plan.joined(with: module, isOpen)
      let volume = joined.reduce(0) { $0 + plan.modules[$1].volume }
      // Energy and mass are kept: the sums of P V and of P V / T.
      let energy = joined.reduce(0) { $0 + states[$1].pressure * plan.modules[$1].volume }
      let mass = joined.reduce(0) {
        $0 + states[$1].pressure * plan.modules[$1].volume / states[$1].temperature
      }
      let vapour = joined.reduce(0) { $0 + states[$1].vapour * plan.modules[$1].volume }
      let hole = plan.leak.flatMap { isLeaking && joined.contains($0.module) ? $0.area : nil }
      let flow = Outflow(
        pressure: energy / volume,
        temperature: mass > 0 ? energy / mass : states[module].temperature,
        vapour: vapour / volume, volume: volume, area: hole ?? 0,
        inflow: sources.filter { joined.contains($0.module) }.reduce(0) { $0 + $1.rate },
        process: plan.process)
      for index in joined { flows[index] = flow }
    }
    return flows.compactMap { $0 }
  }

  /// The air in a module, by its index, at a time in nanoseconds.
  ///
  /// Its mixing ratio stays while air leaves, so that its relative humidity falls with the pressure and rises where it
  /// cools.
  public func air(in module: Int, at time: UInt64) -> Air {
    var index = stretches.endIndex - 1
    while index > 0, stretches[index].start > time { index -= 1 }
    let stretch = stretches[index]
    let state = stretch.flows[module].state(after: Double(time - stretch.start) / 1e9)
    return state.air(warmedBy: temperatureDrift(at: time))
  }

  private func temperatureDrift(at time: UInt64) -> Double {
    let temperatureDrift = plan.temperatureDrift
    var sum = 0.0
    if temperatureDrift.amplitude != 0 {
      let turns = Double(time % temperatureDrift.period) / Double(temperatureDrift.period)
      sum += temperatureDrift.amplitude * sin(2 * .pi * turns)
    }
    if time > temperatureDrift.begin {
      sum +=
        temperatureDrift.rise
        * min(Double(time - temperatureDrift.begin) / Double(max(temperatureDrift.length, 1)), 1)
    }
    return sum
  }
}

extension CabinPlan.Action {
  /// How long it takes, if it does.
  fileprivate var length: UInt64? {
    if case .repressurise(_, _, let length) = self { length } else { nil }
  }
}

/// The air in one module of a cabin.
public final class CabinAir: AirSource {
  private let cabin: Cabin
  private let module: Int

  /// Creates the air in a module, by its index.
  public init(_ cabin: Cabin, module: Int) {
    self.cabin = cabin
    self.module = module
  }

  /// The air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air { cabin.air(in: module, at: time) }
}
