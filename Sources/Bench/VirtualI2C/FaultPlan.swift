public import I2C

/// The faults planned for one bus.
public final class FaultPlan {
  /// The planned faults in order, each with the number of times it has fired.
  public var faults: [PlannedFault] { plan }

  // A private copy of the public property, which the module accesses without exclusivity checks.
  private var plan: [PlannedFault]
  private let isEmpty: Bool
  /// The times in nanoseconds in which the adapter is unplugged, in their order.
  private let absences: [Range<UInt64>]
  private var chance: SeededGenerator
  private var transfers = 0
  /// The time until which SCL is held low, in nanoseconds.
  private var stuckUntil: UInt64 = 0
  /// The last fault that fired, as it was before, if it changes bytes of a read.
  private var lastChange: (index: Int, fault: PlannedFault)?
  /// The indices of the faults that have put a target into an internal fault condition.
  private var impaired: [Int] = []
  /// The indices of the absences of the adapter that have cut the supply of targets.
  private var cut: [Int] = []
  /// The addresses of the targets without power (`nil` for all targets), and the time at which the
  /// power returns.
  private var unpowered: [(address: I2CAddress?, until: UInt64)] = []

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - faults: the faults in order of priority. Default: none.
  ///   - seed: the seed for all faults with a probability. Default: 0.
  public init(_ faults: [PlannedFault] = [], seed: UInt64 = 0) {
    plan = faults
    isEmpty = faults.isEmpty
    absences = Self.absences(in: faults)
    chance = SeededGenerator(seed: seed, stream: 0xFA17)
  }

  /// Returns the effect of the fault that acts on a message, and counts the fault as fired; returns
  /// `nil` if no fault acts.
  @inline(__always)
  func inject(
    _ segment: I2CSegment, register: UInt8?, at time: UInt64, _ devices: [any VirtualI2CDevice]
  ) -> WireEffect? {
    isEmpty ? nil : find(segment, register, time, devices)
  }

  /// Returns the effect of the fault that acts at a byte of a message.
  ///
  /// This is needed for a message whose length or register was unknown at its start.
  ///
  /// - Parameters:
  ///   - segment: the message up to and including the byte.
  ///   - register: the register pointer, if known.
  ///   - time: the start of the transfer in nanoseconds.
  ///   - devices: the targets.
  /// - Returns: the effect; `nil` if no fault acts.
  func injectByte(
    _ segment: I2CSegment, register: UInt8?, at time: UInt64, _ devices: [any VirtualI2CDevice]
  ) -> WireEffect? {
    guard !isEmpty else { return nil }
    let isRegister = segment.direction == .write && segment.count == 1
    return find(segment, register, time, devices) {
      $0.showsAt(byte: segment.count - 1) || isRegister && $0.needsRegister
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
      lastChange = plan[index].changesData ? (index, plan[index]) : nil
      plan[index].fire(firing(at: time, address: segment.address))
      if case .clockStuck(let length) = plan[index].kind { stuckUntil = time + length }
      return WireEffect(plan[index].kind)
    }
    return nil
  }

  /// Begins a transfer, and applies the target faults and supply changes that are due.
  ///
  /// - Returns: whether SCL is held low.
  @inline(__always)
  func begin(at time: UInt64, _ devices: [any VirtualI2CDevice]) -> Bool {
    isEmpty ? false : beginPlanned(time, devices)
  }

  /// Creates the record of a firing in the current transfer.
  private func firing(at time: UInt64, address: I2CAddress?) -> PlannedFault.Evidence.Firing {
    PlannedFault.Evidence.Firing(time: time, transfer: transfers + 1, address: address)
  }

  private func isDrawn(_ probability: Double) -> Bool {
    probability >= 1 || chance.unit() < probability
  }

  /// Returns whether a fault acts on a target or its supply and may still begin.
  private func isToBegin(_ index: Int) -> Bool {
    guard plan[index].supplyLoss != nil else {
      return isCondition(index) && !impaired.contains(index)
    }
    return plan[index].absence == nil ? !plan[index].isOver : !cut.contains(index)
  }

  private func isCondition(_ index: Int) -> Bool { plan[index].condition != nil }

