import CInterposer
import Glibc

/// `poll`, `select` and `epoll_wait` with a timeout in virtual time.
///
/// The timeout starts only if a non-blocking check finds nothing ready.
extension Supervisor {
  /// Answers `poll` and `ppoll`.
  func pollDescriptors(_ call: Call) -> Answer {
    let count = Int(min(call[1], 4096))
    let isPoll = call.system == .poll
    let limit =
      isPoll
      ? UInt64(UInt32(truncatingIfNeeded: call[2])) * 1_000_000 : nanoseconds(at: call[2], call)
    let memory = ProcessMemory(of: call, listener)
    guard let limit, let items = memory.bytes(call[0], count: count * 8) else { return .pass }
    return wait(
      call, limit, rest: isPoll ? nil : RemainingTime(address: call[2], unit: 1),
      mask: isPoll ? nil : mask(at: call[3], call), descriptors: Self.descriptors(in: items)
    ) { [listener] in
      var seen = items
      let ready = interposer_poll(call.thread, &seen, UInt32(count))
      guard ready > 0 else { return nil }
      let isGiven = ProcessMemory(of: call, listener).write(seen, to: call[0])
      return isGiven ? .value(Int64(ready)) : .failure(EFAULT)
    } end: {
      .value(0)
    }
  }

  /// Answers `select` and `pselect6`.
  func selectDescriptors(_ call: Call) -> Answer {
    let unit: UInt64 = call.system == .select ? 1000 : 1
    let limit = nanoseconds(at: call[4], call, unit: unit)
    guard let limit, let sets = DescriptorSets(call, listener) else { return .pass }
    // The sixth argument of pselect6 points to a pointer to the signal mask.
    let address =
      call.system == .pselect6 && call[5] != 0
      ? ProcessMemory(of: call, listener).word(call[5]) ?? 0 : 0
    return wait(
      call, limit, rest: RemainingTime(address: call[4], unit: unit), mask: mask(at: address, call),
      descriptors: sets.items.map(\.fd).filter { $0 >= 0 }
    ) {
      var items = sets.items
      guard interposer_poll(call.thread, &items, UInt32(items.count)) > 0 else { return nil }
      return sets.answer(items)
    } end: {
      sets.answer([])
    }
  }

  /// Answers `epoll_wait`, `epoll_pwait` and `epoll_pwait2`.
  func epollWait(_ call: Call) -> Answer {
    let limit =
      call.system == .epollPwait2
      ? nanoseconds(at: call[3], call) : UInt64(UInt32(truncatingIfNeeded: call[3])) * 1_000_000
    let capacity = Int(min(call[2], 1024))
    guard let limit, capacity > 0 else { return .pass }
    let address = call.system == .epollWait ? 0 : call[4]
    return wait(call, limit, mask: mask(at: address, call), descriptors: [call.int(0)]) {
      [listener] in
      let size = interposer_epoll_event_size()
      var events = [UInt8](repeating: 0, count: capacity * size)
      let ready = interposer_poll_epoll(call.thread, call.int(0), &events, Int32(capacity))
      guard ready != 0 else { return nil }
      guard ready > 0 else { return .failure(-ready) }
      let isGiven = ProcessMemory(of: call, listener)
        .write(Array(events.prefix(Int(ready) * size)), to: call[1])
      return isGiven ? .value(Int64(ready)) : .failure(EFAULT)
    } end: {
      .value(0)
    }
  }

  // MARK: Common parts

  /// The address to which the remaining time is written, and the unit of its fractional part in
  /// nanoseconds.
  private struct RemainingTime {
    let address: UInt64
    let unit: UInt64
  }

  /// The signal mask during the wait; `nil` if the call does not change it.
  private func mask(at address: UInt64, _ call: Call) -> UInt64? {
    address == 0 ? nil : ProcessMemory(of: call, listener).word(address)
  }

  /// The descriptors of an array of `struct pollfd`, 8 bytes each.
  private static func descriptors(in items: [UInt8]) -> [Int32] {
    stride(from: 0, to: items.count, by: 8).compactMap { offset in
      let number = items[offset..<offset + 4].reversed().reduce(0 as UInt32) {
        $0 << 8 | UInt32($1)
      }
      return number < 0x8000_0000 ? Int32(number) : nil
    }
  }

  private func wait(
    _ call: Call, _ limit: UInt64, rest: RemainingTime? = nil, mask: UInt64?, descriptors: [Int32],
    _ check: @escaping () -> Answer?, end: @escaping () -> Answer
  ) -> Answer {
    // A call with a timeout of 0 does not block; the kernel answers it.
    guard let scheduler, limit > 0 else { return .pass }
    let deadline = scheduler.moment(after: limit, call)
    func withRemainingTime(_ answer: Answer) -> Answer {
      guard let rest else { return answer }
      let now = scheduler.now(of: call)
      let left = deadline > now ? deadline - now : 0
      _ = tryWrite(
        [left / Self.second, left % Self.second / rest.unit], to: rest.address, call)
      return answer
    }
    var wait = Wait(
      call: call, deadline: deadline, end: { withRemainingTime(end()) },
      check: { check().map(withRemainingTime) },
      interruption: { withRemainingTime(.failure(EINTR)) }, mask: mask)
    wait.descriptors = descriptors
    return scheduler.block(wait)
  }
}
