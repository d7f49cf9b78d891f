import CInterposer
import Glibc

/// The three sets of `select`, looked at as `poll` does.
struct DescriptorSets {
  private let call: Call
  private let listener: Listener
  private let count: Int
  /// The bits for reading, writing and exceptions; `nil` where the caller gave no set.
  private let sets: [[UInt8]?]

  /// What makes a descriptor ready in each set.
  private static let wanted: [Int32] = [POLLIN, POLLOUT, POLLPRI]
  private static let ready: [Int32] = [POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI]

  /// Reads the sets of a call.
  init?(_ call: Call, _ listener: Listener) {
    self.call = call
    self.listener = listener
    count = Int(min(UInt64(UInt32(truncatingIfNeeded: call[0])), 4096))
    let memory = ProcessMemory(of: call, listener)
    var sets: [[UInt8]?] = []
    for index in 0..<3 {
      let place = call[1 + index]
      guard place != 0 else {
        sets.append(nil)
        continue
      }
      guard let bits = memory.bytes(place, count: (count + 63) / 64 * 8) else { return nil }
      sets.append(bits)
    }
    self.sets = sets
  }

  /// A `struct pollfd` for each descriptor.
  var items: [pollfd] {
    (0..<count).map { descriptor in
      var events: Int32 = 0
      for (index, set) in sets.enumerated() where isIn(set, descriptor) {
        events |= Self.wanted[index]
      }
      return pollfd(fd: events == 0 ? -1 : Int32(descriptor), events: Int16(events), revents: 0)
    }
  }

  /// Writes the sets of what is ready; the answer is how many bits they have.
  func answer(_ items: [pollfd]) -> Answer {
    var total: Int64 = 0
    let memory = ProcessMemory(of: call, listener)
    for (index, set) in sets.enumerated() {
      guard let set else { continue }
      var bits = [UInt8](repeating: 0, count: set.count)
      for item in items
      where item.fd >= 0 && isIn(set, Int(item.fd))
        && Int32(item.revents) & (Self.ready[index] | POLLNVAL) != 0
      {
        if Int32(item.revents) & POLLNVAL != 0 { return .failure(EBADF) }
        bits[Int(item.fd) / 8] |= 1 << UInt8(Int(item.fd) % 8)
        total += 1
      }
      guard memory.write(bits, to: call[1 + index]) else { return .failure(EFAULT) }
    }
    return .value(total)
  }

  private func isIn(_ set: [UInt8]?, _ descriptor: Int) -> Bool {
    set.map { $0[descriptor / 8] >> UInt8(descriptor % 8) & 1 == 1 } ?? false
  }
}
