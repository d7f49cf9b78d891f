import CInterposer
import Glibc

/// Waits with a limit for something else than time, where time is virtual: the limit counts only after
/// a look, without waiting, has found nothing.
extension Supervisor {
  /// `poll` and `ppoll`.
  func waitForDescriptors(_ call: Call) -> Answer {
    let count = Int(min(call[1], 4096))
    let isPoll = call.system == .poll
    let limit =
      isPoll
      ? UInt64(UInt32(truncatingIfNeeded: call[2])) * 1_000_000 : nanoseconds(at: call[2], call)
    let memory = ProcessMemory(of: call, listener)
    guard let limit, let items = memory.bytes(call[0], count: count * 8) else { return .pass }
    return wait(
      call, limit, rest: isPoll ? nil : Rest(place: call[2], unit: 1),
      mask: isPoll ? nil : mask(at: call[3], call), descriptors: Self.descriptors(in: items)
    ) { [listener] in
      var seen = items
      let ready = interposer_look(call.thread, &seen, UInt32(count))
      guard ready > 0 else { return nil }
      let isGiven = ProcessMemory(of: call, listener).write(seen, to: call[0])
      return isGiven ? .value(Int64(ready)) : .failure(EFAULT)
    } end: {
      .value(0)
    }
  }

  /// `select` and `pselect6`.
  func waitForSets(_ call: Call) -> Answer {
    let unit: UInt64 = call.system == .select ? 1000 : 1
    let limit = nanoseconds(at: call[4], call, unit: unit)
    guard let limit, let sets = DescriptorSets(call, listener) else { return .pass }
    // The sixth argument of pselect6 points to the pointer to the mask.
    let place =
      call.system == .pselect6 && call[5] != 0
      ? ProcessMemory(of: call, listener).word(call[5]) ?? 0 : 0
    return wait(
      call, limit, rest: Rest(place: call[4], unit: unit), mask: mask(at: place, call),
      descriptors: sets.items.map(\.fd).filter { $0 >= 0 }
    ) {
      var items = sets.items
      guard interposer_look(call.thread, &items, UInt32(items.count)) > 0 else { return nil }
      return sets.answer(items)
    } end: {
      sets.answer([])
    }
  }

  /// `epoll_wait` and its kin.
  func waitForEpoll(_ call: Call) -> Answer {
    let limit =
      call.system == .epollPwait2
      ? nanoseconds(at: call[3], call) : UInt64(UInt32(truncatingIfNeeded: call[3])) * 1_000_000
    let capacity = Int(min(call[2], 1024))
    guard let limit, capacity > 0 else { return .pass }
    let place = call.system == .epollWait ? 0 : call[4]
    return wait(call, limit, mask: mask(at: place, call), descriptors: [call.int(0)]) {
      [listener] in
      let size = interposer_event_size()
      var events = [UInt8](repeating: 0, count: capacity * size)
      let ready = interposer_look_epoll(call.thread, call.int(0), &events, Int32(capacity))
      guard ready != 0 else { return nil }
      guard ready > 0 else { return .failure(-ready) }
      let isGiven = ProcessMemory(of: call, listener)
        .write(Array(events.prefix(Int(ready) * size)), to: call[1])
      return isGiven ? .value(Int64(ready)) : .failure(EFAULT)
    } end: {
      .value(0)
    }
  }

  /// `futex`: the caller is woken when the word is no longer what it was; it must look anyway.
  func waitForWord(_ call: Call) -> Answer {
    switch call.int(1) & 0x7F {
    case 6, 13: return waitForOwner(call)
    case 11: return waitByMachine(.conditions)
    default: break
    }
    guard let room = waitingRoom, let limit = nanoseconds(at: call[3], call) else { return .pass }
    let (isAbsolute, expected) = (call.int(1) & 0x7F == 9, UInt32(truncatingIfNeeded: call[2]))
    let clock = call.int(1) & 0x100 != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC
    let deadline =
      isAbsolute
      ? room.time.moment(at: limit, on: clock) ?? room.time.now : room.moment(after: limit, call)
    func word() -> UInt32? {
      ProcessMemory(of: call, listener).bytes(call[0], count: 4)
        .map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    guard let now = word() else { return .pass }
    guard now == expected else { return .failure(EAGAIN) }
    let wait = Wait(
      call: call, deadline: deadline, end: { .failure(ETIMEDOUT) },
      look: { word() == expected ? nil : .value(0) }, interruption: { .failure(EINTR) })
    return room.take(wait)
  }

  /// `rt_sigtimedwait`: the kernel takes the signal as soon as it is pending.
  func waitForSignal(_ call: Call) -> Answer {
    guard let room = waitingRoom, let limit = nanoseconds(at: call[2], call),
      let wanted = ProcessMemory(of: call, listener).word(call[0]), limit > 0
    else { return .pass }
    var wait = Wait(
      call: call, deadline: room.moment(after: limit, call), end: { .failure(EAGAIN) },
      interruption: { .failure(EINTR) })
    wait.wanted = wanted
    return waitingRoom?.take(wait) ?? .pass
  }

  // MARK: Parts of a wait

  /// Where a call writes how long it would have waited on, and in which unit, in nanoseconds.
  private struct Rest {
    let place: UInt64
    let unit: UInt64
  }

  /// The signals that a call blocks while it waits; `nil` where it leaves them as they are.
  private func mask(at place: UInt64, _ call: Call) -> UInt64? {
    place == 0 ? nil : ProcessMemory(of: call, listener).word(place)
  }

  /// The descriptors of an array of `struct pollfd`, 8 bytes each.
  private static func descriptors(in items: [UInt8]) -> [Int32] {
    stride(from: 0, to: items.count, by: 8).compactMap { place in
      let number = items[place..<place + 4].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      return number < 0x8000_0000 ? Int32(number) : nil
    }
  }

  private func wait(
    _ call: Call, _ limit: UInt64, rest: Rest? = nil, mask: UInt64?, descriptors: [Int32],
    _ look: @escaping () -> Answer?, end: @escaping () -> Answer
  ) -> Answer {
    // A look at nothing is what the kernel does with a limit of 0.
    guard let room = waitingRoom, limit > 0 else { return .pass }
    let deadline = room.moment(after: limit, call)
    func told(_ answer: Answer) -> Answer {
      guard let rest else { return answer }
      let now = room.now(of: call)
      let left = deadline > now ? deadline - now : 0
      _ = isWritten(
        [left / Self.second, left % Self.second / rest.unit], to: rest.place, call)
      return answer
    }
    var wait = Wait(
      call: call, deadline: deadline, end: { told(end()) }, look: { look().map(told) },
      interruption: { told(.failure(EINTR)) }, mask: mask)
    wait.descriptors = descriptors
    return room.take(wait)
  }
}
