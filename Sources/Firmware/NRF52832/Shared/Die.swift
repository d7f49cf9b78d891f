import Cores
import Machines

/// What the peripherals of the part share.
final class Die {
  /// The core's clock: 64 MHz.
  static let frequency: UInt64 = 64_000_000

  let run: ArmRun
  let energy = EnergyLedger(PowerState.states)
  let analog = AnalogInputs()
  /// The seed of what is random.
  let seed: UInt64
  /// The peripherals by the page at which they stand, which is their number.
  @exclusivity(unchecked) private var peripherals: [TaskPeripheral?] = Array(
    repeating: nil, count: 128)
  /// The links between events and tasks; the last peripheral that is made.
  @exclusivity(unchecked) var ppi: PPI?
  /// Whether any of those links is on.
  @exclusivity(unchecked) var hasLinks = false

  /// The states whose peripherals request the clock of 16 MHz, a bit each; whether the crystal gives it; and the cycles
  /// asleep until which that is counted.
  @exclusivity(unchecked) private var requests: UInt32 = 0
  @exclusivity(unchecked) private var hasCrystal = false
  @exclusivity(unchecked) private var countedSleep: UInt64 = 0

  let core: ArmCore
  let memory: AddressSpace
  let schedule: EventSchedule
  let clock: MachineClock
  private let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  init(_ run: ArmRun, seed: UInt64) {
    self.run = run
    (core, memory, schedule) = (run.core, run.core.memory, run.schedule)
    clock = run.clock
    (readable, writable) = (memory.readable, memory.writable)
    self.seed = seed
  }

  /// The cycle of the core now.
  var now: UInt64 { core.cycles }

  /// A slot of the schedule for a peripheral, made when it is asked for first.
  ///
  /// - Parameters:
  ///   - known: where it is kept.
  ///   - owner: the peripheral, which lives as long as the schedule asks it for anything.
  ///   - action: what the peripheral does when it is due.
  /// - Returns: the slot.
  @inline(__always)
  func slot<Owner: TaskPeripheral>(
    _ known: inout EventSchedule.Slot?, of owner: Owner,
    _ action: @escaping (Owner, UInt64) -> Void
  ) -> EventSchedule.Slot {
    if let known { return known }
    let owner = Unmanaged.passUnretained(owner)
    let made = schedule.slot { cycle in owner._withUnsafeGuaranteedRef { action($0, cycle) } }
    known = made
    return made
  }

  func add(_ peripheral: TaskPeripheral) {
    peripherals[peripheral.number] = peripheral
    memory.add(peripheral, at: peripheral.base, count: 0x1000)
  }

  /// Lets go of the peripherals, which hold it: the part is not used any more.
  func dismantle() {
    peripherals = []
    ppi = nil
    memory.removeDevices()
    schedule.removeActions()
  }

  /// Triggers the task at an address, as a link does.
  func trigger(_ address: UInt32, at cycle: UInt64) {
    guard address >> 19 == 0x4000_0000 >> 19 else { return }
    peripherals[Int(address >> 12 & 0x7F)]?.task(Int(address & 0xFFF) / 4, at: cycle)
  }

  func nanoseconds(_ cycle: UInt64) -> UInt64 { clock.nanoseconds(at: cycle) }

  /// The cycle at which some microseconds have passed.
  func cycle(_ cycle: UInt64, plus microseconds: Double) -> UInt64 {
    cycle + UInt64(microseconds * 64)
  }

  /// Lets a state of the energy ledger begin or end at a cycle.
  func energy(_ state: PowerState, _ isOn: Bool, at cycle: UInt64) {
    energy.set(state.rawValue, isOn, at: nanoseconds(cycle))
    guard state.requestsHighClock || state == .highCrystal else { return }
    countHighClock()
    let bit: UInt32 = 1 << UInt32(state.rawValue)
    if state == .highCrystal {
      hasCrystal = isOn
    } else {
      requests = isOn ? requests | bit : requests & ~bit
    }
  }

  /// Counts until now how long the internal oscillator ran for peripherals alone: the core slept, and the crystal was off.
  ///
  /// The current of a core that runs includes it.
  func countHighClock() {
    let slept = core.sleptCycles
    if requests != 0, !hasCrystal, slept > countedSleep {
      energy.add(PowerState.highClock.rawValue, nanoseconds: (slept - countedSleep) * 125 / 8)
    }
    countedSleep = slept
  }

  /// Reports that a pointer of EasyDMA lies outside the RAM, which alone it reaches.
  func noteOutsideRAM(_ address: UInt32, _ name: String) {
    run.untouched.note(address, bytes: 4, isWrite: true, mode: "EasyDMA outside RAM (\(name))")
  }

  /// What EasyDMA reads: RAM only; `nil` elsewhere.
  func readRAM(_ address: UInt32) -> UInt8? {
    guard address >> 16 == 0x2000, let page = readable[Int(address >> AddressSpace.pageBits)] else {
      return nil
    }
    return page.load(
      fromByteOffset: Int(address & (AddressSpace.pageSize - 1)), as: UInt8.self)
  }

  /// Writes what EasyDMA receives into RAM.
  ///
  /// - Returns: whether it is RAM.
  func writeRAM(_ address: UInt32, _ value: UInt8) -> Bool {
    guard address >> 16 == 0x2000, let page = writable[Int(address >> AddressSpace.pageBits)] else {
      return false
    }
    page.storeBytes(
      of: value, toByteOffset: Int(address & (AddressSpace.pageSize - 1)), as: UInt8.self)
    core.invalidate(address, count: 1)
    return true
  }

  /// Stops all peripherals, whose registers are not reset yet.
  func stopAll() { schedule.clearAll() }

  func resetAll(keeping kept: Set<Int>) {
    for case .some(let peripheral) in peripherals where !kept.contains(peripheral.number) {
      peripheral.reset()
    }
  }
}
