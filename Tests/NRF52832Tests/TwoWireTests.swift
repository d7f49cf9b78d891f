import I2C
import Machines
import NRF52832
import TestSupport
import Testing
import VirtualI2C

struct TwoWireTests {
  /// A part with a bus at TWIM0 or TWI1 on which a target answers at 0x40.
  private struct Bus {
    let part = Part()
    let target = Registers(at: 0x40)
    let base: UInt32

    init(_ index: Int, mode: UInt32, frequency: UInt32 = 0x0198_0000) throws {
      base = 0x4000_3000 + UInt32(index) * 0x1000
      let adapter = VirtualAdapter(clock: part.machine.clock)
      try adapter.attach(target)
      part.machine.i2cPorts[index].wire = adapter.anyWire(part.machine.clock)
      part[base + 0x508] = 27
      part[base + 0x50C] = 26
      part[base + 0x524] = frequency
      part[base + 0x500] = mode
      part[base + 0x588] = 0x40
    }

    subscript(offset: UInt32) -> UInt32 {
      get { part[base + offset] }
      nonmutating set { part[base + offset] = newValue }
    }

    func await(_ offset: UInt32) -> Double? { part.await(base + offset, within: 100_000) }

    /// The buffers of EasyDMA: what is written and where what is read goes.
    func buffers(_ writing: [UInt8], reading: Int) {
      part.put(writing, at: 0x2000_0100)
      self[0x544] = 0x2000_0100
      self[0x548] = UInt32(writing.count)
      self[0x534] = 0x2000_0200
      self[0x538] = UInt32(reading)
    }
  }

  private func isNear(_ value: Double?, _ wanted: Double) -> Bool {
    value.map { abs($0 - wanted) < 2 } ?? false
  }

