import I2C
import Machines
import STM32F411
import Testing

/// The event sequences of an I2C controller, on a wire that logs its transfers.
struct TwoWireTests {
  /// A target at 0x76 that acknowledges every byte and sends 1, 2, 3 and so on.
  private final class Wire: I2CWire {
    var frequency: UInt64 = 100_000
    var log: [String] = []
    /// The failures by the number of the step, from 1 on.
    var failures: [Int: I2CError.Kind] = [:]
    private var steps = 0
    private var next: UInt8 = 0

    private func reply(_ bits: UInt64, _ time: UInt64, byte: UInt8 = 0xFF) -> I2CWireReply {
      steps += 1
      return I2CWireReply(
        failure: failures[steps], byte: byte, end: time + bits * 1_000_000_000 / frequency)
    }

    func start(
      _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
    ) -> I2CWireReply {
      log.append("S \(String(address.rawValue, radix: 16)) \(direction == .read ? "R" : "W")")
      let reply = self.reply(10, time)
      if address.rawValue == 0x76 { return reply }
      return I2CWireReply(failure: .addressNack, end: reply.end)
    }

    func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
      log.append("\(byte)")
      return reply(9, time)
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
  private static let (control, data, status, status2) =
    (
      Base.I2C1 + I2CPeripheral.CR1, Base.I2C1 + I2CPeripheral.DR, Base.I2C1 + I2CPeripheral.SR1,
      Base.I2C1 + I2CPeripheral.SR2
    )
  private static let (on, start, stop): (UInt32, UInt32, UInt32) = (1, 1 << 8, 1 << 9)
  private static let (acknowledge, position): (UInt32, UInt32) = (1 << 10, 1 << 11)
  private static let (sb, addr, btf): (UInt32, UInt32, UInt32) = (1, 2, 4)
  private static let (rxne, txe): (UInt32, UInt32) = (64, 128)

  init() throws {
    part = try #require(Part())
    part.machine.i2cPorts[0].wire = wire
    part[Base.I2C1 + I2CPeripheral.CR2] = 16
    // 16 MHz / 160: 100 kHz.
    part[Base.I2C1 + I2CPeripheral.CCR] = 80
    part[Self.control] = Self.on
  }

  private func sees(_ flag: UInt32) -> Bool { part.wait(Self.status, flag) != nil }

  private func address(_ byte: UInt32) {
    part[Self.control] |= Self.start
    #expect(sees(Self.sb))
    part[Self.data] = byte
    #expect(sees(Self.addr))
  }

  private func clearAddress() {
    _ = part[Self.status]
    _ = part[Self.status2]
  }

  @Test("a START set during a byte takes effect after that byte, before the byte in DR")
  func startDuringByte() {
    address(0xEC)
    clearAddress()
    part[Self.data] = 0xF7
    #expect(sees(Self.txe))
    part[Self.control] |= Self.start
    // Drivers write DR to clear TXE.
    part[Self.data] = 0
    #expect(sees(Self.sb))
    part[Self.data] = 0xED
    #expect(sees(Self.addr))
    #expect(wire.log == ["S 76 W", "247", "S 76 R"])
  }

  @Test("bytes are sent one after the other, with TXE, BTF and a stop condition")
  func transmit() {
    part[Self.control] |= Self.start
    #expect(sees(Self.sb))
    #expect(part[Self.status2] & 3 == 3)
    part[Self.data] = 0xEC
    let took = part.wait(Self.status, Self.addr)
    #expect(took.map { (99...102).contains($0) } == true)
    #expect(part[Self.status2] & 7 == 7)
    clearAddress()
    #expect(part[Self.status] & (Self.addr | Self.txe) == Self.txe)
    part[Self.data] = 0xF4
    #expect(part[Self.status] & (Self.txe | Self.btf) == Self.txe)
    part[Self.data] = 0x25
    #expect(part[Self.status] & Self.txe == 0)
    #expect(sees(Self.txe))
    #expect(part[Self.status] & Self.btf == 0)
    #expect(sees(Self.btf))
    part[Self.control] |= Self.stop
    #expect(part[Self.status] & Self.btf == 0)
    part.pass(microseconds: 20)
    #expect(part[Self.status2] & 3 == 0)
    #expect(part[Self.control] & Self.stop == 0)
    #expect(wire.log == ["S 76 W", "244", "37", "P"])
  }

  @Test("a read of one byte succeeds with ACK cleared and STOP set before the byte is received")
  func one() {
    address(0xED)
    part[Self.control] &= ~Self.acknowledge
    clearAddress()
    part[Self.control] |= Self.stop
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 1)
    part.pass(microseconds: 50)
    #expect(part[Self.status2] & 2 == 0)
    #expect(wire.log == ["S 76 R", "[1]N", "P"])
  }

  @Test("in a read of two bytes with POS, ACK applies to the second byte")
  func two() {
    part[Self.control] |= Self.acknowledge | Self.position
    address(0xED)
    clearAddress()
    part[Self.control] &= ~Self.acknowledge
    #expect(sees(Self.btf))
    part[Self.control] |= Self.stop
    #expect(part[Self.data] == 1)
    #expect(part[Self.data] == 2)
    part.pass(microseconds: 50)
    #expect(wire.log == ["S 76 R", "[1]A", "[2]N", "P"])
  }

