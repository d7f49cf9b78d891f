import Cores
import Glibc
import Machines
import Support

/// The past of a run, for a debugger that executes it backwards.
///
/// A run in virtual time is deterministic, so its past is a second run from power-on, the replica, which has no outputs.
/// The replica is executed to a mark shortly before the wanted moment, and from there instruction by instruction while
/// registers and changes of RAM are recorded. Going back within these moments costs nothing; beyond them, the replica
/// starts again. What the debugger has changed, for example a register, is repeated at the same moment.
///
/// While the debugger sees a past moment, the run itself stays where it is, the present.
final class ExecutionHistory {
  /// The result of a movement.
  enum Outcome: Equatable {
    /// The moment has changed, or a breakpoint was reached.
    case moved
    /// A watchpoint was hit; going backwards, the moment is the one before the access.
    case watched(address: UInt32, isStore: Bool)
    /// There is no earlier moment.
    case start
    /// The present is reached.
    case present
    /// The debugger has interrupted the movement; after a movement backwards the moment is unchanged.
    case interrupted
  }

  /// What the debugger sees instead of the present: consecutive recorded moments, and the RAM of the visible one.
  private struct Window {
    var moments: [Moment]
    /// `true` if the first moment is the start of the run.
    let isFirst: Bool
    /// The index of the visible moment.
    var index: Int
    /// The contents of the memories of kind RAM at the visible moment, in the order of the microcontroller.
    var ram: [[UInt8]]

    var isLast: Bool { index == moments.count - 1 }
  }

  /// The state before an instruction; if the core sleeps, at the end of the sleep.
  private struct Moment {
    let position: ExecutionPosition
    /// The time in nanoseconds of the bench clock.
    let time: UInt64
    let programCounter: UInt32
    let registers: [UInt64]
    /// The changes of RAM since the previous moment.
    var changes: [Change] = []
  }

  /// A changed byte of RAM.
  private struct Change {
    /// The index of the memory among those of kind RAM.
    let memory: Int
    let offset: Int
    let before, after: UInt8
  }

  private let present: FirmwareRun
  private let isInterrupted: () -> Bool
  /// The contents of the persistent memories at the start of the run.
  private let contents: [[UInt8]]
  private var interventions: [ExecutionReplica.Intervention] = []
  private var replica: ExecutionReplica?
  private var window: Window?
  private var marks = ExecutionMarks()

  /// Begins the history of a run that has not executed yet.
  ///
  /// - Parameters:
  ///   - present: the run.
  ///   - isInterrupted: returns whether the debugger interrupts a movement.
  init(of present: FirmwareRun, isInterrupted: @escaping () -> Bool) {
    self.present = present
    self.isInterrupted = isInterrupted
    contents = present.machine.memories.filter(\.isPersistent).map(\.content)
  }

  /// Changes the present as the debugger demands, so that the replica repeats the change.
  ///
  /// - Parameter change: changes a run; returns `false` if that is not possible.
  /// - Returns: `false` if nothing was changed, because the change is not possible or a past moment is visible.
  func intervene(_ change: @escaping (FirmwareRun) -> Bool) -> Bool {
    // A change such as a reset can take time.
    let position = ExecutionPosition(of: present.machine.core)
    guard window == nil, change(present) else { return false }
    interventions.append(
      ExecutionReplica.Intervention(position: position) { _ = change($0) })
    return true
  }

  /// Makes the present visible.
  func returnToPresent() { window = nil }

  // MARK: The visible moment

  /// `true` if a past moment is visible.
  var isPast: Bool { window != nil }

  private var moment: Moment? { window.map { $0.moments[$0.index] } }

  /// The time of the visible past moment in nanoseconds of the bench clock; `nil` in the present.
  var nanoseconds: UInt64? { moment?.time }

  /// The number of instructions from the visible past moment to the present; `nil` in the present.
  var distance: UInt64? {
    moment.map { present.machine.core.instructions - $0.position.instructions }
  }

  /// Returns a core register by its number; `nil` in the present.
  func register(_ number: Int) -> UInt64? { moment?.registers[number] }