  @Test(
    "a combined write and read by shortcuts takes the time of its bits, interrupts, and counts its bytes"
  )
  func combined() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x10], reading: 3)
    bus[0x200] = 0x1080
    bus[0x304] = 1 << 1
    bus[0x008] = 1
    #expect(bus[0x150] == 1)
    #expect(bus[0x160] == 0)
    // Start, address and byte; repeated start, address and three bytes; a stop: 58 bits at 100 kHz.
    #expect(isNear(bus.await(0x104), 570))
    #expect((bus[0x160], bus[0x15C], bus[0x14C]) == (1, 1, 1))
    #expect((bus[0x54C], bus[0x53C]) == (1, 3))
    #expect(bus.part.bytes(0x2000_0200, 3) == [0xB5, 0xB4, 0xB7])
    #expect(bus[0x124] == 0)
    #expect(bus.part.isPending(3))
    #expect(bus.target.stops == 1)
  }

  @Test("the frequency is the wire's", arguments: [(0x0640_0000, 142.5), (0x0400_0000, 228)])
  func frequency(register: UInt32, time: Double) throws {
    let bus = try Bus(1, mode: 6, frequency: register)
    bus.buffers([0x10], reading: 3)
    bus[0x200] = 0x1080
    bus[0x008] = 1
    #expect(isNear(bus.await(0x104), time))
  }

  @Test(
    "a write without a stop holds the bus until it is resumed; the read begins with a repeated start"
  )
  func suspended() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x20, 0x99], reading: 1)
    bus[0x200] = 0x100
    bus[0x008] = 1
    #expect(isNear(bus.await(0x148), 280))
    #expect(bus.target.bytes[0x20] == 0x99)
    #expect(bus.target.stops == 0)
    bus.part.pass(microseconds: 500)
    bus[0x020] = 1
    bus[0x200] = 1 << 12
    bus[0x000] = 1
    #expect(isNear(bus.await(0x104), 200))
    #expect(bus.target.stops == 1)
    #expect(bus.part.bytes(0x2000_0200, 1) == [0x21 ^ 0xA5])
  }

  @Test("an address that nobody acknowledges is an error; the bus is free after a stop")
  func addressRefused() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([1, 2], reading: 0)
    bus[0x588] = 0x41
    bus[0x200] = 0x200
    bus[0x008] = 1
    #expect(isNear(bus.await(0x124), 100))
    #expect(bus[0x4C4] == 2)
    #expect(bus[0x104] == 0)
    #expect(bus[0x54C] == 0)
    bus[0x4C4] = 2
    #expect(bus[0x4C4] == 0)
    bus[0x014] = 1
    #expect(isNear(bus.await(0x104), 10))
  }

  @Test("a byte that is not acknowledged is an error, and counted")
  func dataRefused() throws {
    let bus = try Bus(0, mode: 6)
    bus.target.refused = 1
    bus.buffers([1, 2, 3], reading: 0)
    bus[0x200] = 0x200
    bus[0x008] = 1
    #expect(isNear(bus.await(0x124), 280))
    #expect(bus[0x4C4] == 4)
    #expect(bus[0x54C] == 2)
    bus[0x014] = 1
    #expect(bus.await(0x104) != nil)
  }

  @Test(
    "a suspension that is asked for while the last byte is refused comes when that byte has been sent",
    arguments: [6, 5] as [UInt32])
  func suspendedAtRefusal(mode: UInt32) throws {
    let bus = try Bus(0, mode: mode)
    bus.target.refused = 1
    bus[0x008] = mode == 6 ? 0 : 1
    if mode == 6 {
      bus.buffers([1, 2], reading: 0)
      bus[0x008] = 1
      // LASTTX: the last byte is on its way.
      #expect(bus.await(0x160) != nil)
    } else {
      bus[0x51C] = 1
      #expect(bus.await(0x11C) != nil)
      bus[0x11C] = 0
      bus[0x51C] = 2
    }
    bus[0x01C] = 1
    #expect(bus.await(0x124) != nil)
    #expect(bus.await(0x148) != nil)
    #expect(bus[0x4C4] == 4)
    // A message behind it begins as the libraries do it, with RESUME before the start.
    bus.target.refused = nil
    bus[0x148] = 0
    bus[0x020] = 1
    if mode == 6 {
      bus[0x200] = 0x200
      bus[0x008] = 1
      #expect(bus.await(0x104) != nil)
    } else {
      bus[0x014] = 1
      #expect(bus.await(0x104) != nil)
    }
  }

  @Test("EasyDMA reaches RAM only: from flash it sends 0, and the ledger is told")
  func flash() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x30, 0x77], reading: 0)
    bus[0x544] = 0x0000_00F0
    bus[0x548] = 2
    bus[0x200] = 0x200
    bus[0x008] = 1
    #expect(bus.await(0x104) != nil)
    #expect(bus.target.bytes[0] == 0)
    let told = bus.part.machine.untouched.accesses
    #expect(told.contains { $0.address == 0x4000_3544 && $0.isWrite })
  }

  @Test("a port without a bus, or without pins, finds nobody")
  func nobody() throws {
    let bus = try Bus(0, mode: 6)
    bus[0x508] = 0xFFFF_FFFF
    bus.buffers([1], reading: 0)
    bus[0x008] = 1
    #expect(isNear(bus.await(0x124), 100))
    #expect(bus[0x4C4] == 2)
  }

  @Test("TWI sends byte by byte what is put into TXD")
  func legacyWrite() throws {
    let bus = try Bus(1, mode: 5)
    bus[0x008] = 1
    bus[0x51C] = 0x10
    #expect(isNear(bus.await(0x11C), 190))
    bus[0x11C] = 0
    bus.part.pass(microseconds: 40)
    bus[0x51C] = 0x55
    #expect(isNear(bus.await(0x11C), 90))
    bus[0x014] = 1
    #expect(isNear(bus.await(0x104), 10))
    #expect(bus.target.bytes[0x10] == 0x55)
  }

  @Test("TWI reads byte by byte, suspended at each boundary, and stops behind the last")
  func legacyRead() throws {
    let bus = try Bus(1, mode: 5)
    bus[0x008] = 1
    bus[0x51C] = 0x10
    _ = bus.await(0x11C)
    bus[0x200] = 1
    bus[0x000] = 1
    #expect(isNear(bus.await(0x108), 190))
    bus.part.pass(microseconds: 300)
    #expect(bus[0x148] == 1)
    #expect(bus[0x518] == 0xB5)
    bus[0x108] = 0
    bus[0x200] = 2
    bus[0x020] = 1
    #expect(isNear(bus.await(0x108), 90))
    #expect(isNear(bus.await(0x104), 10))
    #expect(bus[0x518] == 0xB4)
    #expect(bus.target.stops == 1)
    #expect(bus[0x4C4] == 0)
  }

  @Test("TWI loses a byte that nobody read in time, and says so")
  func overrun() throws {
    let bus = try Bus(1, mode: 5)
    bus[0x000] = 1
    #expect(isNear(bus.await(0x124), 280))
    #expect(bus[0x4C4] == 1)
    bus[0x014] = 1
    #expect(bus.await(0x104) != nil)
  }

  @Test("a scan with TWI is a start and a stop: who is there is known from the error")
  func scan() throws {
    let bus = try Bus(1, mode: 5)
    var found: [UInt32] = []
    for address: UInt32 in 0x3E..<0x43 {
      (bus[0x588], bus[0x104], bus[0x124], bus[0x4C4]) = (address, 0, 0, 7)
      bus[0x008] = 1
      bus[0x014] = 1
      #expect(bus.await(0x104) != nil)
      if bus[0x124] == 0 { found.append(address) }
    }
    #expect(found == [0x40])
  }

  @Test("a stop that is asked for while one is sent does not end the next transfer")
  func stopTwice() throws {
    let bus = try Bus(0, mode: 5)
    // A probe of an address that nobody has, as a scan does it: start and stop at once, and a stop at the error.
    bus[0x588] = 0x41
    bus[0x008] = 1
    bus[0x014] = 1
    _ = try #require(bus.await(0x124))
    bus[0x014] = 1
    _ = try #require(bus.await(0x104))
    (bus[0x104], bus[0x124], bus[0x588]) = (0, 0, 0x40)
    bus[0x008] = 1
    bus[0x51C] = 0x10
    // The byte goes out: TXDSENT.
    _ = try #require(bus.await(0x11C))
    #expect(bus[0x104] == 0)
  }

  @Test("a page that POWER switches off and on begins anew")
  func power() throws {
    let bus = try Bus(0, mode: 5)
    #expect(bus[0xFFC] == 1)
    bus[0xFFC] = 0
    bus[0xFFC] = 1
    #expect(bus[0x500] == 0)
    #expect(bus[0x508] == .max)
    #expect(bus.part.machine.untouched.accesses == [])
  }

  @Test(
    "SPI of a page shifts a byte in its time, SPIM a buffer; nobody answers", arguments: [3, 35])
  func shift(page: UInt32) throws {
    let part = Part()
    let base = 0x4000_0000 + page << 12
    (part[base + 0x524], part[base + 0x500]) = (0x1000_0000, 1)
    part[base + 0x51C] = 0x55
    let took = try #require(part.await(base + 0x108))
    #expect(isNear(took, 8))
    #expect(part[base + 0x518] == 0)
    part[base + 0x500] = 7
    part.put([9, 9, 9], at: 0x2000_0200)
    (part[base + 0x534], part[base + 0x538]) = (0x2000_0200, 3)
    (part[base + 0x544], part[base + 0x548]) = (0x2000_0100, 2)
    part[base + 0x010] = 1
    #expect(isNear(part.await(base + 0x118), 24))
    #expect(part.bytes(0x2000_0200, 3) == [0, 0, 0])
    #expect((part[base + 0x53C], part[base + 0x54C]) == (3, 2))
    #expect(part.machine.untouched.accesses == [])
  }

  @Test("a driver that resets the unit as a target is told nothing; one that uses it as one is")
  func target() {
    let part = Part()
    part[0x4000_3500] = 9
    part[0x4000_3500] = 0
    #expect(part.machine.untouched.accesses == [])
    part[0x4000_3500] = 9
    part[0x4000_3030] = 1
    #expect(part.machine.untouched.accesses.map(\.address) == [0x4000_3030])
  }
}
