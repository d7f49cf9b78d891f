import Cores
import Machines

/// DMA1 and DMA2, with eight streams each, for transfers that peripherals request and for memory-to-memory transfers
/// (RM0383, section 9).
///
/// A transfer takes no time, so no arbitration is necessary. FIFOs pass data on at once.
package final class DMA: Peripheral {
  package static let LISR: UInt32 = 0x00
  package static let HISR: UInt32 = 0x04
  package static let LIFCR: UInt32 = 0x08
  package static let HIFCR: UInt32 = 0x0C
  /// S0CR; the registers of the eight streams are `stride` bytes apart.
  package static let S0CR: UInt32 = 0x10
  /// The offset of SxNDTR from SxCR; the offsets of SxPAR, SxM0AR, SxM1AR and SxFCR from SxCR follow.
  package static let NDTR: UInt32 = 0x04
  package static let PAR: UInt32 = 0x08
  package static let M0AR: UInt32 = 0x0C
  package static let M1AR: UInt32 = 0x10
  package static let FCR: UInt32 = 0x14
  private static let stride: UInt32 = 0x18
  private static var streams: Range<UInt32> { S0CR..<S0CR + 8 * stride }

  private let index: Int
  private let interrupts: [Int]
  /// The flags of each stream, from bit 0 on: FEIF, a reserved bit, DMEIF, TEIF, HTIF, TCIF.
  private var flags = [UInt32](repeating: 0, count: 8)
  /// The value that NDTR of each stream had when the stream was enabled.
  private var counts = [UInt32](repeating: 0, count: 8)
  /// The number of transfers of each stream since it was enabled.
  private var moved = [UInt32](repeating: 0, count: 8)
  private let requests: DMARequestMatrix

  /// Bits of SxCR.
  private enum Control {
    static let EN: UInt32 = 1, PFCTRL: UInt32 = 1 << 5, CIRC: UInt32 = 1 << 8
    static let PINC: UInt32 = 1 << 9, MINC: UInt32 = 1 << 10, DBM: UInt32 = 1 << 18
    static let DIR: UInt32 = 3 << 6
    static let memoryToPeripheral: UInt32 = 1 << 6, memoryToMemory: UInt32 = 2 << 6
  }
  private enum Flag {
    static let TEIF: UInt32 = 8, HTIF: UInt32 = 16, TCIF: UInt32 = 32
  }

  init(_ number: Int, _ requests: DMARequestMatrix, _ chip: Chip) {
    index = number - 1
    self.requests = requests
    interrupts =
      number == 1 ? Array(11...17) + [47] : Array(56...60) + Array(68...70)
    super.init(at: 0x4002_6000 + UInt32(index) * 0x400, chip)
    define(DMA.LISR, mask: 0)
    define(DMA.HISR, mask: 0)
    define(DMA.LIFCR, mask: 0)
    define(DMA.HIFCR, mask: 0)
    for stream: UInt32 in 0..<8 {
      let control = DMA.S0CR + stream * Self.stride
      define(control, mask: 0x0FEF_FFFF)
      define(control + DMA.NDTR, mask: 0xFFFF)
      for offset in [DMA.PAR, DMA.M0AR, DMA.M1AR] { define(control + offset) }
      define(control + DMA.FCR, mask: 0x87, reset: 0x21)
    }
    requests.controllers.append(self)
  }

  override func reset() {
    super.reset()
    for stream in 0..<8 { flags[stream] = 0 }
    for interrupt in interrupts { chip.setLine(interrupt, false) }
  }

  /// Returns the offset of SxCR.
  private func control(_ stream: Int) -> UInt32 { DMA.S0CR + UInt32(stream) * Self.stride }
  private func isOn(_ stream: Int) -> Bool { self[control(stream)] & Control.EN != 0 }

  /// Returns the requests that a stream serves, which CHSEL selects; none if they are reserved or not modelled.
  private func selected(_ stream: Int) -> [DMARequest] {
    let channel = Int(self[control(stream)] >> 25 & 7)
    return (DMARequest.table[index][stream][channel].map { [$0] } ?? [])
      + (DMARequest.timers[index][stream][channel] ?? [])
  }

  /// Returns the stream that serves a request.
  func stream(for wanted: DMARequest) -> Int? {
    (0..<8).first {
      isOn($0) && self[control($0)] & Control.DIR != Control.memoryToMemory
        && selected($0).contains(wanted)
    }
  }

  func left(_ stream: Int) -> UInt32 { self[control(stream) + DMA.NDTR] }

  // MARK: Registers

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset <= DMA.HISR else { return self[offset] }
    return (0..<4).reduce(0) { $0 | flags[Int(offset) + $1] << Self.shift($1) }
  }

  /// Returns the bit position of a stream's flags in LISR or HISR: 0, 6, 16, 22.
  private static func shift(_ stream: Int) -> UInt32 { [0, 6, 16, 22][stream % 4] }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case DMA.LIFCR, DMA.HIFCR:
      for stream in 0..<4 {
        flags[Int(offset - DMA.LIFCR) + stream] &= ~(value >> Self.shift(stream) & 0x3D)
      }
      refresh()
    case Self.streams:
      let stream = Int((offset - DMA.S0CR) / Self.stride)
      let register = (offset - DMA.S0CR) % Self.stride
      if isOn(stream), register != 0 {
        // NDTR is read-only while the stream is enabled.
        if register == DMA.NDTR { self[offset] = before }
      } else if register == 0 {
        didStoreControl(stream, before: before)
      }
    default: break
    }
  }

  private func didStoreControl(_ stream: Int, before: UInt32) {
    let word = self[control(stream)]
    if word & Control.EN != 0, before & Control.EN == 0 {
      counts[stream] = left(stream)
      moved[stream] = 0
      for (bit, mode) in [
        (Control.DBM, "double buffers (SxCR.DBM)"),
        (Control.PFCTRL, "the peripheral as flow controller (SxCR.PFCTRL)"),
      ] as [(UInt32, String)] where word & bit != 0 {
        chip.run.unmodelledRegisters.note(
          base + control(stream), bytes: 4, isWrite: true, mode: mode)
      }
      if word & Control.DIR == Control.memoryToMemory {
        while isOn(stream), left(stream) > 0 { move(stream) }
      } else {
        for request in selected(stream) { serve(request, stream) }
      }
    } else if word & Control.EN == 0, before & Control.EN != 0 {
      // TCIF is also set when the program disables the stream.
      flags[stream] |= Flag.TCIF
    }
    refresh()
  }

  /// Performs the transfers of a stream for as long as a request is active.
  func serve(_ request: DMARequest, _ stream: Int) {
    while isOn(stream), left(stream) > 0, requests.isActive(request) { move(stream) }
    refresh()
  }

  /// Performs one transfer of a stream, for a request that is an event and not a level.
  func serveOnce(_ stream: Int) {
    if left(stream) > 0 { move(stream) }
    refresh()
  }

  /// Performs one transfer of a stream.
  private func move(_ stream: Int) {
    let (at, word) = (control(stream), self[control(stream)])
    let outside: UInt32 = 1 << (word >> 11 & 3)
    let inside: UInt32 =
      word & Control.DIR == Control.memoryToMemory ? outside : 1 << (word >> 13 & 3)
    let port = self[at + DMA.PAR] &+ (word & Control.PINC != 0 ? moved[stream] * outside : 0)
    let memory = self[at + DMA.M0AR] &+ (word & Control.MINC != 0 ? moved[stream] * inside : 0)
    let reads = word & Control.DIR != Control.memoryToPeripheral
    let (source, target) = reads ? (port, memory) : (memory, port)
    let bytes = reads ? inside : outside
    let width = min(outside, 4)
    moved[stream] += 1
    self[at + DMA.NDTR] = left(stream) - 1
    guard let value = chip.memory.read(source, bytes: reads ? width : min(inside, 4)),
      chip.memory.write(target, value, bytes: min(bytes, 4))
    else {
      flags[stream] |= Flag.TEIF
      self[at] &= ~Control.EN
      return
    }
    if reads { chip.core.invalidate(target, count: bytes) }
    if left(stream) == counts[stream] / 2 { flags[stream] |= Flag.HTIF }
    guard left(stream) == 0 else { return }
    flags[stream] |= Flag.TCIF
    if word & Control.CIRC != 0 {
      self[at + DMA.NDTR] = counts[stream]
      moved[stream] = 0
    } else {
      self[at] &= ~Control.EN
    }
  }

  private func refresh() {
    for stream in 0..<8 {
      let word = self[control(stream)]
      // DMEIE, TEIE, HTIE and TCIE are one bit lower than their flags.
      chip.setLine(interrupts[stream], flags[stream] >> 1 & word & 0x1E != 0)
    }
  }
}