  /// Begins a fault of a target or its supply.
  private func begin(_ index: Int, at time: UInt64, _ devices: [any VirtualI2CDevice]) {
    let fault = plan[index]
    if let length = fault.supplyLoss {
      // An absence counts as fired when the adapter is unplugged, even if no transfer follows.
      if fault.absence == nil {
        plan[index].fire(firing(at: time, address: fault.address))
      } else {
        cut.append(index)
      }
      supply(false, fault.address, at: time, devices)
      unpowered.append((fault.address, time &+ min(length, .max - time)))
    }
    switch fault.kind {
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
      // A fault triggered by time begins at that time, even if it is processed later. A fault
      // triggered by a number of transfers begins now.
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

  /// Ends a transfer, and updates the counts of the faults.
  @inline(__always)
  func end(_ devices: [any VirtualI2CDevice], at time: UInt64) {
    if !isEmpty { endPlanned(devices, time) }
  }

  private func endPlanned(_ devices: [any VirtualI2CDevice], _ time: UInt64) {
    for index in impaired {
      let effects = devices.reduce(0) { $0 + $1.effects(of: index) }
      plan[index].fire(
        firing(at: time, address: plan[index].address), times: effects - plan[index].fired)
    }
    transfers += 1
  }

  // MARK: Restoring

  /// A snapshot of the plan, for an adapter that must choose the faults before the transfer reaches
  /// the wire.
  struct State {
    fileprivate let plan: [PlannedFault]
    fileprivate let chance: SeededGenerator
    fileprivate let stuckUntil: UInt64
  }

  /// A snapshot of the current state.
  var state: State { State(plan: plan, chance: chance, stuckUntil: stuckUntil) }

  /// Restores a snapshot.
  func restore(_ state: State) {
    (plan, chance, stuckUntil) = (state.plan, state.chance, state.stuckUntil)
  }

  /// Withdraws the last fault that changes read bytes, because the target has not acknowledged the read.
  func withdrawChange() {
    guard let (index, fault) = lastChange else { return }
    plan[index] = fault
    lastChange = nil
  }

  // MARK: The adapter

  /// Whether the plan unplugs the adapter at any time.
  public var unplugsAdapter: Bool { !absences.isEmpty }

  /// Returns whether the adapter is unplugged at a time, in nanoseconds, and counts the faults that have begun.
  public func isUnplugged(at time: UInt64) -> Bool {
    beginAbsences(until: time)
    return absences.contains { $0.contains(time) }
  }

  /// Returns the connection of the adapter, on the clock of its bus; `nil` if the plan never unplugs it.
  ///
  /// The faults that unplug it are counted when their changes happen.
  public func connection(_ clock: any I2CClock) -> AdapterConnection? {
    guard unplugsAdapter else { return nil }
    let changes = absences.flatMap {
      [
        AdapterConnection.Change(time: $0.lowerBound, isPluggedIn: false),
        AdapterConnection.Change(time: $0.upperBound, isPluggedIn: true),
      ]
    }
    return AdapterConnection(changes, now: { clock.nanoseconds }) { [self] in
      beginAbsences(until: $0.time)
    }
  }

  /// Counts the faults that have unplugged the adapter until a time, in nanoseconds.
  public func beginAbsences(until time: UInt64) {
    for index in plan.indices where !plan[index].isOver {
      guard let start = plan[index].absence?.lowerBound, time >= start else { continue }
      plan[index].fire(firing(at: start, address: nil))
    }
  }

  /// Joins the absences that overlap or follow one another, in the order of time.
  private static func absences(in faults: [PlannedFault]) -> [Range<UInt64>] {
    var joined: [Range<UInt64>] = []
    for absence in faults.compactMap(\.absence).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, absence.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, absence.upperBound)
      } else {
        joined.append(absence)
      }
    }
    return joined
  }

  // MARK: Bridges

  /// Returns the fault that affects a frame between a bridge, such as a board connected over
  /// Bluetooth, and its client.
  ///
  /// The fault is counted as fired.
  ///
  /// - Parameters:
  ///   - time: now, in nanoseconds.
  ///   - isWrite: `true` if the frame is a command, which can be executed twice.
  /// - Returns: the fault; `nil` if the frame is transmitted unchanged.
  public func injectFrame(at time: UInt64, isWrite: Bool) -> PlannedFault.Kind? {
    for index in plan.indices where plan[index].kind.reach == .bridge && !plan[index].isOver {
      let fault = plan[index]
      guard time >= fault.trigger.start, transfers >= fault.trigger.transfers,
        isWrite || fault.kind != .frameRepeated, isDrawn(fault.trigger.probability)
      else { continue }
      plan[index].fire(firing(at: time, address: nil))
      return fault.kind
    }
    return nil
  }
}

/// The effect of a fault on one message on the wire, whatever the adapter.
///
/// The effects apply in this order: SCL is held low, the address is NACKed or another chip
/// responds, and finally one of the bytes is NACKed or corrupted.
struct WireEffect {
  /// The time for which SCL is held low after the address, in nanoseconds.
  var holdTime: UInt64 = 0
  /// The failure that ends the message at its address.
  ///
  /// Before a timeout the bus is held for the adapter's stretch limit.
  var failureKind: I2CError.Kind?
  /// The number of clocks that the adapter sends to free the bus after a timeout.
  var freeingClocks: UInt64 = 0
  /// The value read from every register of a chip that responds instead of the target; `nil` if the
  /// target itself responds.
  var standIn: UInt8?
  /// The index of the written byte that is not acknowledged.
  var nackedByte: Int?
  /// The index of a read byte, the mask of its bits that arrive, and that of the bits that are inverted after that.
  private var change: (byte: Int, kept: UInt8, inverted: UInt8) = (0, 0xFF, 0)
  /// The number of read bytes that the target drives; afterwards SDA is high.
  private var drivenBytes = Int.max

  /// Creates the effect of a kind of fault; returns `nil` if this kind does not act on the wire.
  init?(_ kind: PlannedFault.Kind) {
    switch kind {
    case .addressNack: failureKind = .addressNack
    case .arbitrationLost: failureKind = .arbitrationLost
    case .busError: failureKind = .busError
    case .dataStuck: (failureKind, freeingClocks) = (.timeOut, 9)
    case .clockStuck: failureKind = .timeOut
    case .clockStretch(let length): holdTime = length
    case .otherTarget(let value): standIn = value
    case .dataNack(let byte): nackedByte = byte
    case .bitFlip(let byte, let mask): change = (byte, 0xFF, mask)
    case .stuckBits(let byte, let mask, let areSet): change = (byte, ~mask, areSet ? mask : 0)
    case .shortRead(let bytes): drivenBytes = bytes
    case .powerLoss, .condition, .frameLate, .frameLost, .frameRepeated, .unplugged: return nil
    }
  }

  /// Returns the byte that the controller reads if the target sends `value`.
  func corrupted(_ value: UInt8, at byte: Int) -> UInt8 {
    guard byte < drivenBytes else { return 0xFF }
    return byte == change.byte ? value & change.kept ^ change.inverted : value
  }

  /// Returns whether the transfer ends with this message, on an adapter with the given stretch
  /// limit in nanoseconds.
  func endsTransfer(stretchLimit limit: UInt64) -> Bool {
    failureKind != nil || nackedByte != nil || holdTime > limit
  }
}
