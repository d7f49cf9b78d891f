import Glibc
import I2C
import Synchronization

/// A virtio I2C device (virtio 1.2, 5.11): serves the requests in a queue of a guest.
///
/// Each request is one message. Requests that the driver joins by the flag "fail next" are one transfer: the bus stays
/// open between them, and after a failure all of them fail. They are returned to the driver together, the last one
/// first: the driver of Linux 6.1.176 waits for the first one that fails, and then frees the memory of all.
struct VirtioI2C {
  private enum Request {
    static let headerSize = 8
    static let failNext: UInt32 = 1
    static let read: UInt32 = 2
  }

  private enum Status {
    static let okay: UInt8 = 0
    static let error: UInt8 = 1
  }

  private let bus: ServedBus
  /// `true` after a failure, until the last request of the transfer.
  private var isFailing = false
  /// The served requests of the current transfer, which the driver does not have back yet.
  private var served: [(head: UInt16, written: Int)] = []

  init(_ bus: ServedBus) { self.bus = bus }

  /// Serves the next request in a queue.
  ///
  /// - Parameters:
  ///   - queue: the queue.
  ///   - memory: the memory of the guest.
  /// - Returns: `true` if the driver is to be notified; `nil` if there is no request, after which the driver notifies
  ///   the device of the next one.
  /// - Throws: `Virtqueue.Defect` if the queue breaks the rules.
  mutating func serveNext(
    _ queue: inout Virtqueue, _ memory: GuestMemory
  ) throws(Virtqueue.Defect) -> Bool? {
    repeat {
      if let chain = try queue.take(memory) {
        let (written, isLast) = try serve(chain, memory)
        served.append((chain.head, written))
        return isLast ? try returnServed(&queue, memory) : false
      }
      // A driver whose ring is too short for a transfer waits for the requests that fit.
      if !served.isEmpty { return try returnServed(&queue, memory) }
    } while try !queue.requestNotification(memory)
    return nil
  }

  /// Returns the served requests of the current transfer to the driver, the last one first.
  ///
  /// - Returns: `true` if the driver wants to be notified.
  mutating func returnServed(
    _ queue: inout Virtqueue, _ memory: GuestMemory
  ) throws(Virtqueue.Defect) -> Bool {
    var notifies = false
    for request in served.reversed()
    where try queue.put(request.head, written: request.written, memory) {
      notifies = true
    }
    served.removeAll()
    return notifies
  }

  /// Serves one request.
  ///
  /// - Returns: the number of bytes written to the guest, and whether the request is the last one of its transfer.
  private mutating func serve(
    _ chain: Virtqueue.Chain, _ memory: GuestMemory
  ) throws(Virtqueue.Defect) -> (written: Int, isLast: Bool) {
    guard chain.readableLength >= Request.headerSize, chain.writableLength >= 1 else {
      throw .rule("a request without a header or without a status")
    }
    let bytes = try read(chain.readable, memory)
    let flags: UInt32 = bytes.integer(at: 4, .little)
    let address: UInt16 = bytes.integer(at: 0, .little)
    let isLast = flags & Request.failNext == 0
    var received: [UInt8] = []
    let isDone: Bool
    if isFailing {
      isDone = false
    } else if let target = I2CAddress(rawValue: address >> 1), address & 1 == 0,
      target.isSevenBit
    {
      let failure =
        flags & Request.read != 0
        ? bus.read(chain.writableLength - 1, from: target, isLast: isLast, into: &received)
        : bus.write(bytes.dropFirst(Request.headerSize), to: target, isLast: isLast)
      isDone = failure == nil
    } else {
      // Ten-bit addresses are reserved by the standard.
      bus.stop()
      isDone = false
    }
    isFailing = !isDone && !isLast
    if !isDone {
      received = [UInt8](repeating: 0xFF, count: chain.writableLength - 1)
    } else if received.isEmpty {
      received = [UInt8](repeating: 0, count: chain.writableLength - 1)
    }
    let answer = received + [isDone ? Status.okay : Status.error]
    return (try write(answer, chain.writable, memory), isLast)
  }

  private func read(
    _ parts: [(address: UInt64, length: Int)], _ memory: GuestMemory
  ) throws(Virtqueue.Defect) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(GuestMemoryError) {
      for part in parts { bytes += try memory.read(part.length, at: part.address) }
    } catch {
      throw .memory
    }
    return bytes
  }

  private func write(
    _ bytes: [UInt8], _ parts: [(address: UInt64, length: Int)], _ memory: GuestMemory
  ) throws(Virtqueue.Defect) -> Int {
    var offset = 0
    do throws(GuestMemoryError) {
      for part in parts {
        try memory.write(bytes[offset..<(offset + part.length)], at: part.address)
        offset += part.length
      }
    } catch {
      throw .memory
    }
    return offset
  }
}