/// The requests of all peripherals, and the two controllers that serve them.
final class DMARequestMatrix: DMARequests {
  fileprivate var controllers: [DMA] = []
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

  func pulse(_ request: DMARequest) {
    for controller in controllers {
      if let stream = controller.stream(for: request) { controller.serveOnce(stream) }
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

/// A request for a DMA transfer, which a peripheral makes.
enum DMARequest: Hashable {
  case adc
  case i2cRX(Int), i2cTX(Int)
  case usartRX(Int), usartTX(Int)
  case spiRX(Int), spiTX(Int)
  case tim(Int, TimerEvent)

  /// An event of a timer.
  enum TimerEvent: Hashable {
    case update
    /// A match or capture of a channel, from 0.
    case channel(Int)
  }

  /// The requests of timers by controller, stream and channel, from the same tables; those of triggers are not modelled.
  static let timers: [[[Int: [DMARequest]]]] = [
    [
      [2: [.tim(4, .channel(0))], 6: [.tim(5, .channel(2)), .tim(5, .update)]],
      [
        3: [.tim(2, .update), .tim(2, .channel(2))], 6: [.tim(5, .channel(3))],
        7: [.tim(6, .update)],
      ],
      [
        1: [.tim(7, .update)], 5: [.tim(3, .channel(3)), .tim(3, .update)],
        6: [.tim(5, .channel(0))],
      ],
      [2: [.tim(4, .channel(1))], 6: [.tim(5, .channel(3))]],
      [1: [.tim(7, .update)], 5: [.tim(3, .channel(0))], 6: [.tim(5, .channel(1))]],
      [3: [.tim(2, .channel(0))], 5: [.tim(3, .channel(1))]],
      [
        2: [.tim(4, .update)], 3: [.tim(2, .channel(1)), .tim(2, .channel(3))],
        6: [.tim(5, .update)],
      ],
      [
        2: [.tim(4, .channel(2))], 3: [.tim(2, .update), .tim(2, .channel(3))],
        5: [.tim(3, .channel(2))],
      ],
    ],
    [
      [:],
      [6: [.tim(1, .channel(0))], 7: [.tim(8, .update)]],
      [
        0: (0..<3).map { .tim(8, .channel($0)) }, 6: [.tim(1, .channel(1))],
        7: [.tim(8, .channel(0))],
      ],
      [6: [.tim(1, .channel(0))], 7: [.tim(8, .channel(1))]],
      [6: [.tim(1, .channel(3))], 7: [.tim(8, .channel(2))]],
      [6: [.tim(1, .update)]],
      [0: (0..<3).map { .tim(1, .channel($0)) }, 6: [.tim(1, .channel(2))]],
      [7: [.tim(8, .channel(3))]],
    ],
  ]

  /// The requests by controller, stream and channel (RM0383, tables 27 and 28; RM0090, tables 42 and
  /// 43, for USART3 to UART5).
  ///
  /// The requests of I2S and SDIO are not modelled.
  static let table: [[[Int: DMARequest]]] = [
    [
      [0: .spiRX(3), 1: .i2cRX(1), 4: .usartRX(5)],
      [0: .i2cTX(1), 1: .i2cRX(3), 4: .usartRX(3)],
      [0: .spiRX(3), 3: .i2cRX(3), 4: .usartRX(4), 7: .i2cRX(2)],
      [0: .spiRX(2), 4: .usartTX(3), 7: .i2cRX(2)],
      [0: .spiTX(2), 3: .i2cTX(3), 4: .usartTX(4), 7: .usartTX(3)],
      [0: .spiTX(3), 1: .i2cRX(1), 4: .usartRX(2), 6: .i2cTX(3)],
      [1: .i2cTX(1), 4: .usartTX(2)],
      [0: .spiTX(3), 1: .i2cTX(1), 4: .usartTX(5), 6: .usartRX(2), 7: .i2cTX(2)],
    ],
    [
      [0: .adc, 3: .spiRX(1), 4: .spiRX(4)],
      [4: .spiTX(4), 5: .usartRX(6)],
      [2: .spiTX(1), 3: .spiRX(1), 4: .usartRX(1), 5: .usartRX(6)],
      [2: .spiRX(5), 3: .spiTX(1), 5: .spiRX(4)],
      [0: .adc, 2: .spiTX(5), 4: .spiRX(4), 5: .spiTX(4)],
      [3: .spiTX(1), 4: .usartRX(1), 5: .spiTX(5), 7: .spiRX(5)],
      [5: .usartTX(6), 7: .spiTX(5)],
      [4: .usartTX(1), 5: .usartTX(6)],
    ],
  ]
}

/// The interface through which the peripherals request DMA transfers.
protocol DMARequests: AnyObject {
  /// Activates or deactivates a request.
  func set(_ request: DMARequest, _ isActive: Bool)

  /// Requests one transfer, as an event of a timer does.
  func pulse(_ request: DMARequest)

  /// Returns the number of remaining transfers of the stream that serves a request; `nil` if no stream serves it.
  func left(_ request: DMARequest) -> UInt32?
}