  /// Returns a byte of memory at the visible past moment.
  ///
  /// Registers of peripherals are known only if the replica has not gone beyond the moment.
  func byte(at address: UInt32) -> UInt8? {
    guard let window, let machine = replica?.run.machine else { return nil }
    let ram = machine.volatileMemories
    if let index = ram.firstIndex(where: { address &- $0.base < $0.count }) {
      return window.ram[index][Int(address - ram[index].base)]
    }
    guard window.isLast || machine.memory(at: address) != nil else { return nil }
    return machine.core.readByte(address)
      ?? machine.memory(at: address).map {
        $0.bytes.load(fromByteOffset: Int(address &- $0.base), as: UInt8.self)
      }
  }

  // MARK: Movements

  /// Goes back by one instruction.
  ///
  /// - Returns: where the program is now.
  /// - Throws: `Failure` if the replica cannot be made, or if it differs from the run.
  func stepBack() throws(Failure) -> Outcome {
    if window == nil {
      guard try record(until: ExecutionPosition(of: present.machine.core)) else {
        return .interrupted
      }
      try checkReplica(replica)
    }
    guard let current = window else { return .interrupted }
    if current.index > 0 {
      show(current.index - 1)
      return .moved
    }
    guard !current.isFirst else { return .start }
    guard try record(until: current.moments[0].position) else { return .interrupted }
    guard let earlier = window, earlier.index > 0 else { return .start }
    show(earlier.index - 1)
    return .moved
  }

  /// Goes back to the last moment at which a breakpoint or a watchpoint stops the program, or to the start.
  ///
  /// - Parameters:
  ///   - breakpoints: the addresses of the breakpoints.
  ///   - watched: the watched ranges.
  /// - Returns: where the program is now.
  /// - Throws: `Failure` if the replica cannot be made, or if it differs from the run.
  func goBack(
    to breakpoints: Set<UInt32>, _ watched: Set<Watchpoints.Range>
  ) throws(Failure) -> Outcome {
    let limit = moment?.position ?? ExecutionPosition(of: present.machine.core)
    let search = try start()
    var last: ExecutionReplica.Stop?
    search.setStops(breakpoints, watched)
    while search.position < limit, !search.isStuck {
      guard !isInterrupted() else { return .interrupted }
      let stretch = search.stretch(to: limit)
      guard let stop = search.run(to: stretch), stop.position <= limit else { continue }
      // At the visible moment itself, the program has not yet been stopped by what comes next.
      if stop.watch != nil || stop.position < limit { last = stop }
    }
    search.setStops([], [])
    if window == nil { try checkReplica(search) }
    guard let last else {
      guard try record(until: start().position) else { return .interrupted }
      return .start
    }
    guard try record(until: last.position), let found = window else { return .interrupted }
    guard let watch = last.watch else { return .moved }
    if found.index > 0 { show(found.index - 1) }
    return .watched(address: watch.address, isStore: watch.isStore)
  }

  /// Goes forward by one instruction from a past moment.
  func stepForward() -> Outcome {
    guard let current = window, let replica else { return .present }
    let end = ExecutionPosition(of: present.machine.core)
    if !current.isLast {
      show(current.index + 1)
    } else {
      guard replica.position < end else {
        window = nil
        return .present
      }
      let next = current.moments.count
      while replica.position < end, replica.advance(until: end) {
        extend()
        let count = window?.moments.count ?? 0
        // A sleep belongs to the instruction before it, and ends with the one after it.
        if count > next + 1 || count > next && !replica.run.machine.core.isAsleep { break }
      }
      show(min(next, (window?.moments.count ?? 1) - 1))
    }
    if window?.isLast == true, replica.position >= end { window = nil }
    return .moved
  }

  /// Goes forward from a past moment, to a breakpoint, a watchpoint or the present.
  ///
  /// - Parameters:
  ///   - breakpoints: the addresses of the breakpoints.
  ///   - watched: the watched ranges.
  /// - Returns: where the program is now.
  func goForward(
    to breakpoints: Set<UInt32>, _ watched: Set<Watchpoints.Range>
  ) -> Outcome {
    while let current = window, !current.isLast {
      show(current.index + 1)
      if let hit = storeHit(watched) { return .watched(address: hit, isStore: true) }
      if let moment, breakpoints.contains(moment.programCounter) { return .moved }
    }
    guard let replica, window != nil else { return .present }
    let end = ExecutionPosition(of: present.machine.core)
    if replica.position < end { replica.advance(until: end) }
    replica.setStops(breakpoints, watched)
    defer { replica.setStops([], []) }
    var stop: ExecutionReplica.Stop?
    if breakpoints.contains(replica.run.machine.core.programCounter), replica.position < end {
      stop = ExecutionReplica.Stop(position: replica.position)
    }
    while stop == nil, replica.position < end, !replica.isStuck {
      guard !isInterrupted() else { break }
      stop = replica.run(to: replica.stretch(to: end))
    }
    guard stop != nil || replica.position < end else {
      window = nil
      return breakpoints.contains(present.machine.core.programCounter) ? .moved : .present
    }
    begin()
    return stop?.watch.map { .watched(address: $0.address, isStore: $0.isStore) }
      ?? (stop == nil ? .interrupted : .moved)
  }