/// A split virtqueue of a guest (virtio 1.2, 2.7), from the device's side.
struct Virtqueue {
  /// A chain of descriptors: one request of the driver.
  struct Chain {
    /// The index of its first descriptor.
    var head: UInt16
    /// The parts that the device reads, in order.
    var readable: [(address: UInt64, length: Int)] = []
    /// The parts that the device writes, in order.
    var writable: [(address: UInt64, length: Int)] = []

    var readableLength: Int { readable.reduce(0) { $0 + $1.length } }
    var writableLength: Int { writable.reduce(0) { $0 + $1.length } }
  }

  /// A queue that breaks the rules of virtio.
  enum Defect: Error {
    case memory
    case rule(String)
  }

  private enum Flag {
    static let next: UInt16 = 1
    static let write: UInt16 = 2
    static let indirect: UInt16 = 4
    static let noInterrupt: UInt16 = 1
  }

  /// The longest part of a request in bytes.
  private static let longest = 65_536

  /// The number of descriptors, a power of two.
  var size: UInt16 = 0
  /// The addresses in the guest of the descriptors, of the ring of available chains and of the ring of used ones.
  var addresses: (descriptors: UInt64, available: UInt64, used: UInt64)?
  /// The number of the next chain to take.
  var next: UInt16 = 0
  private var used: UInt16 = 0
  /// `true` if both sides name the index at which they want to be notified (VIRTIO_F_EVENT_IDX).
  ///
  /// The device names its own in any case: without the feature, the driver does not look at it.
  var hasEventIndex = false

  /// Creates a queue that the client has not described yet.
  init() {}

  /// Continues after the chains that were used so far, when the client starts the queue.
  mutating func start(_ memory: GuestMemory) throws(Defect) {
    let addresses = try located()
    used = try access { () throws(GuestMemoryError) in try memory.read(at: addresses.used + 2) }
  }

  /// Takes the next available chain; `nil` if there is none.
  mutating func take(_ memory: GuestMemory) throws(Defect) -> Chain? {
    let addresses = try located()
    let available: UInt16 = try access { () throws(GuestMemoryError) in
      try memory.read(at: addresses.available + 2)
    }
    guard available != next else { return nil }
    guard available &- next <= size else {
      throw .rule("the ring holds more chains than descriptors")
    }
    atomicMemoryFence(ordering: .acquiring)
    let index = UInt64(next % size)
    let head: UInt16 = try access { () throws(GuestMemoryError) in
      try memory.read(at: addresses.available + 4 + 2 * index)
    }
    next &+= 1
    return try chain(head, memory)
  }

  /// Asks the driver to notify the device of the next chain.
  ///
  /// - Returns: `true` if no chain was added in the meantime.
  func requestNotification(_ memory: GuestMemory) throws(Defect) -> Bool {
    let addresses = try located()
    return try access { () throws(GuestMemoryError) in
      try memory.write(next, at: addresses.used + 4 + 8 * UInt64(size))
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      return try memory.read(at: addresses.available + 2, as: UInt16.self) == next
    }
  }

  /// Returns a chain to the driver.
  ///
  /// - Parameters:
  ///   - head: the index of its first descriptor.
  ///   - written: the number of bytes that the device has written.
  ///   - memory: the memory of the guest.
  /// - Returns: `true` if the driver wants to be notified.
  /// - Throws: `Defect` if the queue breaks the rules.
  mutating func put(_ head: UInt16, written: Int, _ memory: GuestMemory) throws(Defect) -> Bool {
    let addresses = try located()
    let (old, new, size) = (used, used &+ 1, size)
    used = new
    let hasEventIndex = hasEventIndex
    return try access { () throws(GuestMemoryError) in
      let element = addresses.used + 4 + 8 * UInt64(old % size)
      try memory.write(UInt32(head), at: element)
      try memory.write(UInt32(written), at: element + 4)
      atomicMemoryFence(ordering: .releasing)
      try memory.write(new, at: addresses.used + 2)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      if hasEventIndex {
        let wanted: UInt16 = try memory.read(at: addresses.available + 4 + 2 * UInt64(size))
        return new &- wanted &- 1 < new &- old
      }
      let flags: UInt16 = try memory.read(at: addresses.available)
      return flags & Flag.noInterrupt == 0
    }
  }

  private func located() throws(Defect) -> (descriptors: UInt64, available: UInt64, used: UInt64) {
    guard let addresses, size > 0 else { throw .rule("the queue has no size or no addresses") }
    return addresses
  }

