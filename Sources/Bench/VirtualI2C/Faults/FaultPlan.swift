import I2C

/// The failures planned for one bus.
public final class FaultPlan {
  /// The faults, in the order of the plan, with how often each has fired.
  public var faults: [PlannedFault] { plan }

  // Stored next to its public name: what no other module reaches is accessed without checks.
  private var plan: [PlannedFault]
  private let isEmpty: Bool
  private var chance: SeededGenerator
  private var transfers = 0
  /// Until when SCL is held low.
  private var stuckUntil: UInt64 = 0
  /// The faults whose condition has begun.
  private var impaired: [Int] = []
  /// The targets without supply, and when it returns.
  private var unpowered: [(address: I2CAddress?, until: UInt64)] = []

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - faults: the faults.
  ///   - seed: what probabilities come from.
  public init(_ faults: [PlannedFault] = [], seed: UInt64 = 0) {
    plan = faults
    isEmpty = faults.isEmpty
    chance = SeededGenerator(seed: seed, stream: 0xFA17)
  }

  /// What the fault does that spoils a message now, counted as fired; `nil` as a rule.
  @inline(__always)
  func inject(
    _ segment: I2CSegment, register: UInt8?, at time: UInt64, _ devices: [any VirtualI2CDevice]
  ) -> WireEffect? {
    isEmpty ? nil : find(segment, register, time, devices)
  }

  /// What the fault does that shows at a byte of a message of which nobody knew the length and the register before;
  /// `nil` as a rule.
  ///
  /// - Parameters:
  ///   - segment: the message up to and with the byte.
  ///   - register: the register that it concerns.
  ///   - time: when the transfer began, in nanoseconds.
  ///   - devices: the targets.
  /// - Returns: the effect.
  func injectByte(
    _ segment: I2CSegment, register: UInt8?, at time: UInt64, _ devices: [any VirtualI2CDevice]
  ) -> WireEffect? {
    guard !isEmpty else { return nil }
    let isRegister = segment.direction == .write && segment.count == 1
    return find(segment, register, time, devices) {
      $0.showsAt(byte: segment.count - 1) || isRegister && $0.waitsForRegister
    }
  }

  private func find(
    _ segment: I2CSegment, _ register: UInt8?, _ time: UInt64, _ devices: [any VirtualI2CDevice],
    where comesNow: (PlannedFault) -> Bool = { _ in true }
  ) -> WireEffect? {
    for index in plan.indices
    where isToBegin(index) && comesNow(plan[index])
      && plan[index].mayBegin(with: segment, register: register, at: time, after: transfers)
      && isDrawn(plan[index].trigger.probability)
    {
      begin(index, at: time, devices)
    }
    for index in plan.indices
    where plan[index].meets(segment, register: register, at: time, after: transfers)
      && comesNow(plan[index])
    {
      guard isDrawn(plan[index].trigger.probability) else { continue }
      plan[index].fire(at: time)
      if case .clockStuck(let length) = plan[index].kind { stuckUntil = time + length }
      return WireEffect(plan[index].kind)
    }
    return nil
  }

  /// Begins a transfer: lets supplies go and come that are due.
  ///
  /// - Returns: whether SCL is held low.
  @inline(__always)
  func begin(at time: UInt64, _ devices: [any VirtualI2CDevice]) -> Bool {
    isEmpty ? false : beginPlanned(time, devices)
  }

  private func isDrawn(_ probability: Double) -> Bool {
    probability >= 1 || chance.unit() < probability
  }

  /// Whether a fault is of a target's supply or within it, and has not begun.
  private func isToBegin(_ index: Int) -> Bool {
    plan[index].concernsSupply
      ? !plan[index].isOver : isCondition(index) && !impaired.contains(index)
  }

  private func isCondition(_ index: Int) -> Bool { plan[index].condition != nil }

  /// Lets a fault of a target's supply, or within it, begin.
  private func begin(_ index: Int, at time: UInt64, _ devices: [any VirtualI2CDevice]) {
    let fault = plan[index]
    switch fault.kind {
    case .powerLoss(let length):
      plan[index].fire(at: time)
      supply(false, fault.address, at: time, devices)
      unpowered.append((fault.address, time + length))
    case .condition(let condition):
      impaired.append(index)
      for device in devices where fault.address == nil || device.address == fault.address {
        device.impair(condition, of: index, count: fault.count, at: time)
      }
    default: break
    }
  }

  private func beginPlanned(_ time: UInt64, _ devices: [any VirtualI2CDevice]) -> Bool {
    for index in plan.indices where isToBegin(index) {
      let trigger = plan[index].trigger
      guard trigger.concernsNoMessage, time >= trigger.start, transfers >= trigger.transfers
      else { continue }
      // By time it happened then, whoever looks now; after some transfers it happens now.
      begin(index, at: trigger.transfers > 0 ? time : trigger.start, devices)
    }
    for (address, until) in unpowered where time >= until {
      supply(true, address, at: until, devices)
    }
    unpowered.removeAll { time >= $0.until }
    return time < stuckUntil
  }

  private func supply(
    _ isOn: Bool, _ address: I2CAddress?, at time: UInt64, _ devices: [any VirtualI2CDevice]
  ) {
    for device in devices where address == nil || device.address == address {
      device.setSupply(isOn, at: time)
    }
  }

  /// A transfer is over.
  @inline(__always)
  func end(_ devices: [any VirtualI2CDevice], at time: UInt64) {
    if !isEmpty { endPlanned(devices, time) }
  }

  private func endPlanned(_ devices: [any VirtualI2CDevice], _ time: UInt64) {
    transfers += 1
    for index in impaired {
      let effects = devices.reduce(0) { $0 + $1.effects(of: index) }
      plan[index].fire(at: time, times: effects - plan[index].fired)
    }
  }

  // MARK: Going back

  /// What has happened so far, for an adapter that draws before it knows what reaches the wire.
  struct State {
    fileprivate let plan: [PlannedFault]
    fileprivate let chance: SeededGenerator
    fileprivate let stuckUntil: UInt64
  }

  /// What has happened so far.
  var state: State { State(plan: plan, chance: chance, stuckUntil: stuckUntil) }

  /// Takes back what has happened since.
  func goBack(to state: State) {
    (plan, chance, stuckUntil) = (state.plan, state.chance, state.stuckUntil)
  }

  // MARK: Bridges

  /// The fault that spoils a frame between a bridge and its client, counted as fired.
  ///
  /// - Parameters:
  ///   - time: now, in nanoseconds.
  ///   - isWrite: whether the frame is a command, which may be done twice.
  /// - Returns: what happens to the frame, nothing as a rule.
  public func injectFrame(at time: UInt64, isWrite: Bool) -> PlannedFault.Kind? {
    for index in plan.indices where plan[index].kind.reach == .bridge && !plan[index].isOver {
      let fault = plan[index]
      guard time >= fault.trigger.start, transfers >= fault.trigger.transfers,
        isWrite || fault.kind != .frameRepeated, isDrawn(fault.trigger.probability)
      else { continue }
      plan[index].fire(at: time)
      return fault.kind
    }
    return nil
  }
}
