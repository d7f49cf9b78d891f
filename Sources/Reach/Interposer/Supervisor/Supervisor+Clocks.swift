import CInterposer
import Glibc

/// Clocks and sleeps in virtual time.
extension Supervisor {
  static let second: UInt64 = 1_000_000_000

  func clockGettime(_ call: Call) -> Answer {
    guard let reading = scheduler?.reading(of: call.int(0), call) else { return .pass }
    return write([reading / Self.second, reading % Self.second], to: call[1], call)
  }

  func gettimeofday(_ call: Call) -> Answer {
    guard call[0] != 0, call[1] == 0, let reading = scheduler?.reading(of: CLOCK_REALTIME, call)
    else { return .pass }
    return write([reading / Self.second, reading % Self.second / 1000], to: call[0], call)
  }

  /// Answers `time`, which some C libraries still use.
  func readSeconds(_ call: Call) -> Answer {
    guard let reading = scheduler?.reading(of: CLOCK_REALTIME, call)
    else { return .pass }
    let seconds = reading / Self.second
    guard call[0] == 0 || tryWrite([seconds], to: call[0], call) else { return .failure(EFAULT) }
    return .value(Int64(seconds))
  }

  // MARK: Sleeps

  /// Answers `nanosleep`.
  func sleep(_ call: Call) -> Answer {
    guard let scheduler, let length = nanoseconds(at: call[0], call) else {
      return .pass
    }
    return sleep(call, until: scheduler.moment(after: length, call), rest: call[1])
  }

  /// Answers `clock_nanosleep`, relative or absolute.
  func clockNanosleep(_ call: Call) -> Answer {
    // The raw and the coarse clocks do not support sleeps; the kernel returns the error.
    guard ![4, 5, 6].contains(call.int(0)), let scheduler,
      let length = nanoseconds(at: call[2], call),
      let absolute = scheduler.time.moment(at: length, on: call.int(0))
    else { return .pass }
    return call.int(1) & TIMER_ABSTIME != 0
      ? sleep(call, until: absolute, rest: 0)
      : sleep(call, until: scheduler.moment(after: length, call), rest: call[3])
  }

  /// The shortest sleep in nanoseconds: the default timer slack of Linux (prctl(2), PR_SET_TIMERSLACK).
  private static let shortestSleep: UInt64 = 50_000

  /// Blocks a thread until `moment`; if a signal interrupts the sleep, the remaining time is written to the caller's
  /// memory.
  private func sleep(_ call: Call, until moment: UInt64, rest address: UInt64) -> Answer {
    guard let scheduler else { return .pass }
    // A sleep of zero length is common in polling loops and must let time pass.
    let deadline = max(moment, scheduler.moment(after: Self.shortestSleep, call))
    let interruption = { [unowned self, unowned scheduler] in
      if address != 0 {
        let now = scheduler.now(of: call)
        let rest = deadline > now ? deadline - now : 0
        _ = tryWrite([rest / Self.second, rest % Self.second], to: address, call)
      }
      return Answer.failure(EINTR)
    }
    return scheduler.block(
      Wait(call: call, deadline: deadline, end: { .value(0) }, interruption: interruption))
  }

  // MARK: Structures

  /// Reads a `struct timespec`, or a `struct timeval` with a `unit` of 1000 ns, as nanoseconds.
  ///
  /// - Returns: the nanoseconds; `nil` if the structure is unreadable, if the kernel would reject it, or if the time is
  ///   longer than 146 years.
  func nanoseconds(at address: UInt64, _ call: Call, unit: UInt64 = 1) -> UInt64? {
    let memory = ProcessMemory(of: call, listener)
    guard let seconds = memory.word(address), let rest = memory.word(address &+ 8) else {
      return nil
    }
    return Self.nanoseconds(seconds, rest, unit: unit)
  }

  /// Converts seconds and a fraction to nanoseconds; returns `nil` if the kernel would reject them.
  static func nanoseconds(_ seconds: UInt64, _ rest: UInt64, unit: UInt64 = 1) -> UInt64? {
    guard seconds < VirtualTime.end / second, rest < second / unit else { return nil }
    return seconds * second + rest * unit
  }

  /// Writes words to the caller's memory and returns 0 or EFAULT.
  func write(_ words: [UInt64], to address: UInt64, _ call: Call) -> Answer {
    tryWrite(words, to: address, call) ? .value(0) : .failure(EFAULT)
  }

  /// Writes words to the caller's memory.
  ///
  /// - Returns: `true` if all could be written.
  func tryWrite(_ words: [UInt64], to address: UInt64, _ call: Call) -> Bool {
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    return ProcessMemory(of: call, listener).write(bytes, to: address)
  }

  /// Reports a stall, and terminates the programs if they wait only for each other.
  func report(_ finding: StallDetector.Finding) {
    guard let time = scheduler?.time else { return }
    let limit = "\(Double(time.stallTimeout ?? 0) / 1e9) s"
    switch finding {
    case .work(let thread):
      report(
        "virtual time has not advanced for \(limit): \(ProgramName.of(thread)) is running "
          + "without waiting or reading a clock",
        .standstill)
    case .forEver(let sleeps):
      report(
        "the programs are terminated: all of them have waited for each other for \(limit), and no event is due: "
          + sleeps.joined(separator: "; "), .standstill)
      lifetime.endStalled()
    }
  }
}
