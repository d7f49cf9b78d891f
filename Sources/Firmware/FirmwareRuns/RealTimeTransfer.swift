import Cores
import Images
package import Machines

/// SEGGER RTT: ring buffers in RAM through which a program on an ARM core exchanges bytes with a debug probe.
///
/// A control block describes the rings. It starts with a 16-byte identifier, "SEGGER RTT" and zeros, followed by the
/// numbers of up and down rings. Then come the up rings and the down rings, with six words each: a pointer to the name,
/// a pointer to the buffer, its size, the write offset, the read offset, and flags (SEGGER's user manual UM08001,
/// chapter on RTT).
///
/// A debug probe polls the rings. Here every store to the control block is observed instead, so each byte has the time
/// at which the program wrote it, and a program that blocks on a full ring never waits.
package final class RealTimeTransfer {
  /// A ring, with the address and the contents of its descriptor in the control block.
  private struct Ring {
    let start: UInt32
    let buffer, size, written, read: UInt32

    var writtenAt: UInt32 { start + 12 }
    var readAt: UInt32 { start + 16 }
  }

  /// The maximum number of channels.
  static let channels = 8
  private static let name = Array("SEGGER RTT".utf8) + [UInt8](repeating: 0, count: 6)
  private static let head: UInt32 = 24
  private static let ringSize: UInt32 = 24
  private static let maxRings: UInt32 = 32

  /// The serial ports RTT0 and up, one for each pair of an up ring and a down ring.
  package let ports = (0..<RealTimeTransfer.channels).map { SerialPort("RTT\($0)") }
  private let machine: any Microcontroller
  /// The address of the control block; `nil` until it is found.
  private var block: UInt32?
  private var rings: (up: Int, down: Int)?
  private var watched: Watchpoints.Range?
  /// The up rings that the program has not reinitialized since its last reset, with their write offsets at the reset.
  private var pendingReset: [Int: UInt32] = [:]
  /// The time of the next search for the control block in nanoseconds, and the interval until the search after it.
  private var search: (time: UInt64, step: UInt64)?
  /// The time at which the program started, in nanoseconds.
  private var start: UInt64 = 0

  /// Finds the control block at its symbol, if the image has that symbol.
  ///
  /// Otherwise RAM is searched every millisecond for 32 ms, then at doubling intervals, and at the end of the run.
  init(_ machine: any Microcontroller, _ image: FirmwareImage) {
    self.machine = machine
    guard machine.core.architecture == .arm, machine.watchpoints != nil else { return }
    if let symbol = image.symbols.named("_SEGGER_RTT") {
      block = symbol.address
      refresh()
    } else {
      start = machine.clock.nanoseconds
      search = (start + 1_000_000, 1_000_000)
    }
    for (number, port) in ports.enumerated() {
      port.didReceive = { [unowned self] in fill(number) }
    }
  }

  /// The time until which the microcontroller may run before `look()` is called.
  var nextLook: UInt64 { search?.time ?? .max }

  /// Searches RAM for the control block if a search is due.
  ///
  /// - Parameter isLast: `true` at the end of the run, for a last search even if none is due.
  func look(isLast: Bool = false) {
    guard let (time, step) = search, isLast || machine.clock.nanoseconds >= time else { return }
    let isEarly = time < start + 32_000_000
    search = (time + step, isEarly ? step : step * 2)
    for memory in machine.memories where memory.kind == .ram {
      let bytes = UnsafeRawBufferPointer(start: memory.bytes, count: Int(memory.count))
      for offset in stride(from: 0, to: bytes.count - Int(Self.head), by: 4)
      where bytes[offset] == Self.name[0] && bytes[offset..<offset + 16].elementsEqual(Self.name) {
        block = memory.base + UInt32(offset)
        search = nil
        return refresh()
      }
    }
  }

  /// Returns whether an address belongs to the control block.
  func contains(_ address: UInt32) -> Bool {
    watched.map { address &- $0.address < $0.count || $0.address &- address < 4 } ?? false
  }

  /// Drains the up rings and fills the down rings after a change of the control block.
  func refresh() {
    guard let block else { return }
    rings = nil
    if let name = bytes(block, 16), name.elementsEqual(Self.name), let up = word(block + 16),
      let down = word(block + 20), up <= Self.maxRings, down <= Self.maxRings
    {
      rings = (Int(up), Int(down))
    }
    watch(block, rings.map { Self.head + UInt32($0.up + $0.down) * Self.ringSize } ?? Self.head)
    for channel in 0..<min(rings?.up ?? 0, Self.channels) { drain(channel) }
    for channel in 0..<min(rings?.down ?? 0, Self.channels) { fill(channel) }
  }

  private func watch(_ address: UInt32, _ count: UInt32) {
    guard watched?.address != address || watched?.count != count else { return }
    if let watched { machine.watchpoints?.remove(watched) }
    let range = Watchpoints.Range(address: address, count: count, onLoad: false, onStore: true)
    machine.watchpoints?.insert(range)
    watched = range
  }

  /// Handles a reset, after which the program will reinitialize its rings.
  ///
  /// The previous contents of the rings are read first.
  func didReset() {
    refresh()
    for channel in 0..<min(rings?.up ?? 0, Self.channels) {
      pendingReset[channel] = ring(channel)?.written
    }
  }

  // MARK: Rings

  private func ring(_ index: Int) -> Ring? {
    guard let block else { return nil }
    let start = block + Self.head + UInt32(index) * Self.ringSize
    guard let buffer = word(start + 4), let size = word(start + 8), let written = word(start + 12),
      let read = word(start + 16), size > 1, written < size, read < size,
      let memory = machine.memory(at: buffer), memory.kind == .ram,
      UInt64(buffer) + UInt64(size) <= UInt64(memory.base) + UInt64(memory.count)
    else { return nil }
    return Ring(start: start, buffer: buffer, size: size, written: written, read: read)
  }

  /// Reads the new bytes that the program has written to an up ring and sends them to its port.
  private func drain(_ channel: Int) {
    guard let ring = ring(channel), !isReinitialized(channel, ring), ring.read != ring.written
    else {
      return
    }
    let now = machine.clock.nanoseconds
    var offset = ring.read
    while offset != ring.written {
      guard let byte = bytes(ring.buffer + offset, 1)?.first else { return }
      ports[channel].output(byte, now)
      offset = (offset + 1) % ring.size
    }
    set(ring.readAt, offset)
  }

  /// Returns whether the program, word by word, is still reinitializing a ring after a reset; the ring then counts as
  /// empty.
  private func isReinitialized(_ channel: Int, _ ring: Ring) -> Bool {
    guard let written = pendingReset[channel] else { return false }
    if ring.written == 0 {
      pendingReset[channel] = nil
      set(ring.readAt, 0)
      return true
    }
    // The program has not reset the write offset yet.
    if ring.written == written { return true }
    pendingReset[channel] = nil
    return false
  }

  /// Writes pending input to a down ring, as much as fits.
  private func fill(_ channel: Int) {
    let port = ports[channel]
    guard let rings, channel < rings.down, port.hasInput, let ring = ring(rings.up + channel) else {
      return
    }
    var offset = ring.written
    while (offset + 1) % ring.size != ring.read, let byte = port.receive() {
      self.pointer(ring.buffer + offset, 1)?.storeBytes(of: byte, as: UInt8.self)
      offset = (offset + 1) % ring.size
    }
    set(ring.writtenAt, offset)
  }

  // MARK: Memory

  private func pointer(_ address: UInt32, _ count: Int) -> UnsafeMutableRawPointer? {
    guard let memory = machine.memory(at: address), memory.kind == .ram,
      Int(address - memory.base) + count <= Int(memory.count)
    else { return nil }
    return memory.bytes + Int(address - memory.base)
  }

  private func bytes(_ address: UInt32, _ count: Int) -> UnsafeRawBufferPointer? {
    pointer(address, count).map { UnsafeRawBufferPointer(start: $0, count: count) }
  }

  private func word(_ address: UInt32) -> UInt32? {
    guard address & 3 == 0 else { return nil }
    return pointer(address, 4).map { UInt32(littleEndian: $0.load(as: UInt32.self)) }
  }

  private func set(_ address: UInt32, _ value: UInt32) {
    pointer(address, 4)?.storeBytes(of: value.littleEndian, as: UInt32.self)
  }
}
