import Cores
import Machines

/// The resources that the peripherals share, such as core, memory, event schedule and energy ledger.
final class Chip {
  /// The core's clock in Hz.
  static let frequency: UInt64 = 64_000_000

  let run: ArmRun
  let energy = EnergyLedger(PowerState.states)
  let analog = AnalogInputs()
  /// The member of the family.
  let model: NRF52832.Model
  /// The seed of all random values.
  let seed: UInt64
  /// The peripherals by their ID, which is the number of their page.
  @exclusivity(unchecked) private var peripherals: [TaskPeripheral?] = Array(
    repeating: nil, count: 128)
  /// The PPI, the last peripheral to be created.
  @exclusivity(unchecked) var ppi: PPI?
  /// `true` if any PPI channel is enabled.
  @exclusivity(unchecked) var hasLinks = false

  /// The active power states in which a peripheral requests the 16 MHz clock, as one bit per state.
  @exclusivity(unchecked) private var requests: UInt32 = 0
  /// `true` if the crystal supplies the high-frequency clock.
  @exclusivity(unchecked) private var hasCrystal = false
  /// The number of cycles asleep up to which the internal oscillator's energy has been counted.
  @exclusivity(unchecked) private var countedSleep: UInt64 = 0

  let core: ArmCore
  let memory: AddressSpace
  let schedule: EventSchedule
  let clock: MachineClock
  private let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  init(_ run: ArmRun, _ model: NRF52832.Model, seed: UInt64) {
    self.run = run
    (core, memory, schedule) = (run.core, run.core.memory, run.schedule)
    clock = run.clock
    (readable, writable) = (memory.readable, memory.writable)
    (self.model, self.seed) = (model, seed)
  }

  /// The current cycle of the core.
  var now: UInt64 { core.cycles }

  /// Returns the slot of a peripheral in the event schedule, and creates the slot on first use.
  ///
  /// - Parameters:
  ///   - known: storage for the slot.
  ///   - owner: the peripheral, which lives at least as long as the schedule.
  ///   - action: the peripheral's action when the slot is due.
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

  /// Releases the peripherals to break their reference cycles with the chip, which must not be used afterwards.
  func dismantle() {
    peripherals = []
    ppi = nil
    memory.removeDevices()
    schedule.removeActions()
  }

  /// Triggers the task at an address, as a PPI channel does.
  func trigger(_ address: UInt32, at cycle: UInt64) {
    guard address >> 19 == 0x4000_0000 >> 19 else { return }
    peripherals[Int(address >> 12 & 0x7F)]?.task(address & 0xFFC, at: cycle)
  }

  func nanoseconds(_ cycle: UInt64) -> UInt64 { clock.nanoseconds(at: cycle) }

  /// Returns the cycle that is a number of microseconds after another cycle.
  func cycle(_ cycle: UInt64, plus microseconds: Double) -> UInt64 {
    cycle + UInt64(microseconds * 64)
  }

  /// Begins or ends a state of the energy ledger at a cycle.
  func energy(_ state: PowerState, _ isOn: Bool, at cycle: UInt64) {
    energy.set(state.rawValue, isOn, at: nanoseconds(cycle))
    guard state.requestsHighClock || state == .hfxo else { return }
    countHighClock()
    let bit: UInt32 = 1 << UInt32(state.rawValue)
    if state == .hfxo {
      hasCrystal = isOn
    } else {
      requests = isOn ? requests | bit : requests & ~bit
    }
  }

  /// Counts the time for which only peripherals kept the internal oscillator running, with the core asleep and the
  /// crystal off.
  ///
  /// The current of a running core includes the oscillator.
  func countHighClock() {
    let slept = core.sleptCycles
    if requests != 0, !hasCrystal, slept > countedSleep {
      energy.add(PowerState.hfint.rawValue, nanoseconds: (slept - countedSleep) * 125 / 8)
    }
    countedSleep = slept
  }

  /// Reports an EasyDMA pointer outside RAM, the only memory that EasyDMA can access.
  func noteOutsideRAM(_ address: UInt32, _ name: String) {
    run.unmodelledRegisters.note(
      address, bytes: 4, isWrite: true, mode: "EasyDMA outside RAM (\(name))")
  }

  /// Reads a byte as EasyDMA does; `nil` outside RAM.
  func readRAM(_ address: UInt32) -> UInt8? {
    guard address >> 16 == 0x2000, let page = readable[Int(address >> AddressSpace.pageBits)] else {
      return nil
    }
    return page.load(
      fromByteOffset: Int(address & (AddressSpace.pageSize - 1)), as: UInt8.self)
  }

  /// Writes a byte as EasyDMA does.
  ///
  /// - Returns: `false` if the address is not in RAM.
  func writeRAM(_ address: UInt32, _ value: UInt8) -> Bool {
    guard address >> 16 == 0x2000, let page = writable[Int(address >> AddressSpace.pageBits)] else {
      return false
    }
    page.storeBytes(
      of: value, toByteOffset: Int(address & (AddressSpace.pageSize - 1)), as: UInt8.self)
    core.invalidate(address, count: 1)
    return true
  }

  /// Stops all peripherals without resetting their registers.
  func stopAll() { schedule.clearAll() }

  /// Resets all peripherals except those with the given IDs.
  func resetAll(keeping kept: Set<Int>) {
    for case .some(let peripheral) in peripherals where !kept.contains(peripheral.number) {
      peripheral.reset()
    }
  }
}

/// The ROM table of the debug port, from which start-up code reads part and revision: nRF52832 revision 2, nRF52840
/// revision 3.
final class ROMTable: BusDevice {
  static let PIDR0: UInt32 = 0xFE0
  static let PIDR1: UInt32 = 0xFE4
  static let PIDR2: UInt32 = 0xFE8

  private let model: NRF52832.Model

  init(_ model: NRF52832.Model) { self.model = model }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let word: UInt32 =
      switch offset & ~3 {
      case Self.PIDR0: model.revision.0
      case Self.PIDR1: 0x00
      case Self.PIDR2: model.revision.1 << 4
      default: 0
      }
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool { true }
}
