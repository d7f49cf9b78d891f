import CInterposer
import Glibc

/// Clocks and sleeps, where time is virtual.
extension Supervisor {
  private static let second: UInt64 = 1_000_000_000

  /// `execve`: the program must not find a way to the machine's clock beside system calls.
  func followExecution(_ call: Call) -> Answer {
    if interposer_follow(call.thread) != 0 {
      tell(
        "a program is traced by another one, so that its clock cannot be taken over: what it reads is "
          + "the machine's time, and sleeps until a moment of that clock last as long as there",
        about: -2)
    }
    return .pass
  }

  func tellTime(_ call: Call) -> Answer {
    guard let time = waitingRoom?.time else { return .pass }
    time.chargeReading()
    guard let reading = time.reading(of: call.int(0)) else { return .pass }
    return write(reading / Self.second, reading % Self.second, to: call[1], call)
  }

  func tellTimeOfDay(_ call: Call) -> Answer {
    guard let time = waitingRoom?.time, call[0] != 0, call[1] == 0 else { return .pass }
    time.chargeReading()
    let reading = time.reading(of: CLOCK_REALTIME) ?? 0
    return write(reading / Self.second, reading % Self.second / 1000, to: call[0], call)
  }

  /// `time`, which some C libraries still call.
  func tellSeconds(_ call: Call) -> Answer {
    guard let time = waitingRoom?.time else { return .pass }
    time.chargeReading()
    let seconds = (time.reading(of: CLOCK_REALTIME) ?? 0) / Self.second
    guard call[0] == 0 || ProcessMemory(of: call, listener).write(bytes(seconds), to: call[0])
    else { return .failure(EFAULT) }
    return .value(Int64(seconds))
  }

  /// `nanosleep`: for a length of time.
  func sleep(_ call: Call, for place: UInt64) -> Answer {
    guard let time = waitingRoom?.time, let length = nanoseconds(at: place, call) else {
      return .pass
    }
    return wait(call, until: time.now &+ length)
  }

  /// `clock_nanosleep`: for a length of time, or until a clock shows one.
  func sleepOnClock(_ call: Call) -> Answer {
    guard let time = waitingRoom?.time, let length = nanoseconds(at: call[2], call),
      let absolute = time.moment(at: length, on: call.int(0))
    else { return .pass }
    return wait(call, until: call.int(1) & TIMER_ABSTIME != 0 ? absolute : time.now &+ length)
  }

  private func wait(_ call: Call, until deadline: UInt64) -> Answer {
    waitingRoom?.take(WaitingRoom.Wait(call: call, deadline: deadline, end: .value(0))) ?? .pass
  }

  // MARK: Structures

  /// The length of a `struct timespec`, or of a `struct timeval` with its microseconds; nothing where
  /// the kernel would refuse it, or nobody lives to see its end.
  func nanoseconds(at place: UInt64, _ call: Call, unit: UInt64 = 1) -> UInt64? {
    let memory = ProcessMemory(of: call, listener)
    guard let seconds = memory.word(place), let rest = memory.word(place &+ 8),
      seconds < 4_000_000_000, rest < Self.second / unit
    else { return nil }
    return seconds * Self.second + rest * unit
  }

  private func write(_ first: UInt64, _ second: UInt64, to place: UInt64, _ call: Call) -> Answer {
    let isWritten = ProcessMemory(of: call, listener).write(bytes(first) + bytes(second), to: place)
    return isWritten ? .value(0) : .failure(EFAULT)
  }

  private func bytes(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