  /// The first watched address that the visible moment's changes of RAM touch.
  private func storeHit(_ watched: Set<Watchpoints.Range>) -> UInt32? {
    guard let moment, let machine = replica?.run.machine else { return nil }
    let ram = machine.volatileMemories
    return moment.changes.lazy.map { ram[$0.memory].base + UInt32($0.offset) }
      .first { address in watched.contains { $0.matches(address, 1, isStore: true) } }
  }

  // MARK: Recording

  /// A replica at the start of the run.
  private func start() throws(Failure) -> ExecutionReplica {
    ExecutionReplica(try present.replica(contents), interventions)
  }

  /// Records the moments before a position and makes the last one visible.
  ///
  /// - Returns: `false` if the debugger has interrupted the movement.
  private func record(until end: ExecutionPosition) throws(Failure) -> Bool {
    let mark = try marks.mark(before: end, isInterrupted) { () throws(Failure) in try start() }
    guard let first = mark else { return false }
    let replica = try start()
    while replica.position < first, !replica.isStuck {
      guard !isInterrupted() else { return false }
      _ = replica.run(to: replica.stretch(to: first))
    }
    self.replica = replica
    begin()
    while replica.position < end, replica.advance(until: end) { extend() }
    return true
  }

  /// Begins a window with the replica's state as its only moment.
  private func begin() {
    guard let replica else { return }
    window = Window(
      moments: [moment(of: replica)], isFirst: replica.hasNotBegun, index: 0,
      ram: replica.run.machine.volatileMemories.map(\.content))
  }

  /// Appends the replica's state to the window and makes it visible; the last moment must be visible.
  ///
  /// If no instruction was executed since the last moment, because the core sleeps, the state replaces that moment.
  private func extend() {
    guard let replica, var window, let last = window.moments.last else { return }
    self.window = nil
    var next = moment(of: replica)
    let isSame = next.position.instructions == last.position.instructions
    if isSame { next.changes = last.changes }
    for (index, memory) in replica.run.machine.volatileMemories.enumerated() {
      window.ram[index].update(from: memory) { offset, before, after in
        next.changes.append(
          Change(memory: index, offset: offset, before: before, after: after))
      }
    }
    if isSame { window.moments.removeLast() }
    window.moments.append(next)
    window.index = window.moments.count - 1
    self.window = window
  }

  private func moment(of replica: ExecutionReplica) -> Moment {
    let core = replica.run.machine.core
    return Moment(
      position: replica.position, time: replica.run.machine.clock.nanoseconds,
      programCounter: core.programCounter,
      registers: core.registers.indices.map(core.readRegister))
  }

  /// Makes another moment of the window visible.
  private func show(_ index: Int) {
    guard var window else { return }
    self.window = nil
    while window.index > index {
      for change in window.moments[window.index].changes.reversed() {
        window.ram[change.memory][change.offset] = change.before
      }
      window.index -= 1
    }
    while window.index < index {
      window.index += 1
      for change in window.moments[window.index].changes {
        window.ram[change.memory][change.offset] = change.after
      }
    }
    self.window = window
  }

  /// Compares a replica, which has reached the present, with the run.
  private func checkReplica(_ replica: ExecutionReplica?) throws(Failure) {
    guard let core = replica?.run.machine.core else { return }
    let run = present.machine.core
    let isSame =
      ExecutionPosition(of: core) == ExecutionPosition(of: run)
      && run.registers.indices.map(core.readRegister) == run.registers.indices.map(run.readRegister)
    guard !isSame else { return }
    window = nil
    throw Failure(
      .unavailable,
      "the run cannot be executed backwards, because it does not repeat: something outside has changed it"
    )
  }
}

