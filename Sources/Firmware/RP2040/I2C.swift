import I2C
package import Machines

/// I2C0 and I2C1 as controllers: Synopsys' DW_apb_i2c with FIFOs of 16 entries.
///
/// The commands of the transmit FIFO are carried out on the wire one after the other; while it is empty and the last one
/// had no STOP, the controller holds the clock (IC_EMPTYFIFO_HOLD_MASTER_EN). The target mode and DMA are not modelled.
package final class I2CController: Peripheral {
  package static let IC_CON: UInt32 = 0x00
  package static let IC_TAR: UInt32 = 0x04
  static let IC_SAR: UInt32 = 0x08
  package static let IC_DATA_CMD: UInt32 = 0x10
  static let IC_SS_SCL_HCNT: UInt32 = 0x14
  static let IC_SS_SCL_LCNT: UInt32 = 0x18
  package static let IC_FS_SCL_HCNT: UInt32 = 0x1C
  package static let IC_FS_SCL_LCNT: UInt32 = 0x20
  static let IC_INTR_STAT: UInt32 = 0x2C
  package static let IC_INTR_MASK: UInt32 = 0x30
  package static let IC_RAW_INTR_STAT: UInt32 = 0x34
  package static let IC_RX_TL: UInt32 = 0x38
  package static let IC_TX_TL: UInt32 = 0x3C
  static let IC_CLR_INTR: UInt32 = 0x40
  static let IC_CLR_RX_UNDER: UInt32 = 0x44
  static let IC_CLR_RX_OVER: UInt32 = 0x48
  static let IC_CLR_TX_OVER: UInt32 = 0x4C
  static let IC_CLR_RD_REQ: UInt32 = 0x50
  package static let IC_CLR_TX_ABRT: UInt32 = 0x54
  static let IC_CLR_RX_DONE: UInt32 = 0x58
  static let IC_CLR_ACTIVITY: UInt32 = 0x5C
  package static let IC_CLR_STOP_DET: UInt32 = 0x60
  static let IC_CLR_START_DET: UInt32 = 0x64
  static let IC_CLR_GEN_CALL: UInt32 = 0x68
  package static let IC_ENABLE: UInt32 = 0x6C
  package static let IC_STATUS: UInt32 = 0x70
  package static let IC_TXFLR: UInt32 = 0x74
  package static let IC_RXFLR: UInt32 = 0x78
  static let IC_SDA_HOLD: UInt32 = 0x7C
  package static let IC_TX_ABRT_SOURCE: UInt32 = 0x80
  static let IC_DMA_CR: UInt32 = 0x88
  static let IC_SDA_SETUP: UInt32 = 0x94
  static let IC_ENABLE_STATUS: UInt32 = 0x9C
  static let IC_FS_SPKLEN: UInt32 = 0xA0
  static let IC_CLR_RESTART_DET: UInt32 = 0xA8

  /// Bits of IC_RAW_INTR_STAT.
  private enum Raised {
    static let RX_UNDER: UInt32 = 1, RX_OVER: UInt32 = 2, RX_FULL: UInt32 = 4
    static let TX_OVER: UInt32 = 8, TX_EMPTY: UInt32 = 16, RD_REQ: UInt32 = 32
    static let TX_ABRT: UInt32 = 64, RX_DONE: UInt32 = 128, ACTIVITY: UInt32 = 256
    static let STOP_DET: UInt32 = 512, START_DET: UInt32 = 1024, GEN_CALL: UInt32 = 2048
    static let RESTART_DET: UInt32 = 4096
  }
  /// Bits of IC_DATA_CMD.
  private enum Command {
    static let CMD: UInt32 = 1 << 8, STOP: UInt32 = 1 << 9, RESTART: UInt32 = 1 << 10
  }
  /// Bits of IC_TX_ABRT_SOURCE.
  private enum Abort {
    static let ABRT_7B_ADDR_NOACK: UInt32 = 1, ABRT_TXDATA_NOACK: UInt32 = 8
    static let ARB_LOST: UInt32 = 1 << 12, ABRT_USER_ABRT: UInt32 = 1 << 16
  }
  /// The state of the transfer on the wire: free, held between two commands, or the step that ends at `event`; in `stuck`
  /// a target holds the clock low for ever.
  private enum Step { case free, held, address, byte, stop, stuck }

  package let port: I2CPort
  private let interrupt: Int
  private let openBus = OpenWire()
  private var commands: [UInt32] = []
  private var received: [UInt8] = []
  private var raised: UInt32 = 0
  private var source: UInt32 = 0
  private var step = Step.free
  private var direction = I2CSegment.Direction.write
  /// The command on the wire.
  private var current: UInt32 = 0
  private var reply = I2CWireReply(end: 0)
  private lazy var event = MachineEvent(chip.run) { [unowned self] in stepDidEnd() }
  private static let depth = 16

  /// The bits that a read of each CLR register clears.
  private static let clears: [UInt32: UInt32] = [
    IC_CLR_INTR: 0x1FFF & ~(Raised.RX_FULL | Raised.TX_EMPTY), IC_CLR_RX_UNDER: Raised.RX_UNDER,
    IC_CLR_RX_OVER: Raised.RX_OVER, IC_CLR_TX_OVER: Raised.TX_OVER, IC_CLR_RD_REQ: Raised.RD_REQ,
    IC_CLR_TX_ABRT: Raised.TX_ABRT, IC_CLR_RX_DONE: Raised.RX_DONE,
    IC_CLR_ACTIVITY: Raised.ACTIVITY, IC_CLR_STOP_DET: Raised.STOP_DET,
    IC_CLR_START_DET: Raised.START_DET, IC_CLR_GEN_CALL: Raised.GEN_CALL,
    IC_CLR_RESTART_DET: Raised.RESTART_DET,
  ]

  init(_ number: Int, _ chip: Chip) {
    port = I2CPort("I2C\(number)")
    interrupt = 23 + number
    super.init(
      at: 0x4004_4000 + UInt32(number) * 0x4000,
      resetBit: number == 0 ? RESETS.Bit.I2C0 : RESETS.Bit.I2C1, chip)
    define(I2CController.IC_CON, reset: 0x65, mask: 0x7FF)
    define(I2CController.IC_TAR, reset: 0x55, mask: 0xFFF)
    define(I2CController.IC_SAR, reset: 0x55, mask: 0x3FF)
    define(I2CController.IC_DATA_CMD)
    define(I2CController.IC_SS_SCL_HCNT, reset: 0x28, mask: 0xFFFF)
    define(I2CController.IC_SS_SCL_LCNT, reset: 0x2F, mask: 0xFFFF)
    define(I2CController.IC_FS_SCL_HCNT, reset: 0x06, mask: 0xFFFF)
    define(I2CController.IC_FS_SCL_LCNT, reset: 0x0D, mask: 0xFFFF)
    for offset in stride(from: I2CController.IC_INTR_STAT, through: 0x80, by: 4) { define(offset) }
    define(I2CController.IC_INTR_MASK, reset: 0x8FF, mask: 0x1FFF)
    define(I2CController.IC_ENABLE, mask: 7)
    define(I2CController.IC_SDA_HOLD, reset: 1, mask: 0xFF_FFFF)
    for offset in stride(from: 0x84 as UInt32, through: 0x98, by: 4) { define(offset) }
    define(I2CController.IC_SDA_SETUP, reset: 0x64)
    define(I2CController.IC_ENABLE_STATUS, mask: 0)
    define(I2CController.IC_FS_SPKLEN, reset: 7, mask: 0xFF)
    define(I2CController.IC_CLR_RESTART_DET, mask: 0)
    // IC_COMP_PARAM_1, IC_COMP_VERSION and IC_COMP_TYPE.
    for (offset, word) in [(0xF4, 0), (0xF8, 0x3230_312A), (0xFC, 0x4457_0140)]
      as [(UInt32, UInt32)]
    {
      define(offset, reset: word, mask: 0)
    }
  }

  private var wire: any I2CWire { port.wire ?? openBus }
  private var isOn: Bool { self[I2CController.IC_ENABLE] & 1 != 0 }

  override func reset() {
    abandon()
    super.reset()
    (raised, source) = (0, 0)
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  /// Releases the bus and empties the FIFOs, as when the controller is disabled.
  private func abandon() {
    if case .free = step {} else { _ = wire.stop(at: time) }
    event.clear()
    step = .free
    commands.removeAll(keepingCapacity: true)
    received.removeAll(keepingCapacity: true)
  }

  /// The bit rate in Hz (RP2040 datasheet, 4.3.14.1).
  private var frequency: UInt64 {
    let isStandard = self[I2CController.IC_CON] >> 1 & 3 == 1
    let high = self[isStandard ? I2CController.IC_SS_SCL_HCNT : I2CController.IC_FS_SCL_HCNT]
    let low = self[isStandard ? I2CController.IC_SS_SCL_LCNT : I2CController.IC_FS_SCL_LCNT]
    let clocks = UInt64(high) + UInt64(self[I2CController.IC_FS_SPKLEN]) + 7 + UInt64(low) + 1
    return max(chip.systemClock / clocks, 1)
  }

  // MARK: Registers

  /// The interrupts, of which two follow from the FIFOs.
  private var status: UInt32 {
    var word = raised
    if received.count > Int(self[I2CController.IC_RX_TL] & 0xFF) { word |= Raised.RX_FULL }
    // With TX_EMPTY_CTRL, the last byte must also have left the shift register.
    let waitsForShift = self[I2CController.IC_CON] >> 8 & 1 != 0
    if isOn, commands.count <= Int(self[I2CController.IC_TX_TL] & 0xFF),
      !waitsForShift || step == .free || step == .held
    {
      word |= Raised.TX_EMPTY
    }
    return word
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    if let bits = Self.clears[offset] {
      raised &= ~bits
      if offset == I2CController.IC_CLR_TX_ABRT || offset == I2CController.IC_CLR_INTR {
        source = 0
      }
      refresh()
      return 0
    }
    switch offset {
    case I2CController.IC_DATA_CMD: return take()
    case I2CController.IC_INTR_STAT: return status & self[I2CController.IC_INTR_MASK]
    case I2CController.IC_RAW_INTR_STAT: return status
    case I2CController.IC_STATUS:
      return (step == .free ? 0 : 0x21) | (commands.count < Self.depth ? 2 : 0)
        | (commands.isEmpty ? 4 : 0) | (received.isEmpty ? 0 : 8)
        | (received.count == Self.depth ? 16 : 0)
    case I2CController.IC_TXFLR: return UInt32(commands.count)
    case I2CController.IC_RXFLR: return UInt32(received.count)
    case I2CController.IC_TX_ABRT_SOURCE: return source
    case I2CController.IC_ENABLE_STATUS: return isOn ? 1 : 0
    default: return nil
    }
  }

  private func take() -> UInt32 {
    guard !received.isEmpty else {
      raised |= Raised.RX_UNDER
      refresh()
      return 0
    }
    let byte = received.removeFirst()
    refresh()
    return UInt32(byte)
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case I2CController.IC_DATA_CMD: put(value)
    case I2CController.IC_ENABLE: enable(value)
    case I2CController.IC_CON:
      self[offset] = value & 0x7FF
      if value & 0x40 == 0 { note(offset, "target mode (IC_SLAVE_DISABLE = 0)") }
    case I2CController.IC_TAR, I2CController.IC_INTR_MASK, I2CController.IC_RX_TL,
      I2CController.IC_TX_TL, I2CController.IC_DMA_CR:
      self[offset] = value
    default: return false
    }
    refresh()
    return true
  }

  private func put(_ command: UInt32) {
    // After an abort, the FIFO stays empty until the program has seen it.
    guard isOn, raised & Raised.TX_ABRT == 0 else { return }
    guard commands.count < Self.depth else {
      raised |= Raised.TX_OVER
      return
    }
    commands.append(command & 0x7FF)
    proceed()
  }

  private func enable(_ value: UInt32) {
    self[I2CController.IC_ENABLE] = value & 5
    if value & 1 == 0 { return abandon() }
    if value & 2 != 0, step != .free {
      source |= Abort.ABRT_USER_ABRT
      raised |= Raised.TX_ABRT
      commands.removeAll(keepingCapacity: true)
      if step == .held { stop() }
    }
  }

  private func refresh() {
    chip.setLine(interrupt, status & self[I2CController.IC_INTR_MASK] != 0)
  }

  // MARK: The wire

  private func wait(_ step: Step, until end: UInt64) {
    self.step = step
    event.set(at: end)
  }

  /// Carries out the next command if the bus is free or held.
  private func proceed() {
    guard isOn, step == .free || step == .held, let command = commands.first else { return }
    let direction: I2CSegment.Direction = command & Command.CMD != 0 ? .read : .write
    if step == .free || command & Command.RESTART != 0 || direction != self.direction {
      if step == .free { wire.frequency = frequency }
      raised |= Raised.START_DET | Raised.ACTIVITY
      self.direction = direction
      let address = I2CAddress(rawValue: UInt16(self[I2CController.IC_TAR] & 0x7F)) ?? 0
      reply = wire.start(address, direction, plan: I2CWirePlan(), at: time)
      current = command & ~Command.RESTART
      commands[0] = current
      return wait(.address, until: reply.end)
    }
    transfer(command)
  }

  /// Begins the byte of the first command.
  private func transfer(_ command: UInt32) {
    commands.removeFirst()
    current = command
    if direction == .write {
      reply = wire.write(UInt8(truncatingIfNeeded: command), at: time)
    } else {
      // Without a next command, another read is assumed: programs send the command for a byte after they have the last.
      let next = commands.first ?? Command.CMD
      let continues =
        command & Command.STOP == 0 && next & (Command.CMD | Command.RESTART) == Command.CMD
      reply = wire.read(acknowledging: continues, at: time)
    }
    wait(.byte, until: reply.end)
  }

  private func stop() { wait(.stop, until: wire.stop(at: time).end) }

  private func stepDidEnd() {
    switch step {
    case .address:
      step = .held
      if !fails(Abort.ABRT_7B_ADDR_NOACK), let command = commands.first { transfer(command) }
    case .byte:
      step = .held
      if !fails(Abort.ABRT_TXDATA_NOACK) { byteDidEnd() }
    case .stop:
      step = .free
      raised |= Raised.STOP_DET
      raised &= ~Raised.ACTIVITY
      proceed()
    default: break
    }
    refresh()
  }

  private func byteDidEnd() {
    if direction == .read {
      if received.count < Self.depth {
        received.append(reply.byte)
      } else {
        raised |= Raised.RX_OVER
      }
    }
    if current & Command.STOP != 0 || source & Abort.ABRT_USER_ABRT != 0 {
      stop()
    } else {
      proceed()
    }
  }

  /// Ends the transfer with an abort if the last step failed; returns `false` if it succeeded.
  private func fails(_ missing: UInt32) -> Bool {
    guard let failure = reply.failure else { return false }
    if failure == .timeOut {
      step = .stuck
      return true
    }
    let count = UInt32(commands.count)
    source |= (failure == .arbitrationLost ? Abort.ARB_LOST : missing) | count << 23
    raised |= Raised.TX_ABRT
    commands.removeAll(keepingCapacity: true)
    stop()
    return true
  }
}
