import Cores
import Machines

/// DMA1 and DMA2: eight streams each, which move what peripherals ask for, or memory to memory (RM0383, section 9).
///
/// A transfer takes no time of its own; FIFOs pass what comes at once, and the arbiter has nothing to decide.
final class MemoryAccess: Peripheral {
  private let index: Int
  private let interrupts: [Int]
  /// The flags of each stream: FEIF, -, DMEIF, TEIF, HTIF, TCIF.
  private var flags = [UInt32](repeating: 0, count: 8)
  /// What the registers of each stream said when it was enabled.
  private var counts = [UInt32](repeating: 0, count: 8)
  private var moved = [UInt32](repeating: 0, count: 8)
  private let board: DMABoard

  private enum Flag {
    static let error: UInt32 = 8, half: UInt32 = 16, complete: UInt32 = 32
  }

  init(_ number: Int, _ board: DMABoard, _ chip: Silicon) {
    index = number - 1
    self.board = board
    interrupts =
      number == 1 ? Array(11...17) + [47] : Array(56...60) + Array(68...70)
    super.init(at: 0x4002_6000 + UInt32(index) * 0x400, chip)
    define(0x00, mask: 0)
    define(0x04, mask: 0)
    define(0x08, mask: 0)
    define(0x0C, mask: 0)
    for stream: UInt32 in 0..<8 {
      let place = 0x10 + stream * 0x18
      define(place, mask: 0x0FEF_FFFF)
      define(place + 0x04, mask: 0xFFFF)
      for offset: UInt32 in [0x08, 0x0C, 0x10] { define(place + offset) }
      define(place + 0x14, mask: 0x87, reset: 0x21)
    }
    board.controllers.append(self)
  }

  override func reset() {
    super.reset()
    for stream in 0..<8 { flags[stream] = 0 }
    for interrupt in interrupts { chip.setLine(interrupt, false) }
  }

  private func place(_ stream: Int) -> UInt32 { 0x10 + UInt32(stream) * 0x18 }
  private func isOn(_ stream: Int) -> Bool { self[place(stream)] & 1 != 0 }

  /// Who asks a stream, by the channel that it has chosen.
  private func request(_ stream: Int) -> DMARequest? {
    DMARequest.table[index][stream][Int(self[place(stream)] >> 25 & 7)]
  }

  /// The stream that serves a request.
  func stream(for wanted: DMARequest) -> Int? {
    (0..<8).first { isOn($0) && self[place($0)] >> 6 & 3 != 2 && request($0) == wanted }
  }

  func left(_ stream: Int) -> UInt32 { self[place(stream) + 4] }

  // MARK: Registers

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset < 8 else { return self[offset] }
    return (0..<4).reduce(0) { $0 | flags[Int(offset) + $1] << Self.shift($1) }
  }

  /// Where the flags of a stream stand in their word: 0, 6, 16, 22.
  private static func shift(_ stream: Int) -> UInt32 { [0, 6, 16, 22][stream % 4] }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x08, 0x0C:
      for stream in 0..<4 {
        flags[Int(offset) - 8 + stream] &= ~(value >> Self.shift(stream) & 0x3D)
      }
      refresh()
    case 0x10..<0xD0:
      let stream = Int(offset - 0x10) / 0x18
      if isOn(stream), (offset - 0x10) % 0x18 != 0 {
        // A stream that runs keeps its registers.
        if (offset - 0x10) % 0x18 == 4 { self[offset] = before }
      } else if offset == place(stream) {
        control(stream, before: before)
      }
    default: break
    }
  }

  private func control(_ stream: Int, before: UInt32) {
    let word = self[place(stream)]
    if word & 1 != 0, before & 1 == 0 {
      counts[stream] = left(stream)
      moved[stream] = 0
      for (bit, mode) in [
        (18, "double buffers (SxCR.DBM)"), (5, "the peripheral as flow controller (SxCR.PFCTRL)"),
      ] as [(UInt32, String)] where word >> bit & 1 != 0 {
        chip.run.untouched.note(base + place(stream), bytes: 4, isWrite: true, mode: mode)
      }
      if word >> 6 & 3 == 2 {
        while isOn(stream), left(stream) > 0 { move(stream) }
      } else if let request = request(stream) {
        serve(request, stream)
      }
    } else if word & 1 == 0, before & 1 != 0 {
      // Switched off by the program: TCIF tells that it has ended.
      flags[stream] |= Flag.complete
    }
    refresh()
  }

  /// Moves what a request asks for, as long as it asks.
  func serve(_ request: DMARequest, _ stream: Int) {
    while isOn(stream), left(stream) > 0, board.isActive(request) { move(stream) }
    refresh()
  }

  /// One transfer of a stream.
  private func move(_ stream: Int) {
    let (at, word) = (place(stream), self[place(stream)])
    let outside: UInt32 = 1 << (word >> 11 & 3)
    let inside: UInt32 = word >> 6 & 3 == 2 ? outside : 1 << (word >> 13 & 3)
    let port = self[at + 8] &+ (word >> 9 & 1 != 0 ? moved[stream] * outside : 0)
    let memory = self[at + 12] &+ (word >> 10 & 1 != 0 ? moved[stream] * inside : 0)
    let reads = word >> 6 & 3 != 1
    let (source, target) = reads ? (port, memory) : (memory, port)
    let bytes = reads ? inside : outside
    let width = min(outside, 4)
    moved[stream] += 1
    self[at + 4] = left(stream) - 1
    guard let value = chip.memory.read(source, bytes: reads ? width : min(inside, 4)),
      chip.memory.write(target, value, bytes: min(bytes, 4))
    else {
      flags[stream] |= Flag.error
      self[at] &= ~1
      return
    }
    if reads { chip.core.invalidate(target, count: bytes) }
    if left(stream) == counts[stream] / 2 { flags[stream] |= Flag.half }
    guard left(stream) == 0 else { return }
    flags[stream] |= Flag.complete
    if word >> 8 & 1 != 0 {
      self[at + 4] = counts[stream]
      moved[stream] = 0
    } else {
      self[at] &= ~1
    }
  }

  private func refresh() {
    for stream in 0..<8 {
      let word = self[place(stream)]
      // DMEIE, TEIE, HTIE and TCIE stand a bit lower than their flags.
      chip.setLine(interrupts[stream], flags[stream] >> 1 & word & 0x1E != 0)
    }
  }
}

/// The requests of all peripherals, and the two controllers that serve them.
final class DMABoard: DMARequests {
  fileprivate var controllers: [MemoryAccess] = []
  private var active: Set<DMARequest> = []

  func isActive(_ request: DMARequest) -> Bool { active.contains(request) }

  func set(_ request: DMARequest, _ isActive: Bool) {
    guard isActive else {
      active.remove(request)
      return
    }
    guard active.insert(request).inserted else { return }
    for controller in controllers {
      if let stream = controller.stream(for: request) { controller.serve(request, stream) }
    }
  }

  func left(_ request: DMARequest) -> UInt32? {
    for controller in controllers {
      if let stream = controller.stream(for: request) { return controller.left(stream) }
    }
    return nil
  }

  func reset() { active = [] }
}
