import CMath

/// A cabin whose air is a pure function of time, of the cabin's plan and of the crew's actions so
/// far.
public final class Cabin {
  /// The plan, including the crew's actions so far.
  public private(set) var plan: CabinPlan

  /// A period without changes of hatches, leak or inflow: its start in nanoseconds, and the flow in
  /// each module.
  private struct Stretch {
    let start: UInt64
    let flows: [Outflow]
  }

  private var stretches: [Stretch] = []

  /// Creates a cabin from a plan.
  public init(_ plan: CabinPlan) {
    self.plan = plan
    workOut()
  }

  /// Performs an action that is not in the plan.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - time: the time in nanoseconds, which must not be earlier than any time at which the air
  ///     was computed.
  public func perform(_ action: CabinPlan.Action, at time: UInt64) {
    let index = plan.operations.firstIndex { $0.time > time } ?? plan.operations.endIndex
    plan.operations.insert(CabinPlan.Operation(at: time, action), at: index)
    workOut()
  }

  /// Cancels all planned hatch operations after a time, so from then on only the crew moves
  /// hatches.
  ///
  /// - Parameter time: the time in nanoseconds.
  public func cancelHatchOperations(after time: UInt64) {
    plan.operations.removeAll { operation in
      switch operation.action {
      case .close, .open: operation.time > time
      case .mend, .repressurise: false
      }
    }
    workOut()
  }

  /// Cancels the planned hatch operations after a time.
  @available(*, deprecated, renamed: "cancelHatchOperations(after:)")
  public func lead(from time: UInt64) { cancelHatchOperations(after: time) }

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

  /// The start of the run and the times of all changes, sorted, each time once.
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

  /// Returns the flow in each module, after equalizing the pressure of modules joined by open
  /// hatches.
  private func flows(
    _ isOpen: [Bool], _ states: [CabinState], _ isLeaking: Bool,
    _ sources: [(module: Int, rate: Double)]
  ) -> [Outflow] {
    var flows: [Outflow?] = plan.modules.map { _ in nil }
    for module in plan.modules.indices where flows[module] == nil {
      let joined = plan.joined(with: module, isOpen)
      let volume = joined.reduce(0) { $0 + plan.modules[$1].volume }
      // Energy and mass are conserved, so the sums of P V and of P V / T stay the same.
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

  /// Returns the air in the module with an index, at a time in nanoseconds.
  ///
  /// The mixing ratio is constant while air escapes, so the relative humidity decreases with the
  /// pressure and increases when the air cools.
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
  /// The duration of the action; `nil` for an instantaneous action.
  fileprivate var length: UInt64? {
    if case .repressurise(_, _, let length) = self { length } else { nil }
  }
}

/// The air in one module of a cabin.
public final class CabinAir: AirSource {
  private let cabin: Cabin
  private let module: Int

  /// Creates the air source for the module with an index.
  public init(_ cabin: Cabin, module: Int) {
    self.cabin = cabin
    self.module = module
  }

  /// Returns the air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air { cabin.air(in: module, at: time) }
}

/// The state of the air in modules joined by open hatches.
struct CabinState: Hashable {
  /// The pressure in Pa, the temperature in K, and the partial pressure of water vapour in Pa.
  var pressure: Double, temperature: Double, vapour: Double

  private static let percent = 0.01

  /// Returns the saturation pressure of water vapour in Pa, at a temperature in K.
  ///
  /// It uses the Magnus formula with the coefficients of the WMO guide to instruments (no. 8, annex
  /// 4.B).
  static func saturation(at kelvin: Double) -> Double {
    let celsius = kelvin - 273.15
    return 611.2 * exp(17.62 * celsius / (243.12 + celsius))
  }

  /// Creates the state from pressure in Pa, temperature in C and relative humidity in %.
  init(_ air: Air) {
    pressure = air.pressure
    temperature = air.temperature + 273.15
    vapour = Self.saturation(at: temperature) * air.humidity * Self.percent
  }

  init(pressure: Double, temperature: Double, vapour: Double) {
    (self.pressure, self.temperature, self.vapour) = (pressure, temperature, vapour)
  }

  /// Returns the air after a temperature rise at constant volume that is not caused by the leak.
  ///
  /// The mixing ratio is constant; the relative humidity is limited to 100 %.
  func air(warmedBy kelvin: Double) -> Air {
    let warmer = temperature + kelvin
    let grown = warmer / temperature
    let humidity = vapour * grown / Self.saturation(at: warmer) / Self.percent
    return Air(
      pressure: pressure * grown, temperature: warmer - 273.15, humidity: min(humidity, 100))
  }
}

/// The air in joined modules from a start time on, optionally with a hole to vacuum and an inflow
/// of air.
///
/// The flow through the hole is choked (Fliegner). With the volume V, the effective area A and c =
/// sqrt(gamma) (2 / (gamma + 1))^((gamma + 1) / (2 (gamma - 1))) sqrt(R T), the time constant is V
/// / (A c).
struct Outflow: Hashable {
  /// The pressure in Pa and the temperature in K at the start.
  var pressure: Double, temperature: Double
  /// The partial pressure of water vapour in Pa.
  var vapour: Double
  /// The volume in m3, and the effective area of the hole in m2.
  let volume: Double, area: Double
  /// The pressure rise caused by inflowing air, in Pa/s.
  let inflow: Double
  let process: CabinPlan.Process

  /// The ratio of the heat capacities of air.
  static let gamma = 1.4
  /// The specific gas constant of air in J/(kg K).
  static let gasConstant = 287.05
  /// The choked flow factor: 0.6847.
  private static let choking = 0.684731456

  /// The time constant of the outflow in seconds; `nil` without a hole.
  var timeConstant: Double? {
    guard area > 0 else { return nil }
    return volume / (area * Self.choking * (Self.gasConstant * temperature).squareRoot())
  }

  /// Returns the air after some seconds; vapour escapes in proportion to the air, and inflowing air is dry.
  func state(after seconds: Double) -> CabinState {
    guard let constant = timeConstant else {
      return CabinState(
        pressure: pressure + inflow * seconds, temperature: temperature, vapour: vapour)
    }
    if process == .adiabatic, inflow == 0 {
      let base = 1 + (Self.gamma - 1) / 2 * seconds / constant
      let ratio = pow(base, -2 * Self.gamma / (Self.gamma - 1))
      return CabinState(
        pressure: pressure * ratio,
        temperature: temperature * pow(ratio, (Self.gamma - 1) / Self.gamma),
        vapour: vapour * ratio)
    }
    let balance = inflow * constant
    let share = exp(-seconds / constant)
    return CabinState(
      pressure: balance + (pressure - balance) * share, temperature: temperature,
      vapour: vapour * share)
  }
}
