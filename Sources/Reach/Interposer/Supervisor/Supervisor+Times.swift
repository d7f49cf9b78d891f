import CInterposer
import Glibc

/// Setting the times of nodes: `utime` and its kin, which differ in how they write a time.
extension Supervisor {
  /// How a call writes its two times.
  enum TimeFormat {
    /// Seconds alone.
    case seconds
    /// Seconds and microseconds.
    case microseconds
    /// Seconds and nanoseconds, with words for now and for none.
    case nanoseconds
  }

  /// `utime`, `utimes`, `futimesat`.
  func changeTimes(
    _ call: Call, directory: Int32, path: UInt64, times: UInt64, _ format: TimeFormat
  ) -> Answer {
    change(call, directory: directory, path: path) { changeTimes(of: $0, times, format, call) }
  }

  /// `utimensat`: without a path it is about the descriptor.
  func changeTimesAt(_ call: Call) -> Answer {
    if call[1] == 0 || isAboutDescriptor(call, call.int(3)) {
      return changeDescriptor(call) { changeTimes(of: $0, call[2], .nanoseconds, call) }
    }
    return change(
      call, directory: call.int(0), path: call[1],
      follows: call.int(3) & AT_SYMLINK_NOFOLLOW == 0
    ) { changeTimes(of: $0, call[2], .nanoseconds, call) }
  }

  private func changeTimes(
    of number: Int, _ place: UInt64, _ format: TimeFormat, _ call: Call
  ) -> Answer {
    guard var node = nodes[number] else { return .failure(EPERM) }
    let (client, now) = (identity(of: call), interposer_moment())
    let isOwner = client.user == node.user || client.may(.actAsOwner)
    if place == 0 {
      guard isOwner || node.allows(2, client) else { return .failure(EACCES) }
      (node.times.read, node.times.written) = (now, now)
    } else {
      guard isOwner else { return .failure(EPERM) }
      guard let times = times(at: place, format, now, call) else { return .failure(EFAULT) }
      for time in times where time.isWrong { return .failure(EINVAL) }
      node.times.read = times[0].value ?? node.times.read
      node.times.written = times[1].value ?? node.times.written
    }
    node.times.changed = now
    nodes[number] = node
    return .value(0)
  }

  private struct SetTime {
    /// Nothing where the time shall stay.
    var value: Int64?
    var isWrong = false
  }

  private func times(
    at place: UInt64, _ format: TimeFormat, _ now: Int64, _ call: Call
  ) -> [SetTime]? {
    let memory = ProcessMemory(of: call, listener)
    let size: UInt64 = format == .seconds ? 8 : 16
    var times: [SetTime] = []
    for index in 0..<2 as Range<UInt64> {
      guard let seconds = memory.word(place &+ index * size) else { return nil }
      var part: Int64 = 0
      if format != .seconds {
        guard let word = memory.word(place &+ index * size &+ 8) else { return nil }
        part = Int64(bitPattern: word)
      }
      times.append(Self.time(Int64(bitPattern: seconds), part, format, now))
    }
    return times
  }

  private static func time(
    _ seconds: Int64, _ part: Int64, _ format: TimeFormat, _ now: Int64
  ) -> SetTime {
    // UTIME_NOW and UTIME_OMIT.
    if format == .nanoseconds, part == 0x3FFF_FFFF { return SetTime(value: now) }
    if format == .nanoseconds, part == 0x3FFF_FFFE { return SetTime() }
    let units: Int64 = format == .microseconds ? 1_000_000 : 1_000_000_000
    guard (0..<units).contains(part) else { return SetTime(isWrong: true) }
    let bounded = min(max(seconds, -9_000_000_000), 9_000_000_000)
    return SetTime(value: bounded * 1_000_000_000 + part * (1_000_000_000 / units))
  }
}
