import CInterposer
import Glibc

/// `chmod`, `chown`, `truncate` and `setxattr`.
///
/// Changes to a node are kept in memory; no file with the node's name is created or changed on the host. Files below
/// /sys cannot be changed (EROFS).
extension Supervisor {
  /// Answers `chmod` and `fchmodat`.
  func changeMode(_ call: Call, directory: Int32, path: UInt64, mode: UInt64) -> Answer {
    change(call, directory: directory, path: path) { number in
      changeMode(of: number, mode, call)
    }
  }

  /// Answers `chown` and `lchown`.
  func changeOwner(
    _ call: Call, directory: Int32, path: UInt64, user: UInt64, group: UInt64,
    follows: Bool = true
  ) -> Answer {
    change(call, directory: directory, path: path, follows: follows) { number in
      changeOwner(of: number, user, group, call)
    }
  }

  /// Answers `fchownat`; with an empty path it applies to the descriptor.
  func changeOwnerAt(_ call: Call) -> Answer {
    let flags = call.int(4)
    if isAboutDescriptor(call, flags) {
      return changeDescriptor(call) { changeOwner(of: $0, call[2], call[3], call) }
    }
    return changeOwner(
      call, directory: call.int(0), path: call[1], user: call[2], group: call[3],
      follows: flags & AT_SYMLINK_NOFOLLOW == 0)
  }

  /// Applies a change to an open node; calls on other descriptors pass to the kernel.
  func changeDescriptor(_ call: Call, _ body: (Int) -> Answer) -> Answer {
    if let device = device(call.int(0), call) { return body(device.bus.number) }
    return openEntry(call.int(0), call) == nil ? .pass : .failure(EROFS)
  }

  func changeMode(of number: Int, _ mode: UInt64, _ call: Call) -> Answer {
    let client = identity(of: call)
    guard let node = nodes[number], client.user == node.user || client.may(.actAsOwner) else {
      return .failure(EPERM)
    }
    nodes[number]?.mode = UInt32(truncatingIfNeeded: mode) & 0o7777
    return changed(number)
  }

  func changeOwner(of number: Int, _ user: UInt64, _ group: UInt64, _ call: Call) -> Answer {
    let client = identity(of: call)
    guard let node = nodes[number] else { return .failure(EPERM) }
    let (user, group) = (UInt32(truncatingIfNeeded: user), UInt32(truncatingIfNeeded: group))
    let keeps = UInt32.max
    if !client.may(.changeOwner) {
      let isOwner = client.user == node.user
      guard user == keeps || (isOwner && user == node.user),
        group == keeps || (isOwner && (group == node.group || client.isIn(group: group)))
      else { return .failure(EPERM) }
    }
    guard user != keeps || group != keeps else { return .value(0) }
    if user != keeps { nodes[number]?.user = user }
    if group != keeps { nodes[number]?.group = group }
    return changed(number)
  }

  private func changed(_ number: Int) -> Answer {
    nodes[number]?.hasRestrictedAccess = true
    nodes[number]?.times.changed = interposer_realtime()
    return .value(0)
  }

  /// Answers `truncate`, which fails with EINVAL on a device.
  func truncate(_ call: Call) -> Answer {
    if Int64(bitPattern: call[1]) < 0 { return .failure(EINVAL) }
    return withEntry(call, directory: AT_FDCWD, path: call[0], follows: true) { _, entry in
      switch entry {
      case .device: .failure(EINVAL)
      case .folder: .failure(EISDIR)
      case .file, .link: .failure(EROFS)
      }
    }
  }

  /// Answers `setxattr` and `removexattr`: EPERM for `user.` attributes of a device and for unprivileged callers,
  /// otherwise EOPNOTSUPP.
  func changeAttributes(_ call: Call, follows: Bool) -> Answer {
    change(call, directory: AT_FDCWD, path: call[0], follows: follows) { _ in
      let name = ProcessMemory(of: call, listener).path(call[1]) ?? []
      let isUsers = name.starts(with: Array("user.".utf8))
      return .failure(isUsers || !identity(of: call).may(.administer) ? EPERM : EOPNOTSUPP)
    }
  }

  /// Applies a change to a node; other synthetic files return EROFS.
  func change(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool = true, _ body: (Int) -> Answer
  ) -> Answer {
    withEntry(call, directory: directory, path: path, follows: follows) { _, entry in
      if case .device(let number) = entry { return body(number) }
      return .failure(EROFS)
    }
  }
}

/// `utime`, `utimes`, `futimesat` and `utimensat`, which differ in their time formats.
extension Supervisor {
  /// The format of the two times of a call.
  enum TimeFormat {
    /// Seconds only.
    case seconds
    /// Seconds and microseconds.
    case microseconds
    /// Seconds and nanoseconds, with UTIME_NOW and UTIME_OMIT.
    case nanoseconds
  }

  /// Answers `utime`, `utimes` and `futimesat`.
  func changeTimes(
    _ call: Call, directory: Int32, path: UInt64, times: UInt64, _ format: TimeFormat
  ) -> Answer {
    change(call, directory: directory, path: path) { changeTimes(of: $0, times, format, call) }
  }

  /// Answers `utimensat`; without a path it applies to the descriptor.
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
    of number: Int, _ address: UInt64, _ format: TimeFormat, _ call: Call
  ) -> Answer {
    guard var node = nodes[number] else { return .failure(EPERM) }
    let (client, now) = (identity(of: call), interposer_realtime())
    let isOwner = client.user == node.user || client.may(.actAsOwner)
    if address == 0 {
      guard isOwner || node.allows(2, client) else { return .failure(EACCES) }
      (node.times.read, node.times.written) = (now, now)
    } else {
      guard isOwner else { return .failure(EPERM) }
      guard let times = times(at: address, format, now, call) else { return .failure(EFAULT) }
      for time in times where time.isWrong { return .failure(EINVAL) }
      node.times.read = times[0].value ?? node.times.read
      node.times.written = times[1].value ?? node.times.written
    }
    node.times.changed = now
    nodes[number] = node
    return .value(0)
  }

  private struct SetTime {
    /// The new time in nanoseconds since 1970; `nil` leaves it unchanged.
    var value: Int64?
    var isWrong = false
  }

  private func times(
    at address: UInt64, _ format: TimeFormat, _ now: Int64, _ call: Call
  ) -> [SetTime]? {
    let memory = ProcessMemory(of: call, listener)
    let size: UInt64 = format == .seconds ? 8 : 16
    var times: [SetTime] = []
    for index in 0..<2 as Range<UInt64> {
      guard let seconds = memory.word(address &+ index * size) else { return nil }
      var part: Int64 = 0
      if format != .seconds {
        guard let word = memory.word(address &+ index * size &+ 8) else { return nil }
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
