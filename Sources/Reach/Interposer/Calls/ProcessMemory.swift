import CInterposer
import Glibc
import I2C

/// The memory of a client during one call.
final class ProcessMemory: I2CCallerMemory {
  private let listener: Listener
  private let call: Call

  init(of call: Call, _ listener: Listener) {
    self.call = call
    self.listener = listener
  }

  /// `true` if the call still waits for its answer; otherwise the thread may have been killed and
  /// its ID reused.
  var isWaiting: Bool { listener.waits(call.id) }

  func read(
    _ address: UInt64, count: Int, into bytes: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool {
    guard count > 0 else { return true }
    precondition(offset + count <= bytes.count, "the buffer is too short")
    let done = bytes.withUnsafeMutableBytes {
      interposer_read(call.thread, address, $0.baseAddress?.advanced(by: offset), count)
    }
    return done == count
  }

  func write(_ bytes: Span<UInt8>, to address: UInt64) -> Bool {
    guard bytes.count > 0 else { return true }
    let count = bytes.count
    let done = bytes.withUnsafeBytes {
      interposer_write(call.thread, address, $0.baseAddress, count)
    }
    return done == count
  }

  /// Writes bytes to an address.
  ///
  /// - Returns: `true` if all could be written.
  func write(_ bytes: [UInt8], to address: UInt64) -> Bool { write(bytes.span, to: address) }

  /// Reads `count` bytes; `nil` if they cannot be read.
  func bytes(_ address: UInt64, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    return read(address, count: count, into: &span, at: 0) ? bytes : nil
  }

  /// Reads a 64-bit word.
  func word(_ address: UInt64) -> UInt64? {
    bytes(address, count: 8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a zero-terminated path without its terminator; `nil` if it cannot be read.
  func path(_ address: UInt64) -> [UInt8]? {
    let page: UInt64 = 4096
    var text: [UInt8] = []
    while text.count < 4096 {
      let start = address &+ UInt64(text.count)
      // A path may end just before an unmapped page.
      let count = Int(min(page - start % page, UInt64(text.isEmpty ? 256 : 4096)))
      let old = text.count
      text += repeatElement(0, count: count)
      var span = text.mutableSpan
      guard read(start, count: count, into: &span, at: old) else { return nil }
      if let end = text[old...].firstIndex(of: 0) { return Array(text[..<end]) }
    }
    return nil
  }
}

/// The three descriptor sets of `select`, converted to and from `struct pollfd`.
struct DescriptorSets {
  private let call: Call
  private let listener: Listener
  private let count: Int
  /// The bits for reading, writing and exceptions; `nil` for a set that the caller did not pass.
  private let sets: [[UInt8]?]

  /// The events to request from `poll` for a descriptor in the set for reading, writing or
  /// exceptions.
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
      let address = call[1 + index]
      guard address != 0 else {
        sets.append(nil)
        continue
      }
      guard let bits = memory.bytes(address, count: (count + 63) / 64 * 8) else { return nil }
      sets.append(bits)
    }
    self.sets = sets
  }

  /// A `struct pollfd` for each descriptor number; its `fd` is -1 if the number is in none of the
  /// sets.
  var items: [pollfd] {
    (0..<count).map { descriptor in
      var events: Int32 = 0
      for (index, set) in sets.enumerated() where isIn(set, descriptor) {
        events |= Self.wanted[index]
      }
      return pollfd(fd: events == 0 ? -1 : Int32(descriptor), events: Int16(events), revents: 0)
    }
  }

  /// Writes the sets of ready descriptors to the caller's memory; returns the answer with the
  /// number of bits that are set.
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
