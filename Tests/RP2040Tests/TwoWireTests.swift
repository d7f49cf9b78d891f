import I2C
import Machines
import RP2040
import Testing

/// The commands of an I2C controller, on a wire that logs its transfers.
struct TwoWireTests {
  /// A target at 0x76 that acknowledges every byte and sends 1, 2, 3 and so on.
  private final class Wire: I2CWire {
    var frequency: UInt64 = 100_000
    var log: [String] = []
    /// The number of written bytes that are acknowledged.
    var accepted = Int.max
    private var next: UInt8 = 0

    private func reply(
      _ bits: UInt64, _ time: UInt64, byte: UInt8 = 0xFF, failure: I2CError.Kind? = nil
    ) -> I2CWireReply {
      I2CWireReply(failure: failure, byte: byte, end: time + bits * 1_000_000_000 / frequency)
    }

    func start(
      _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
    ) -> I2CWireReply {
      log.append("S \(String(address.rawValue, radix: 16)) \(direction == .read ? "R" : "W")")
      return reply(10, time, failure: address.rawValue == 0x76 ? nil : .addressNack)
    }

    func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
      log.append("\(byte)")
      accepted -= 1
      return reply(9, time, failure: accepted < 0 ? .dataNack : nil)
    }

    func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply {
      next += 1
      log.append("[\(next)]\(acknowledging ? "A" : "N")")
      return reply(9, time, byte: next)
    }

    func stop(at time: UInt64) -> I2CWireReply {
      log.append("P")
      return reply(1, time)
    }

    func errno(of kind: I2CError.Kind) -> I2CErrno { .eio }
  }

  private let part: Part
  private let wire = Wire()
  private static let read: UInt32 = 1 << 8, stop: UInt32 = 1 << 9, restart: UInt32 = 1 << 10
  private static let abort: UInt32 = 1 << 6, stopped: UInt32 = 1 << 9

  init() throws {
    part = try #require(Part())
    part.machine.i2cPorts[0].wire = wire
    part[Base.I2C0 + I2CController.IC_CON] = 0x165
    part[Base.I2C0 + I2CController.IC_FS_SCL_HCNT] = 125
    part[Base.I2C0 + I2CController.IC_FS_SCL_LCNT] = 187
    part[Base.I2C0 + 0xA0] = 11
    part[Base.I2C0 + I2CController.IC_INTR_MASK] = 0
    target(0x76)
  }

  private func target(_ address: UInt32) {
    part[Base.I2C0 + I2CController.IC_ENABLE] = 0
    part[Base.I2C0 + I2CController.IC_TAR] = address
    part[Base.I2C0 + I2CController.IC_ENABLE] = 1
  }

  private func command(_ words: UInt32...) {
    for word in words { part[Base.I2C0 + I2CController.IC_DATA_CMD] = word }
  }

  private func raised(_ flag: UInt32) -> Bool {
    part.wait(Base.I2C0 + I2CController.IC_RAW_INTR_STAT, flag) != nil
  }

  @Test("SCL has the period of both counts with the spike filter (RP2040 datasheet, 4.3.14.1)")
  func frequency() {
    command(1 | Self.stop)
    #expect(wire.frequency == 125_000_000 / (125 + 11 + 7 + 187 + 1))
  }

  @Test("a write ends with STOP_DET; RESTART before a read gives a repeated start")
  func register() {
    command(0xF7, Self.read | Self.restart, Self.read, Self.read | Self.stop)
    #expect(raised(Self.stopped))
    #expect(wire.log == ["S 76 W", "247", "S 76 R", "[1]A", "[2]A", "[3]N", "P"])
    #expect(part[Base.I2C0 + I2CController.IC_RXFLR] == 3)
    #expect((0..<3).map { _ in part[Base.I2C0 + I2CController.IC_DATA_CMD] } == [1, 2, 3])
    #expect(part[Base.I2C0 + I2CController.IC_STATUS] == 6, "free, both FIFOs as after a reset")
    _ = part[Base.I2C0 + I2CController.IC_CLR_STOP_DET]
    #expect(part[Base.I2C0 + I2CController.IC_RAW_INTR_STAT] & Self.stopped == 0)
  }

  @Test("with an empty FIFO and no STOP the bus is held until the next command")
  func held() {
    command(1)
    part.pass(microseconds: 500)
    #expect(wire.log == ["S 76 W", "1"])
    #expect(part[Base.I2C0 + I2CController.IC_STATUS] & 1 == 1)
    // TX_EMPTY.
    #expect(part[Base.I2C0 + I2CController.IC_RAW_INTR_STAT] & 16 != 0)
    command(2 | Self.stop)
    #expect(raised(Self.stopped))
    #expect(wire.log == ["S 76 W", "1", "2", "P"])
  }

  @Test("a byte that was read can be taken before the next command is written")
  func oneByOne() {
    command(Self.read | Self.restart)
    #expect(part.wait(Base.I2C0 + I2CController.IC_RXFLR, 1) != nil)
    command(Self.read | Self.stop)
    #expect(raised(Self.stopped))
    #expect(wire.log == ["S 76 R", "[1]A", "[2]N", "P"])
  }

  @Test(
    "without an acknowledgement the transfer is aborted, with its reason, until TX_ABRT is cleared")
  func aborts() {
    target(0x10)
    command(1, 2 | Self.stop)
    #expect(raised(Self.abort) && raised(Self.stopped))
    #expect(wire.log == ["S 10 W", "P"])
    #expect(part[Base.I2C0 + I2CController.IC_TX_ABRT_SOURCE] & 0x1FFF == 1)
    command(3 | Self.stop)
    part.pass(microseconds: 100)
    #expect(wire.log.count == 2, "the FIFO takes nothing")
    _ = part[Base.I2C0 + I2CController.IC_CLR_TX_ABRT]
    #expect(part[Base.I2C0 + I2CController.IC_TX_ABRT_SOURCE] == 0)
    target(0x76)
    wire.accepted = 1
    command(1, 2 | Self.stop)
    #expect(raised(Self.abort))
    #expect(part[Base.I2C0 + I2CController.IC_TX_ABRT_SOURCE] & 0x1FFF == 8)
    #expect(wire.log.suffix(4) == ["S 76 W", "1", "2", "P"])
  }

  @Test("RX_FULL and its interrupt follow RX_TL")
  func thresholds() {
    part[Base.I2C0 + I2CController.IC_RX_TL] = 1
    part[Base.I2C0 + I2CController.IC_INTR_MASK] = 4
    command(Self.read | Self.restart, Self.read, Self.read | Self.stop)
    #expect(part.wait(Base.I2C0 + I2CController.IC_RXFLR, 1) != nil)
    #expect(!part.isPending(23))
    #expect(part.wait(Base.I2C0 + I2CController.IC_RXFLR, 2) != nil)
    #expect(part.isPending(23))
  }
}