extension Microcontroller {
  /// The memories of kind RAM, in the order of all memories.
  fileprivate var volatileMemories: [MachineMemory] { memories.filter { $0.kind == .ram } }
}

extension [UInt8] {
  /// Updates a copy of a memory; calls `change` with the offset, the old and the new value of each changed byte.
  fileprivate mutating func update(
    from memory: MachineMemory, _ change: (Int, UInt8, UInt8) -> Void
  ) {
    let new = memory.bytes.assumingMemoryBound(to: UInt8.self)
    var changed: [Int] = []
    withUnsafeBufferPointer { old in
      guard let start = old.baseAddress else { return }
      let piece = 1024
      var offset = 0
      while offset < old.count {
        let length = Swift.min(piece, old.count - offset)
        if memcmp(start + offset, new + offset, length) != 0 { changed.append(offset) }
        offset += length
      }
      changed = changed.flatMap { piece in
        (piece..<Swift.min(piece + 1024, old.count)).filter { old[$0] != new[$0] }
      }
    }
    for offset in changed {
      change(offset, self[offset], new[offset])
      self[offset] = new[offset]
    }
  }
}

/// A moment of an execution, between two instructions or during a sleep.
struct ExecutionPosition: Comparable {
  let cycles, instructions: UInt64

  init(cycles: UInt64, instructions: UInt64) {
    (self.cycles, self.instructions) = (cycles, instructions)
  }

  init(of core: any MachineCore) { (cycles, instructions) = (core.cycles, core.instructions) }

  static func < (left: Self, right: Self) -> Bool {
    (left.cycles, left.instructions) < (right.cycles, right.instructions)
  }
}

/// A second run of a firmware from power-on, without outputs, which repeats what a debugger has changed in the first.
final class ExecutionReplica {
  /// A change that a debugger has made.
  struct Intervention {
    let position: ExecutionPosition
    let change: (FirmwareRun) -> Void
  }

  /// A breakpoint or watchpoint that has stopped the replica.
  struct Stop {
    let position: ExecutionPosition
    var watch: (address: UInt32, isStore: Bool)?
  }

  let run: FirmwareRun
  private let interventions: [Intervention]
  /// The number of interventions that were repeated so far.
  private var repeated = 0
  private var watched: Set<Watchpoints.Range> = []
  private let alarm: EventSchedule.Slot
  private let start: ExecutionPosition

  init(_ run: FirmwareRun, _ interventions: [Intervention]) {
    self.run = run
    self.interventions = interventions
    let schedule = run.machine.schedule
    alarm = schedule.slot { [unowned schedule] _ in schedule.requestStop() }
    start = ExecutionPosition(of: run.machine.core)
    run.begin()
    intervene()
  }

  /// The number of consecutive attempts to run without progress.
  private var idle = 0
  /// `true` if the replica does not go on, although the run did.
  var isStuck: Bool { idle > 1000 }

  var position: ExecutionPosition { ExecutionPosition(of: run.machine.core) }
  /// `true` if the replica has not executed anything.
  var hasNotBegun: Bool { position == start }

  /// Sets the breakpoints and watchpoints that stop the replica, instead of the previous ones.
  func setStops(_ breakpoints: Set<UInt32>, _ watched: Set<Watchpoints.Range>) {
    let machine = run.machine
    for address in machine.breakpoints.addresses { machine.breakpoints.remove(address) }
    for range in self.watched { machine.watchpoints?.remove(range) }
    for address in breakpoints { machine.breakpoints.insert(address) }
    for range in watched { machine.watchpoints?.insert(range) }
    self.watched = watched
  }

  /// Returns the next position at which a run to another one looks for Ctrl-C.
  func stretch(to end: ExecutionPosition) -> ExecutionPosition {
    let next = position.cycles + max(end.cycles / 256, 1 << 14)
    return next < end.cycles ? ExecutionPosition(cycles: next, instructions: 0) : end
  }

  /// Runs to a breakpoint or watchpoint, or to the first instruction at or after the cycle of a position.
  ///
  /// It may return earlier.
  func run(to end: ExecutionPosition) -> Stop? {
    if let next = nextIntervention, next.cycles <= end.cycles {
      // An intervention comes at an exact position.
      let room: UInt64 = 256
      guard next.cycles > room, position.cycles < next.cycles - room else {
        advance(until: next)
        return nil
      }
      return runFreely(to: next.cycles - room)
    }
    return runFreely(to: end.cycles)
  }

