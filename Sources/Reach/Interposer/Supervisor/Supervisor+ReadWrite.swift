import CInterposer
import Glibc
import I2C

/// `ioctl`, `read` and `write`: calls that cause a bus transfer.
extension Supervisor {
  enum Direction { case read, write }

  /// Answers `ioctl` with a request of i2c-dev.
  func control(_ call: Call) -> Answer {
    guard let device = device(call.int(0), call) else { return .pass }
    let request = UInt32(truncatingIfNeeded: call[1])
    guard request & ~0xFF == 0x0700 else { return rejectRequest(request) }
    if device.isPathOnly { return .failure(EBADF) }
    return perform(call, device) { memory throws(I2CErrno) in
      try device.file.ioctl(request, call[2], memory)
    }
  }

  /// Answers `read` and `write`; file offsets are ignored.
  func transfer(_ call: Call, _ direction: Direction) -> Answer {
    guard let device = device(call.int(0), call) else { return rejectTransfer(call) }
    guard device.allows(direction) else { return .failure(EBADF) }
    guard call[2] <= UInt64(Int64.max) else { return .failure(EINVAL) }
    return perform(call, device) { memory throws(I2CErrno) in
      try device.transfer(direction, call[2], call[1], memory)
    }
  }

  /// The error for a read or write on a synthetic directory or link.
  private func rejectTransfer(_ call: Call) -> Answer {
    guard let open = openEntry(call.int(0), call) else { return .pass }
    if case .folder = open.entry { return .failure(EISDIR) }
    return .failure(EBADF)
  }

  /// Answers `readv` and `writev` with one transfer per buffer, as Linux does for a driver without vectored I/O.
  func transferMany(_ call: Call, _ direction: Direction) -> Answer {
    guard let device = device(call.int(0), call) else { return rejectTransfer(call) }
    guard device.allows(direction) else { return .failure(EBADF) }
    guard call[2] <= 1024 else { return .failure(EINVAL) }
    return perform(call, device) { memory throws(I2CErrno) in
      var total = 0
      for index in 0..<call[2] {
        guard let base = memory.word(call[1] &+ index * 16),
          let count = memory.word(call[1] &+ index * 16 &+ 8)
        else { throw .efault }
        do throws(I2CErrno) {
          let done = try device.transfer(direction, count, base, memory)
          total += done
          if UInt64(done) < count { break }
        } catch {
          guard total > 0 else { throw error }
          break
        }
      }
      return total
    }
  }

  /// Performs a call and answers it, on the bus's own thread if the bus is slow.
  private func perform(
    _ call: Call, _ device: OpenDevice,
    _ body: @escaping (ProcessMemory) throws(I2CErrno) -> Int
  ) -> Answer {
    if device.bus.isSlow {
      let listener = listener
      device.worker.perform { listener.answer(call.id, Self.outcome(of: body, call, listener)) }
      return .elsewhere
    }
    let answer = Self.outcome(of: body, call, listener)
    // The caller blocks while the bits are on the wire, as with hardware.
    guard let moment = device.bus.freeMoment?(), moment > DelayedAnswers.now else { return answer }
    delayedAnswers.delay(answer, for: call.id, until: moment)
    return .elsewhere
  }

  private static func outcome(
    of body: (ProcessMemory) throws(I2CErrno) -> Int, _ call: Call, _ listener: Listener
  ) -> Answer {
    do throws(I2CErrno) {
      return .value(Int64(try body(ProcessMemory(of: call, listener))))
    } catch {
      return .failure(error.rawValue)
    }
  }
}

/// Calls that i2c-dev does not support, each with the errno that Linux returns.
///
/// i2c-dev is a character device without file positions, memory mapping, stored data or readiness.
extension Supervisor {
  /// Answers a call on a node with an errno; with errno 0 the call succeeds without effect.
  func reject(_ call: Call, _ errno: Int32) -> Answer {
    guard case .descriptor(let arguments) = call.system.interest,
      arguments.contains(where: { device(call.int($0), call) != nil })
    else { return .pass }
    return errno == 0 ? .value(0) : .failure(errno)
  }

  /// Answers an `ioctl` request that is not one of i2c-dev's.
  ///
  /// Requests that all files support pass to the kernel; all others return ENOTTY.
  func rejectRequest(_ request: UInt32) -> Answer {
    // FIONCLEX, FIOCLEX, FIONBIO, FIOASYNC, FIGETBSZ
    [0x5450, 0x5451, 0x5421, 0x5452, 2].contains(request) ? .pass : .failure(ENOTTY)
  }

  /// Answers `io_submit`, which Linux rejects for drivers that read and write only a single buffer.
  ///
  /// The request structures are in the caller's memory, with the descriptor at byte 20.
  func submit(_ call: Call) -> Answer {
    guard !slots.devices.isEmpty else { return .pass }
    let memory = ProcessMemory(of: call, listener)
    for index in 0..<min(call[1], 1024) {
      guard let address = memory.word(call[2] &+ 8 * index),
        let descriptor = memory.bytes(address &+ 20, count: 4)
      else { return .pass }
      let number = descriptor.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      if device(Int32(bitPattern: number), call) != nil { return .failure(EINVAL) }
    }
    return .pass
  }

  /// Handles `mount` by reporting an attempt to mount a node elsewhere, which is impossible.
  func mount(_ call: Call) -> Answer {
    if isRelativeInSyntheticDirectory(call) { return .failure(ENOENT) }
    guard let text = find(call, directory: AT_FDCWD, path: call[0])?.text,
      let name = text.split(separator: "/").last, name.hasPrefix("i2c-"),
      let number = Int(name.dropFirst(4)), buses[number] != nil
    else { return .pass }
    report(
      "\(ProgramName.of(call.thread)) tried to mount /dev/i2c-\(number) (for example bwrap --dev-bind), which does not "
        + "exist as a file; omit the mount: programs find the node without it", about: -5)
    return .pass
  }
}
