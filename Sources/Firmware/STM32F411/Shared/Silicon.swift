import Cores
import Machines

/// What drives the buses of peripherals.
protocol BusClocks: AnyObject {
  /// By what the core's clock is divided for the slow bus and for the fast one.
  var slowDivider: UInt64 { get }
  var fastDivider: UInt64 { get }
  /// The frequency of the RTC's clock in Hz.
  var calendarClock: UInt64 { get }

  /// Goes on with the internal oscillator, as behind a stop.
  func fallBack()
}

/// What the peripherals of the part share.
final class Silicon {
  let run: ArmRun
  let analog = AnalogInputs()
  let energy = EnergyLedger(EnergyTable.states)
  private(set) lazy var account = PowerAccount(self, energy)
  private var peripherals: [Peripheral] = []
  /// Who moves bytes for the others.
  weak var requests: (any DMARequests)?
  /// What each source of a line that several share asks for, a bit each.
  private var shared: [Int: UInt32] = [:]
  /// Whether only the backup domain is supplied: standby.
  var isStandby = false
  /// The clocks; the first peripheral that is made.
  weak var clocks: (any BusClocks)?

  init(_ run: ArmRun) { self.run = run }

  var core: ArmCore { run.core }
  var memory: AddressSpace { run.core.memory }
  var schedule: EventSchedule { run.schedule }
  /// The cycle of the core now.
  var now: UInt64 { run.core.cycles }
  /// The clocks of the two buses of peripherals, in Hz.
  var slowBus: UInt64 { max(run.clock.frequency / (clocks?.slowDivider ?? 1), 1) }
  var fastBus: UInt64 { max(run.clock.frequency / (clocks?.fastDivider ?? 1), 1) }

  func add(_ peripheral: Peripheral, count: UInt32) {
    peripherals.append(peripheral)
    memory.add(peripheral, at: peripheral.base, count: count)
  }

  /// Lets go of the peripherals, which hold it: the part is not used any more.
  func dismantle() {
    peripherals = []
    memory.removeDevices()
    schedule.removeActions()
  }

  func nanoseconds(_ cycle: UInt64) -> UInt64 { run.clock.nanoseconds(at: cycle) }

  /// The first cycle behind a time in nanoseconds, and not before the next one.
  func cycle(at nanoseconds: UInt64) -> UInt64 {
    max(run.clock.cycle(at: nanoseconds), now + 1)
  }

  /// The cycle at which some time has passed.
  func cycle(plus nanoseconds: UInt64) -> UInt64 {
    cycle(at: self.nanoseconds(now) + nanoseconds)
  }

  /// Sets the line of an interrupt of the part.
  func setLine(_ interrupt: Int, _ isHigh: Bool) { core.setLine(16 + interrupt, isHigh) }

  /// Sets what one of several sources asks of the line that they share.
  func setLine(_ interrupt: Int, source: UInt32, _ isHigh: Bool) {
    let before = shared[interrupt] ?? 0
    let now = isHigh ? before | 1 << source : before & ~(1 << source)
    shared[interrupt] = now
    setLine(interrupt, now != 0)
  }

  /// Wakes the part from standby, which begins anew.
  func wakeUp() {
    guard isStandby else { return }
    isStandby = false
    run.isOff = false
    run.requestReset(.wakeUp)
  }

  /// Runs the core at another frequency: all peripherals note where they are before, and plan anew behind.
  func setFrequency(_ frequency: UInt64) {
    guard frequency != run.clock.frequency else { return }
    countEnergy()
    for peripheral in peripherals { peripheral.clocksWillChange() }
    run.clock.setFrequency(frequency)
    for peripheral in peripherals { peripheral.clocksDidChange() }
  }

  /// Whether the clocks of the core and of the buses stand: stop mode.
  private(set) var isStopped = false

  /// Whether flash is off in stop mode: PWR says so.
  var stopsFlash = false

  /// Counts until now what the part takes.
  func countEnergy() { account.count(deep: stopsFlash) }

  /// Lets the clocks stand, or go on from the internal oscillator.
  func setStopped(_ stops: Bool) {
    guard stops != isStopped else { return }
    countEnergy()
    if stops { for peripheral in peripherals { peripheral.clocksWillChange() } }
    isStopped = stops
    core.setClockRunning(!stops)
    for peripheral in peripherals { peripheral.clocksDidChange() }
    if !stops { clocks?.fallBack() }
  }

  func resetAll() {
    (isStopped, isStandby) = (false, false)
    schedule.clearAll()
    for peripheral in peripherals { peripheral.reset() }
  }
}