  private func runFreely(to cycle: UInt64) -> Stop? {
    let machine = run.machine
    let before = position
    machine.schedule.set(alarm, at: cycle)
    defer {
      machine.schedule.clear(alarm)
      idle = position == before ? idle + 1 : 0
    }
    return take(machine.run(until: run.nextLook))
  }

  /// The number of steps without progress after which a replica is given up.
  ///
  /// A step can also fire an event or perform a reset, which takes no time.
  private static let maxIdleSteps = 16

  /// Executes one instruction, or sleeps until the next event, but not beyond a position.
  ///
  /// - Returns: `false` if the replica is stuck.
  @discardableResult
  func advance(until end: ExecutionPosition) -> Bool {
    let before = position
    return (0..<Self.maxIdleSteps).contains { _ in
      step(until: end)
      return position != before
    }
  }

  private func step(until end: ExecutionPosition) {
    let machine = run.machine
    let isPaused = machine.core.isAsleep || machine.isOff
    if isPaused {
      machine.schedule.set(alarm, at: end.cycles)
    }
    _ = take(machine.step())
    if isPaused { machine.schedule.clear(alarm) }
  }

  private func take(_ stop: MachineStop) -> Stop? {
    defer { intervene() }
    switch stop {
    case .breakpoint: return Stop(position: position)
    case .watchpoint(let address, let isStore)
    where watched.contains(where: { $0.matches(address, 4, isStore: isStore) }):
      _ = run.handle(stop)
      return Stop(position: position, watch: (address, isStore))
    default:
      // The run has not ended before its present, so what would end it comes later.
      _ = run.handle(stop)
      return nil
    }
  }

  private var nextIntervention: ExecutionPosition? {
    interventions.indices.contains(repeated) ? interventions[repeated].position : nil
  }

  /// Repeats the interventions at the current position.
  private func intervene() {
    while let next = nextIntervention, next <= position {
      interventions[repeated].change(run)
      repeated += 1
    }
  }
}

/// Moments of a run at which the recording of a replica can begin.
///
/// They are found by executing the run once more: first at 4,096 moments of the whole run, then, if too many instructions
/// are between two of these, at as many moments between them.
struct ExecutionMarks {
  private var marks: [ExecutionPosition] = []

  /// The number of intervals into which a part of the run is divided.
  private static let parts: UInt64 = 4096
  /// The numbers of instructions from a mark to the moment for which it is used.
  private static let least: UInt64 = 64, most: UInt64 = 1 << 15

  /// Finds a mark before a position.
  ///
  /// - Parameters:
  ///   - position: the position, which the run has reached.
  ///   - isInterrupted: returns whether the debugger interrupts the movement.
  ///   - start: makes a replica at the start of the run.
  /// - Returns: `nil` if the debugger has interrupted the movement, and the start of the run if there is no mark.
  /// - Throws: `Failure` if the replica cannot be made.
  mutating func mark(
    before position: ExecutionPosition, _ isInterrupted: () -> Bool,
    _ start: () throws(Failure) -> ExecutionReplica
  ) throws(Failure) -> ExecutionPosition? {
    let beginning = ExecutionPosition(cycles: 0, instructions: 0)
    var best = last(before: position) ?? beginning
    while position.instructions - best.instructions > Self.most {
      let replica = try start()
      while replica.position < best, !replica.isStuck {
        guard !isInterrupted() else { return nil }
        _ = replica.run(to: replica.stretch(to: best))
      }
      let spacing = max((position.cycles - best.cycles) / Self.parts, 1)
      while replica.position < position, !replica.isStuck {
        guard !isInterrupted() else { return nil }
        let next = replica.position.cycles + spacing
        guard next < position.cycles else { break }
        _ = replica.run(to: ExecutionPosition(cycles: next, instructions: 0))
        if replica.position.cycles >= next { marks.append(replica.position) }
      }
      marks.sort()
      guard let better = last(before: position), better > best else { break }
      best = better
    }
    return best
  }

  /// The last mark with enough instructions before a position.
  private func last(before position: ExecutionPosition) -> ExecutionPosition? {
    marks.last { $0.instructions + Self.least <= position.instructions }
  }
}
