import Machines

/// RADIO, which sends the packets that the program has composed, and receives silence.
///
/// No other radio is in range, so a receiver waits until it is disabled. Packets are sent to `port`.
package final class RADIO: TaskPeripheral {
  package static let TASKS_TXEN: UInt32 = 0x000
  package static let TASKS_RXEN: UInt32 = 0x004
  package static let TASKS_START: UInt32 = 0x008
  package static let TASKS_STOP: UInt32 = 0x00C
  package static let TASKS_DISABLE: UInt32 = 0x010
  package static let TASKS_RSSISTART: UInt32 = 0x014
  package static let TASKS_RSSISTOP: UInt32 = 0x018
  package static let TASKS_BCSTART: UInt32 = 0x01C
  package static let EVENTS_READY: UInt32 = 0x100
  package static let EVENTS_ADDRESS: UInt32 = 0x104
  package static let EVENTS_PAYLOAD: UInt32 = 0x108
  package static let EVENTS_END: UInt32 = 0x10C
  package static let EVENTS_DISABLED: UInt32 = 0x110
  package static let EVENTS_DEVMATCH: UInt32 = 0x114
  package static let EVENTS_DEVMISS: UInt32 = 0x118
  package static let EVENTS_RSSIEND: UInt32 = 0x11C
  package static let EVENTS_BCMATCH: UInt32 = 0x128
  package static let EVENTS_CRCOK: UInt32 = 0x130
  package static let EVENTS_CRCERROR: UInt32 = 0x134
  package static let CRCSTATUS: UInt32 = 0x400
  package static let RXMATCH: UInt32 = 0x408
  package static let RXCRC: UInt32 = 0x40C
  package static let DAI: UInt32 = 0x410
  package static let PACKETPTR: UInt32 = 0x504
  package static let FREQUENCY: UInt32 = 0x508
  package static let TXPOWER: UInt32 = 0x50C
  package static let MODE: UInt32 = 0x510
  package static let PCNF0: UInt32 = 0x514
  package static let PCNF1: UInt32 = 0x518
  package static let BASE0: UInt32 = 0x51C
  package static let BASE1: UInt32 = 0x520
  package static let PREFIX0: UInt32 = 0x524
  package static let PREFIX1: UInt32 = 0x528
  package static let TXADDRESS: UInt32 = 0x52C
  package static let RXADDRESSES: UInt32 = 0x530
  package static let CRCCNF: UInt32 = 0x534
  package static let CRCPOLY: UInt32 = 0x538
  package static let CRCINIT: UInt32 = 0x53C
  package static let TIFS: UInt32 = 0x544
  package static let RSSISAMPLE: UInt32 = 0x548
  package static let STATE: UInt32 = 0x550
  package static let DATAWHITEIV: UInt32 = 0x554
  /// DAB[0], the first of eight, which DAP[0] to DAP[7] follow.
  package static let DAB: UInt32 = 0x600
  package static let DACNF: UInt32 = 0x640
  package static let MODECNF0: UInt32 = 0x650

  /// The values of STATE.
  private enum State: UInt32 {
    case disabled = 0
    case rxRampUp = 1
    case rxIdle = 2
    case rx = 3
    case rxDisable = 4
    case txRampUp = 9
    case txIdle = 10
    case tx = 11
    case txDisable = 12
  }

  /// What is due next.
  private enum Step {
    case ready, address, payload, end, disabled
  }

  /// Times in microseconds (product specification v1.4, RADIO, quoted from memory): the ramp-up by MODECNF0.RU, the
  /// ramp-down of the transmitter and of the receiver, and a sample of the signal strength.
  private static let rampUps = [140.0, 40.0]
  private static let transmitterDisable = 6.0
  private static let receiverDisable = 0.5
  private static let strengthSample = 0.25
  /// The signal strength of silence, in dBm below 0.
  private static let silence: UInt32 = 127

  /// The packets on the air.
  let port = RadioPort("RADIO")
  private var state = State.disabled
  private var next = Step.ready
  private var packet: RadioPacket?
  /// The durations of the parts of the packet after its address, in microseconds.
  private var (payloadTime, checkTime) = (0.0, 0.0)
  /// The cycle at which the last packet ended; `nil` before the first one.
  private var lastEnd: UInt64?
  private lazy var slot = chip.schedule.slot { [unowned self] in advance(at: $0) }
  private lazy var strength = chip.schedule.slot { [unowned self] in
    raise(RADIO.EVENTS_RSSIEND, at: $0)
  }

  init(_ chip: Chip) {
    super.init(
      1,
      events: [
        RADIO.EVENTS_READY, RADIO.EVENTS_ADDRESS, RADIO.EVENTS_PAYLOAD, RADIO.EVENTS_END,
        RADIO.EVENTS_DISABLED, RADIO.EVENTS_DEVMATCH, RADIO.EVENTS_DEVMISS, RADIO.EVENTS_RSSIEND,
        RADIO.EVENTS_BCMATCH, RADIO.EVENTS_CRCOK, RADIO.EVENTS_CRCERROR,
      ],
      shorts: [
        Short(bit: 0, event: RADIO.EVENTS_READY, task: RADIO.TASKS_START),
        Short(bit: 1, event: RADIO.EVENTS_END, task: RADIO.TASKS_DISABLE),
        Short(bit: 2, event: RADIO.EVENTS_DISABLED, task: RADIO.TASKS_TXEN),
        Short(bit: 3, event: RADIO.EVENTS_DISABLED, task: RADIO.TASKS_RXEN),
        Short(bit: 4, event: RADIO.EVENTS_ADDRESS, task: RADIO.TASKS_RSSISTART),
        Short(bit: 5, event: RADIO.EVENTS_END, task: RADIO.TASKS_START),
        Short(bit: 6, event: RADIO.EVENTS_ADDRESS, task: RADIO.TASKS_BCSTART),
        Short(bit: 8, event: RADIO.EVENTS_DISABLED, task: RADIO.TASKS_RSSISTOP),
      ], chip)
    for offset in [
      RADIO.PACKETPTR, RADIO.PCNF0, RADIO.PCNF1, RADIO.BASE0, RADIO.BASE1, RADIO.PREFIX0,
      RADIO.PREFIX1, RADIO.TXPOWER,
    ] { define(offset) }
    define(RADIO.FREQUENCY, reset: 2, mask: 0x17F)
    define(RADIO.MODE, mask: 0xF)
    define(RADIO.TXADDRESS, mask: 7)
    define(RADIO.RXADDRESSES, mask: 0xFF)
    define(RADIO.CRCCNF, mask: 0x103)
    define(RADIO.CRCPOLY, mask: 0xFF_FFFF)
    define(RADIO.CRCINIT, mask: 0xFF_FFFF)
    define(RADIO.TIFS, mask: 0xFF)
    define(RADIO.DATAWHITEIV, reset: 0x40, mask: 0x7F)
    for index: UInt32 in 0..<8 {
      define(RADIO.DAB + index * 4)
      define(RADIO.DAB + 0x20 + index * 4, mask: 0xFFFF)
    }
    define(RADIO.DACNF, mask: 0xFFFF)
    define(RADIO.MODECNF0, reset: 0x200, mask: 0x301)
  }

  override func reset() {
    chip.schedule.clear(slot)
    chip.schedule.clear(strength)
    (state, packet, lastEnd) = (.disabled, nil, nil)
    super.reset()
  }

  /// The tasks of the bit counter are not modelled.
  override func hasTask(_ task: UInt32) -> Bool { task <= RADIO.TASKS_RSSISTOP }

  override func task(_ task: UInt32, at cycle: UInt64) {
    switch task {
    case RADIO.TASKS_TXEN: rampUp(.txRampUp, at: cycle)
    case RADIO.TASKS_RXEN: rampUp(.rxRampUp, at: cycle)
    case RADIO.TASKS_START:
      if state == .txIdle { send(at: cycle) }
      if state == .rxIdle { state = .rx }
    case RADIO.TASKS_STOP:
      guard state == .tx || state == .rx else { return }
      chip.schedule.clear(slot)
      state = state == .tx ? .txIdle : .rxIdle
    case RADIO.TASKS_DISABLE: disable(at: cycle)
    case RADIO.TASKS_RSSISTART:
      chip.schedule.set(strength, at: chip.cycle(cycle, plus: Self.strengthSample))
    case RADIO.TASKS_RSSISTOP: chip.schedule.clear(strength)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case RADIO.STATE: state.rawValue
    case RADIO.RSSISAMPLE: Self.silence
    case RADIO.CRCSTATUS, RADIO.RXMATCH, RADIO.RXCRC, RADIO.DAI: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    [RADIO.STATE, RADIO.RSSISAMPLE, RADIO.CRCSTATUS, RADIO.RXMATCH, RADIO.RXCRC, RADIO.DAI]
      .contains(offset)
  }

  // MARK: States

  private func rampUp(_ kind: State, at cycle: UInt64) {
    guard state == .disabled else { return }
    state = kind
    var ready = chip.cycle(cycle, plus: Self.rampUps[Int(self[RADIO.MODECNF0] & 1)])
    // The interframe spacing counts from the end of the last packet to the start of the next one.
    if kind == .txRampUp, let lastEnd {
      ready = max(ready, chip.cycle(lastEnd, plus: Double(self[RADIO.TIFS])))
    }
    schedule(.ready, at: ready)
  }

  private func disable(at cycle: UInt64) {
    // A radio that is disabled raises the event as well: Nordic's stack waits for it.
    if state == .disabled { return raise(RADIO.EVENTS_DISABLED, at: cycle) }
    guard state != .txDisable, state != .rxDisable else { return }
    let isTransmitter = state.rawValue >= State.txRampUp.rawValue
    state = isTransmitter ? .txDisable : .rxDisable
    let time = isTransmitter ? Self.transmitterDisable : Self.receiverDisable
    schedule(.disabled, at: chip.cycle(cycle, plus: time))
  }

  private func schedule(_ step: Step, at cycle: UInt64) {
    next = step
    chip.schedule.set(slot, at: cycle)
  }

  private func advance(at cycle: UInt64) {
    switch next {
    case .ready:
      state = state == .txRampUp ? .txIdle : .rxIdle
      raise(RADIO.EVENTS_READY, at: cycle)
    case .address:
      schedule(.payload, at: chip.cycle(cycle, plus: payloadTime))
      raise(RADIO.EVENTS_ADDRESS, at: cycle)
    case .payload:
      schedule(.end, at: chip.cycle(cycle, plus: checkTime))
      raise(RADIO.EVENTS_PAYLOAD, at: cycle)
    case .end:
      (state, lastEnd) = (.txIdle, cycle)
      if let packet { port.send(packet) }
      raise(RADIO.EVENTS_END, at: cycle)
    case .disabled:
      state = .disabled
      raise(RADIO.EVENTS_DISABLED, at: cycle)
    }
  }

  // MARK: Packets

  /// The values of MODE whose rate is not 1 Mbit/s.
  private enum Mode {
    static let Nrf_2Mbit: UInt32 = 1
    static let Nrf_250Kbit: UInt32 = 2
    static let Ble_2Mbit: UInt32 = 4
  }

  /// The bits per microsecond, and the number of bits of the preamble.
  private var rate: (bits: Double, preamble: Double) {
    switch self[RADIO.MODE] {
    case Mode.Nrf_2Mbit: (2, 8)
    case Mode.Nrf_250Kbit: (0.25, 8)
    case Mode.Ble_2Mbit: (2, 16)
    default: (1, 8)
    }
  }

  private func send(at cycle: UInt64) {
    state = .tx
    let packet = compose(at: cycle)
    self.packet = packet
    let (bits, preamble) = rate
    let addressBits = Double(8 * ((self[RADIO.PCNF1] >> 16 & 7) + 1))
    payloadTime = Double(packet.bytes.count) * 8 / bits
    checkTime = Double(packet.check.count) * 8 / bits
    schedule(.address, at: chip.cycle(cycle, plus: (preamble + addressBits) / bits))
  }

  /// Reads the packet from RAM, as PCNF0 and PCNF1 describe it: S0, LENGTH, S1 and the payload.
  private func compose(at cycle: UInt64) -> RadioPacket {
    let (layout, limits) = (self[RADIO.PCNF0], self[RADIO.PCNF1])
    let (lengthBits, hasS0, s1Bits) = (layout & 0xF, layout >> 8 & 1 == 1, layout >> 16 & 0xF)
    var pointer = self[RADIO.PACKETPTR]
    var isOutside = false
    func byte() -> UInt8 {
      defer { pointer &+= 1 }
      if let byte = chip.readRAM(pointer) { return byte }
      isOutside = true
      return 0
    }
    var bytes: [UInt8] = []
    if hasS0 { bytes.append(byte()) }
    var count = limits >> 8 & 0xFF
    if lengthBits > 0 {
      let length = UInt32(byte()) & (1 << min(lengthBits, 8) - 1)
      count += length
      let s1 = s1Bits > 0 || layout >> 20 & 1 == 1 ? UInt32(byte()) & (1 << min(s1Bits, 8) - 1) : 0
      // On the air, the bits of S1 follow those of LENGTH.
      bytes.append(UInt8(truncatingIfNeeded: length | s1 << lengthBits))
      if lengthBits + s1Bits > 8 {
        bytes.append(UInt8(truncatingIfNeeded: (length | s1 << lengthBits) >> 8))
      }
    }
    for _ in 0..<min(count, limits & 0xFF) { bytes.append(byte()) }
    if isOutside { chip.noteOutsideRAM(self[RADIO.PACKETPTR], "RADIO.PACKETPTR") }
    return RadioPacket(
      time: chip.nanoseconds(cycle), megahertz: frequency, address: address, bytes: bytes,
      check: check(of: bytes))
  }

  /// The carrier frequency in MHz; FREQUENCY.MAP selects a band below 2,400 MHz.
  private var frequency: Int {
    let register = self[RADIO.FREQUENCY]
    return (register & 0x100 == 0 ? 2400 : 2360) + Int(register & 0x7F)
  }

  /// The address of up to four bytes, lowest byte first on the air: the base, and the prefix as the highest byte.
  private var address: UInt32 {
    let index = self[RADIO.TXADDRESS]
    let base = self[index == 0 ? RADIO.BASE0 : RADIO.BASE1]
    let prefix = self[index < 4 ? RADIO.PREFIX0 : RADIO.PREFIX1] >> (index % 4 * 8) & 0xFF
    let length = min(self[RADIO.PCNF1] >> 16 & 7, 4)
    if length == 4 { return base }
    return prefix << (8 * length) | (length == 0 ? 0 : base >> (32 - 8 * length))
  }

  /// The CRC of CRCCNF.LEN bytes, in the order of the air; the lowest bit of a byte is sent first.
  private func check(of bytes: [UInt8]) -> [UInt8] {
    let length = self[RADIO.CRCCNF] & 3
    guard length > 0 else { return [] }
    let bits = 8 * length
    func reversed(_ word: UInt32) -> UInt32 { word.bitReversed >> (32 - bits) }
    let mask: UInt32 = 0xFFFF_FFFF >> (32 - bits)
    let polynomial = reversed(self[RADIO.CRCPOLY] & mask)
    var state = reversed(self[RADIO.CRCINIT] & mask)
    func shift(_ byte: UInt8) {
      for bit in 0..<8 {
        let isSet = (state ^ UInt32(byte >> UInt8(bit))) & 1 == 1
        state >>= 1
        if isSet { state ^= polynomial }
      }
    }
    // CRCCNF.SKIPADDR excludes the address.
    if self[RADIO.CRCCNF] & 0x100 == 0 {
      for index in 0...min(self[RADIO.PCNF1] >> 16 & 7, 3) {
        shift(UInt8(truncatingIfNeeded: address >> (8 * index)))
      }
    }
    bytes.forEach(shift)
    return (0..<length).map { UInt8(truncatingIfNeeded: state >> (8 * $0)) }
  }
}

extension UInt32 {
  /// The word with its bits in reverse order.
  fileprivate var bitReversed: UInt32 {
    (0..<32).reduce(0) { $0 | (self >> $1 & 1) << (31 - $1) }
  }
}