  /// Follows the descriptors of a chain, which may lie in a table of their own.
  private func chain(_ head: UInt16, _ memory: GuestMemory) throws(Defect) -> Chain {
    var chain = Chain(head: head)
    var (table, count) = (try located().descriptors, UInt32(size))
    var (index, followed) = (UInt32(head), 0)
    while true {
      guard index < count else { throw .rule("descriptor \(index) of \(count)") }
      guard followed < 1024 else { throw .rule("a chain of descriptors without an end") }
      followed += 1
      let place = table + 16 * UInt64(index)
      let bytes = try access { () throws(GuestMemoryError) in try memory.read(16, at: place) }
      let address: UInt64 = bytes.integer(at: 0, .little)
      let length: UInt32 = bytes.integer(at: 8, .little)
      let flags: UInt16 = bytes.integer(at: 12, .little)
      if flags & Flag.indirect != 0 {
        guard count == UInt32(size), table == addresses?.descriptors, length % 16 == 0, length > 0
        else { throw .rule("a bad table of descriptors") }
        (table, count, index) = (address, length / 16, 0)
        // The table of a chain is its last descriptor in the queue.
        continue
      }
      guard length <= Self.longest else { throw .rule("a part of \(length) bytes") }
      if flags & Flag.write != 0 {
        chain.writable.append((address, Int(length)))
      } else {
        guard chain.writable.isEmpty else { throw .rule("a part to read follows one to write") }
        chain.readable.append((address, Int(length)))
      }
      guard flags & Flag.next != 0 else { return chain }
      index = UInt32(bytes.integer(at: 14, .little, as: UInt16.self))
    }
  }

  private func access<Result>(
    _ body: () throws(GuestMemoryError) -> Result
  ) throws(Defect) -> Result {
    do throws(GuestMemoryError) { return try body() } catch { throw .memory }
  }
}

/// An access to the memory of a guest that its client did not share, or that it has taken back.
struct GuestMemoryError: Error {}

/// The memory of a guest, in regions that the client shares by descriptors.
///
/// The memory is read and written through the descriptors, not mapped: an address outside the regions is an error, and
/// a client that shortens its files cannot stop the server.
final class GuestMemory {
  /// A region, as a vhost-user client describes it.
  struct Region {
    /// The address of the region in the guest.
    var guestAddress: UInt64
    var size: UInt64
    /// The address of the region in the client's own process.
    var clientAddress: UInt64
    /// The offset of the region in the file.
    var offset: UInt64
    var descriptor: Int32
  }

  private var regions: [Region] = []

  init() {}

  deinit { closeAll() }

  /// Replaces all regions, and closes the descriptors of the former ones.
  func replace(with regions: [Region]) {
    closeAll()
    self.regions = regions
  }

  private func closeAll() {
    for region in regions { close(region.descriptor) }
    regions = []
  }

  /// Returns the address in the guest of an address in the client's own process.
  func guestAddress(ofClient address: UInt64) throws(GuestMemoryError) -> UInt64 {
    for region in regions
    where address >= region.clientAddress && address - region.clientAddress < region.size {
      return region.guestAddress + (address - region.clientAddress)
    }
    throw GuestMemoryError()
  }

  /// Reads bytes.
  func read(
    _ count: Int, at address: UInt64
  ) throws(GuestMemoryError) -> [UInt8] {
    let file = try file(address, count)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(pread(file.descriptor, buffer.baseAddress, count, file.offset), 0)
    }
    guard bytes.count == count else { throw GuestMemoryError() }
    return bytes
  }

  /// Reads an integer, which is little-endian.
  func read<Value: FixedWidthInteger>(
    at address: UInt64, as: Value.Type = Value.self
  ) throws(GuestMemoryError) -> Value {
    let size = MemoryLayout<Value>.size
    let file = try file(address, size)
    var value: Value = 0
    guard pread(file.descriptor, &value, size, file.offset) == size else {
      throw GuestMemoryError()
    }
    return Value(littleEndian: value)
  }

  /// Writes bytes.
  func write(_ bytes: some Collection<UInt8>, at address: UInt64) throws(GuestMemoryError) {
    let file = try file(address, bytes.count)
    let contiguous = ContiguousArray(bytes)
    let written = contiguous.withUnsafeBytes {
      pwrite(file.descriptor, $0.baseAddress, $0.count, file.offset)
    }
    guard written == contiguous.count else { throw GuestMemoryError() }
  }

  /// Writes an integer, little-endian.
  func write<Value: FixedWidthInteger>(
    _ value: Value, at address: UInt64
  ) throws(GuestMemoryError) {
    let size = MemoryLayout<Value>.size
    let file = try file(address, size)
    var value = value.littleEndian
    guard pwrite(file.descriptor, &value, size, file.offset) == size else {
      throw GuestMemoryError()
    }
  }

  /// Returns the descriptor and the offset in its file at which bytes of the guest lie.
  private func file(
    _ address: UInt64, _ count: Int
  ) throws(GuestMemoryError) -> (descriptor: Int32, offset: Int) {
    for region in regions where address >= region.guestAddress {
      let distance = address - region.guestAddress
      guard distance < region.size, UInt64(count) <= region.size - distance else { continue }
      let (offset, isTooLarge) = region.offset.addingReportingOverflow(distance)
      guard !isTooLarge, let place = Int(exactly: offset) else { throw GuestMemoryError() }
      return (region.descriptor, place)
    }
    throw GuestMemoryError()
  }
}
