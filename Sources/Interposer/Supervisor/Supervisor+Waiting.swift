import CInterposer
import Glibc

/// Waits with a limit for something else than time, where time is virtual: the limit counts only after
/// a look, without waiting, has found nothing.
extension Supervisor {
  /// `poll` and `ppoll`.
  func waitForDescriptors(_ call: Call) -> Answer {
    let count = Int(min(call[1], 4096))
    let limit =
      call.system == .poll
      ? UInt64(UInt32(truncatingIfNeeded: call[2])) * 1_000_000 : nanoseconds(at: call[2], call)
    let memory = ProcessMemory(of: call, listener)
    guard let limit, let items = memory.bytes(call[0], count: count * 8) else { return .pass }
    return wait(call, limit) { [listener] in
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
    let limit = nanoseconds(at: call[4], call, unit: call.system == .select ? 1000 : 1)
    guard let limit, let sets = DescriptorSets(call, listener) else { return .pass }
    return wait(call, limit) {
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
    return wait(call, limit) { [listener] in
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
    guard let time = waitingRoom?.time, let limit = nanoseconds(at: call[3], call) else {
      return .pass
    }
    let (isAbsolute, expected) = (call.int(1) & 0x7F == 9, UInt32(truncatingIfNeeded: call[2]))
    let clock = call.int(1) & 0x100 != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC
    let deadline =
      isAbsolute ? time.moment(at: limit, on: clock) ?? time.now : time.now &+ limit
    func word() -> UInt32? {
      ProcessMemory(of: call, listener).bytes(call[0], count: 4)
        .map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    guard let now = word() else { return .pass }
    guard now == expected else { return .failure(EAGAIN) }
    let wait = WaitingRoom.Wait(call: call, deadline: deadline, end: .failure(ETIMEDOUT)) {
      word() == expected ? nil : .value(0)
    }
    return waitingRoom?.take(wait) ?? .pass
  }

  private func wait(
    _ call: Call, _ limit: UInt64, _ look: @escaping () -> Answer?, end: () -> Answer
  ) -> Answer {
    guard let time = waitingRoom?.time else { return .pass }
    // A look at nothing is what the kernel does with a limit of 0.
    guard limit > 0 else { return .pass }
    let wait = WaitingRoom.Wait(
      call: call, deadline: time.now &+ limit, end: end(), look: look)
    return waitingRoom?.take(wait) ?? .pass
  }
}