  @Test("in a longer read, the clock is stretched while DR and the shift register are full")
  func many() {
    part[Self.control] |= Self.acknowledge
    address(0xED)
    clearAddress()
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 1)
    #expect(sees(Self.btf))
    part.pass(microseconds: 1000)
    #expect(wire.log.count == 4)
    part[Self.control] &= ~Self.acknowledge
    #expect(part[Self.data] == 2)
    part[Self.control] |= Self.stop
    #expect(part[Self.data] == 3)
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 4)
    part.pass(microseconds: 50)
    #expect(wire.log == ["S 76 R", "[1]A", "[2]A", "[3]A", "[4]N", "P"])
  }

  @Test("clearing ACK after the next-to-last byte applies to the last byte")
  func acknowledgeInTime() {
    part[Self.control] |= Self.acknowledge
    address(0xED)
    clearAddress()
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 1)
    part[Self.control] = part[Self.control] & ~Self.acknowledge | Self.stop
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 2)
    part.pass(microseconds: 50)
    #expect(wire.log == ["S 76 R", "[1]A", "[2]N", "P"])
  }

  @Test("a repeated start changes the direction without a stop")
  func repeated() {
    address(0xEC)
    clearAddress()
    part[Self.data] = 0xD0
    #expect(sees(Self.btf))
    address(0xED)
    clearAddress()
    part[Self.control] |= Self.stop
    #expect(sees(Self.rxne))
    #expect(part[Self.data] == 1)
    part.pass(microseconds: 50)
    #expect(wire.log == ["S 76 W", "208", "S 76 R", "[1]N", "P"])
  }

  @Test("an address that is not acknowledged sets AF and requests the error interrupt")
  func refused() {
    part[Base.I2C1 + I2CPeripheral.CR2] |= 3 << 8
    part[Self.control] |= Self.start
    #expect(sees(Self.sb))
    #expect(part.isPending(31))
    part[Self.data] = 0x40
    #expect(sees(1 << 10))
    #expect(part[Self.status] & Self.addr == 0)
    #expect(part.isPending(32))
    part[Self.control] |= Self.stop
    part.pass(microseconds: 50)
    part[Self.status] = ~(1 << 10)
    #expect(part[Self.status] == 0)
    #expect(wire.log == ["S 20 W", "P"])
  }

  @Test(
    "each failure on the wire sets its own flag",
    arguments: [
      (I2CError.Kind.arbitrationLost, UInt32(1 << 9)), (.busError, 1 << 8), (.dataNack, 1 << 10),
    ])
  func failures(_ kind: I2CError.Kind, _ flag: UInt32) {
    wire.failures[2] = kind
    address(0xEC)
    clearAddress()
    part[Self.data] = 0xD0
    #expect(sees(flag))
    #expect(part[Self.status] & 0xDF00 == flag)
    // A controller that has lost arbitration does not hold the bus.
    #expect((part[Self.status2] & 3 == 0) == (kind == .arbitrationLost))
  }

  @Test("SWRST releases the bus, and CCR sets the bit rate")
  func reset() {
    #expect(part[Base.I2C1 + I2CPeripheral.CCR] == 80)
    address(0xEC)
    #expect(wire.frequency == 100_000)
    part[Self.control] = 1 << 15
    #expect(part[Self.status2] == 0)
    #expect(part[Self.status] == 0)
    part[Self.control] = 0
    part[Base.I2C1 + I2CPeripheral.CCR] = 1 << 15 | 14
    part[Self.control] = Self.on
    address(0xEC)
    #expect(wire.frequency == 16_000_000 / 42)
    #expect(wire.log == ["S 76 W", "P", "S 76 W"])
  }

  @Test("TXE is set with ADDR, and a byte written before ADDR is cleared follows the address")
  func early() {
    part[Self.control] = Self.on | Self.start
    #expect(sees(Self.sb))
    part[Self.data] = 0xEC
    #expect(sees(Self.addr))
    // ST's event 0x70082: BUSY, MSL and TRA of SR2 above ADDR and TXE.
    part[Self.data] = 0x42
    #expect(part[Self.status] & Self.txe == 0)
    _ = part[Self.status2]
    #expect(sees(Self.btf))
    #expect(wire.log == ["S 76 W", "66"])
  }

  @Test("a DMA stream receives a transfer, and with LAST the last byte is not acknowledged")
  func stream() {
    let stream = Base.DMA1 + DMA.S0CR
    part[stream + DMA.PAR] = Self.data
    part[stream + DMA.M0AR] = 0x2000_1000
    part[stream + DMA.NDTR] = 3
    part[stream] = 1 << 25 | 1 << 10 | 1
    // DMAEN and LAST.
    part[Base.I2C1 + I2CPeripheral.CR2] = 16 | 3 << 11
    part[Self.control] = Self.on | Self.start | Self.acknowledge
    #expect(sees(Self.sb))
    part[Self.data] = 0xED
    #expect(sees(Self.addr))
    _ = part[Self.status2]
    part.pass(microseconds: 1000)
    part[Self.control] = Self.on | Self.stop
    part.pass(microseconds: 100)
    #expect(wire.log == ["S 76 R", "[1]A", "[2]A", "[3]N", "P"])
    #expect(part[0x2000_1000] & 0xFF_FFFF == 0x03_0201)
    #expect(part[Base.DMA1 + DMA.LISR] & 0x20 == 0x20)
  }
}
