import Glibc
import I2C

/// Calls that reach a bus: they are done where the bus is, and answered from there.
extension Supervisor {
  enum Direction { case read, write }

  /// `ioctl` with a request of i2c-dev.
  func control(_ call: Call) -> Answer {
    guard let device = device(call.int(0), call) else { return .pass }
    let request = UInt32(truncatingIfNeeded: call[1])
    guard request & ~0xFF == 0x0700 else { return refuseRequest(request) }
    if device.isPathOnly { return .failure(EBADF) }
    return perform(call, device) { memory throws(I2CErrno) in
      try device.file.ioctl(request, call[2], memory)
    }
  }

  /// `read` and `write`; positions mean nothing to a bus.
  func transfer(_ call: Call, _ direction: Direction) -> Answer {
    guard let device = device(call.int(0), call) else { return dataOfPlace(call) }
    guard device.allows(direction) else { return .failure(EBADF) }
    guard call[2] <= UInt64(Int64.max) else { return .failure(EINVAL) }
    return perform(call, device) { memory throws(I2CErrno) in
      try device.transfer(direction, call[2], call[1], memory)
    }
  }

  /// The answer to a read or write of what has no data.
  private func dataOfPlace(_ call: Call) -> Answer {
    guard let place = openPlace(call.int(0), call) else { return .pass }
    if case .folder = place.entry { return .failure(EISDIR) }
    return .failure(EBADF)
  }

  /// `readv` and `writev`: a transfer for each piece, as for every driver without vectors.
  func transferMany(_ call: Call, _ direction: Direction) -> Answer {
    guard let device = device(call.int(0), call) else { return dataOfPlace(call) }
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

  /// Does a call on the thread of its bus and answers it from there.
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
    // Hardware keeps its caller waiting while the bits are on the wire.
    guard let moment = device.bus.freeMoment?(), moment > HeldAnswers.now else { return answer }
    held.hold(answer, for: call.id, until: moment)
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
