import Images
import Machines

/// Loops in which a program goes round.
extension StandstillReport {
  /// Whether the core goes round in a loop that does nothing: branches, hints and no-operations alone.
  var standsStill: Bool {
    var seen: Set<UInt32> = []
    for _ in 0..<16 {
      let address = core.programCounter
      guard !core.isAsleep, doesNothing(address) else { return false }
      if !seen.insert(address).inserted { return true }
      _ = bench.machine.step()
    }
    return false
  }

  /// Whether an instruction is a branch without a condition, or a hint.
  func doesNothing(_ address: UInt32) -> Bool {
    guard let low = core.readByte(address), let high = core.readByte(address &+ 1) else {
      return false
    }
    let code = UInt16(high) << 8 | UInt16(low)
    return code & 0xF800 == 0xE000 || code & 0xFF0F == 0xBF00
  }

  /// The register that is not modelled and that the loop in which the program goes round uses; `nil` if it uses none.
  func unmodelledPoll() -> RegisterAccess? {
    guard !core.isAsleep else { return nil }
    let ledger = bench.machine.untouched
    let count = ledger.total
    for _ in 0..<256 where ledger.total == count { _ = bench.machine.step() }
    return ledger.total == count ? nil : ledger.last
  }

  /// What there is to say of a program that sleeps as those do that switch themselves off so.
  var switchedOff: String? {
    guard bench.machine.lastSleep == .off else { return nil }
    return
      "it has switched itself off: it sleeps with interrupts off, and only a reset will wake it; "
      + "at \(here)"
  }

  /// What is wrong with a program that goes round in a loop with its interrupts off, at the end of its time.
  ///
  /// A loop of branches alone is endless. Any other one may be a delay: it is watched for another second, and is told
  /// where the program never leaves it. On a core that begins with its interrupts off such a loop may be no mistake.
  func stuck() -> (words: [String], isMistake: Bool)? {
    if bench.machine.lastSleep == .stuck {
      return (failure("asleep with interrupts off, and nothing that is enabled will wake it"), true)
    }
    guard !core.isAsleep, core.areInterruptsOff else { return nil }
    var addresses: Set<UInt32> = []
    let (entry, place) = (core.programCounter, here)
    let time = bench.machine.clock.nanoseconds
    for _ in 0..<2000 {
      addresses.insert(core.programCounter)
      guard addresses.count <= 32 else { return nil }
      _ = bench.machine.step()
      if core.isAsleep || !core.areInterruptsOff { return nil }
    }
    if core.architecture == .arm, addresses.allSatisfy(doesNothing) {
      return (failure("an endless loop with interrupts off", at: place, time: time), true)
    }
    guard isInside(addresses, for: 1_000_000_000) else { return nil }
    var what = "a loop with interrupts off, which did not end within another second either"
    if let library = core.libraryEnding, symbols.function(at: entry)?.name == library.symbol {
      what =
        "main has returned: the loop with interrupts off in which \(library.name) ends a program"
    } else if core.beginsWithInterruptsOff, addresses.count > 1 {
      let note = failure("\(what) (a wait, a delay, or a loop without end)", at: place, time: time)
      return (Array(note.prefix(1)), false)
    }
    return (failure(what, at: place, time: time), true)
  }

  /// Whether a program that runs on stays in a loop: it meets no instruction near it that is not the loop's, and does not
  /// return from it.
  private func isInside(_ loop: Set<UInt32>, for time: UInt64) -> Bool {
    let machine = bench.machine
    var exits: Set<UInt32> = []
    for address in loop {
      for place in stride(from: max(address, 256) - 256, through: address &+ 256, by: 2) {
        exits.insert(place)
      }
    }
    if core.architecture == .arm { exits.insert(UInt32(core.readRegister(14)) & ~1) }
    exits.subtract(loop)
    exits.subtract(machine.breakpoints.addresses)
    exits.forEach(machine.breakpoints.insert)
    defer { exits.forEach(machine.breakpoints.remove) }
    let end = machine.clock.nanoseconds &+ time
    while true {
      switch machine.run(until: end) {
      case .reached: return core.areInterruptsOff && !core.isAsleep
      case .watchpoint: continue
      default: return false
      }
    }
  }
}
