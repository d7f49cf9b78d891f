import Cores
import Images
import Machines

/// SEGGER's RTT: bytes that a program on an ARM core leaves in rings in RAM for a debugger, and takes from them.
///
/// A control block tells where the rings are. It begins with 16 bytes of a name, "SEGGER RTT" and zeros; behind it stand
/// the numbers of rings upwards and downwards, and then the rings, those upwards first, six words each: a pointer to a
/// name, a pointer to the buffer, its size, where is written next, where is read next, flags (SEGGER's user manual
/// UM08001, chapter on RTT).
///
/// A probe looks at the rings again and again; here every store into the control block is seen, so that a byte has the
/// time at which the program wrote it, and a program that waits for room never does.
final class RealTimeTransfer {
  /// A ring's words.
  private struct Ring {
    let start: UInt32
    let buffer, size, written, read: UInt32

    var writtenAt: UInt32 { start + 12 }
    var readAt: UInt32 { start + 16 }
  }

  /// How many rings can be named.
  static let channels = 8
  private static let name = Array("SEGGER RTT".utf8) + [UInt8](repeating: 0, count: 6)
  private static let head: UInt32 = 24
  private static let ringSize: UInt32 = 24
  private static let mostRings: UInt32 = 32

  /// RTT0 and so on, a port for each pair of rings.
  let ports = (0..<RealTimeTransfer.channels).map { SerialPort("RTT\($0)") }
  private let machine: any Microcontroller
  /// Where the control block stands, once that is known.
  private var block: UInt32?
  private var rings: (up: Int, down: Int)?
  private var watched: Watchpoints.Stretch?
  /// Rings upwards that the program has not begun anew since its last reset, by where it had written until then.
  private var leftOver: [Int: UInt32] = [:]
  /// When it is looked for next, in nanoseconds, and how long after that.
  private var search: (time: UInt64, step: UInt64)?
  /// When the program began.
  private var start: UInt64 = 0

  /// Looks for a control block: at its symbol where the image has one, else in RAM, each of the first 32 ms, then 64 ms,
  /// 128 ms and so on after the beginning, and at the end.
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
      port.arrives = { [unowned self] in fill(number) }
    }
  }

  /// Until when the microcontroller may run before ``look()`` is called.
  var nextLook: UInt64 { search?.time ?? .max }

  /// Looks for the control block in RAM, where its time has come.
  ///
  /// - Parameter isLast: whether the run is over, and it is the last time to look.
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

  /// Whether a store at an address is one that this waits for.
  func isOwn(_ address: UInt32) -> Bool {
    watched.map { address &- $0.address < $0.count || $0.address &- address < 4 } ?? false
  }

  /// The control block may have changed: the rings are emptied and filled.
  func refresh() {
    guard let block else { return }
    rings = nil
    if let name = bytes(block, 16), name.elementsEqual(Self.name), let up = word(block + 16),
      let down = word(block + 20), up <= Self.mostRings, down <= Self.mostRings
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
    let stretch = Watchpoints.Stretch(address: address, count: count, onLoad: false, onStore: true)
    machine.watchpoints?.insert(stretch)
    watched = stretch
  }

  /// The program begins anew, and will begin its rings anew: what they hold from before has been taken.
  func didReset() {
    refresh()
    for channel in 0..<min(rings?.up ?? 0, Self.channels) {
      leftOver[channel] = ring(channel)?.written
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

  /// Takes what the program has written.
  private func drain(_ channel: Int) {
    guard let ring = ring(channel), !isBegunAnew(channel, ring), ring.read != ring.written else {
      return
    }
    let now = machine.clock.nanoseconds
    var place = ring.read
    while place != ring.written {
      guard let byte = bytes(ring.buffer + place, 1)?.first else { return }
      ports[channel].output(byte, now)
      place = (place + 1) % ring.size
    }
    set(ring.readAt, place)
  }

  /// Whether a ring is about to begin at its start again after a reset, one word after the other: there is nothing in it.
  private func isBegunAnew(_ channel: Int, _ ring: Ring) -> Bool {
    guard let written = leftOver[channel] else { return false }
    if ring.written == 0 {
      leftOver[channel] = nil
      set(ring.readAt, 0)
      return true
    }
    // Only its beginning to read was moved so far.
    if ring.written == written { return true }
    leftOver[channel] = nil
    return false
  }

  /// Gives the program what there is for it, as far as there is room.
  private func fill(_ channel: Int) {
    let port = ports[channel]
    guard let rings, channel < rings.down, port.hasInput, let ring = ring(rings.up + channel) else {
      return
    }
    var place = ring.written
    while (place + 1) % ring.size != ring.read, let byte = port.receive() {
      self.place(ring.buffer + place, 1)?.storeBytes(of: byte, as: UInt8.self)
      place = (place + 1) % ring.size
    }
    set(ring.writtenAt, place)
  }

  // MARK: Memory

  private func place(_ address: UInt32, _ count: Int) -> UnsafeMutableRawPointer? {
    guard let memory = machine.memory(at: address), memory.kind == .ram,
      Int(address - memory.base) + count <= Int(memory.count)
    else { return nil }
    return memory.bytes + Int(address - memory.base)
  }

  private func bytes(_ address: UInt32, _ count: Int) -> UnsafeRawBufferPointer? {
    place(address, count).map { UnsafeRawBufferPointer(start: $0, count: count) }
  }

  private func word(_ address: UInt32) -> UInt32? {
    guard address & 3 == 0 else { return nil }
    return place(address, 4).map { UInt32(littleEndian: $0.load(as: UInt32.self)) }
  }

  private func set(_ address: UInt32, _ value: UInt32) {
    place(address, 4)?.storeBytes(of: value.littleEndian, as: UInt32.self)
  }
}
