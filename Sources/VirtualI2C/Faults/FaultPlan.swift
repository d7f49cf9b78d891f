import I2C

/// The failures planned for one bus.
public final class FaultPlan {
  /// The faults, in the order of the plan, with how often each has fired.
  public var faults: [PlannedFault] { plan }

  // Stored beside its public name: what no other module reaches is accessed without checks.
  private var plan: [PlannedFault]
  private let isEmpty: Bool
  private var chance: SeededGenerator
  private var transfers = 0
  /// Until when SCL is held low.
  private var stuckUntil: UInt64 = 0
  /// The targets without supply, and when it returns.
  private var dark: [(address: I2CAddress?, until: UInt64)] = []

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - faults: the faults.
  ///   - seed: what probabilities come from.
  public init(_ faults: [PlannedFault] = [], seed: UInt64 = 0) {
    plan = faults
    isEmpty = faults.isEmpty
    chance = SeededGenerator(seed: seed, stream: 0xFA17)
  }

  /// The fault that spoils a message now, counted as fired; nothing as a rule.
  @inline(__always)
  func strike(_ segment: I2CSegment, register: UInt8?, at time: UInt64) -> PlannedFault.Kind? {
    isEmpty ? nil : find(segment, register, time)
  }

  private func find(_ segment: I2CSegment, _ register: UInt8?, _ time: UInt64) -> PlannedFault.Kind?
  {
    for index in plan.indices
    where plan[index].meets(segment, register: register, at: time, after: transfers) {
      let probability = plan[index].trigger.probability
      guard probability >= 1 || chance.unit() < probability else { continue }
      plan[index].fired += 1
      if case .clockStuck(let length) = plan[index].kind { stuckUntil = time + length }
      return plan[index].kind
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

  private func beginPlanned(_ time: UInt64, _ devices: [any VirtualI2CDevice]) -> Bool {
    for index in plan.indices where plan[index].isOfSupply && !plan[index].isOver {
      let fault = plan[index]
      guard case .powerLoss(let length) = fault.kind, time >= fault.trigger.start,
        transfers >= fault.trigger.transfers
      else { continue }
      plan[index].fired += 1
      // By time it happened then, whoever looks now; after some transfers it happens now.
      let start = fault.trigger.transfers > 0 ? time : fault.trigger.start
      supply(false, fault.address, at: start, devices)
      dark.append((fault.address, start + length))
    }
    for (address, until) in dark where time >= until { supply(true, address, at: until, devices) }
    dark.removeAll { time >= $0.until }
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
  func end() { if !isEmpty { transfers += 1 } }
}
