import I2C
import Machines
import NRF52832
import TestSupport
import Testing
import VirtualI2C

struct TwoWireTests {
  /// A chip with a bus at TWIM0 or TWI1 with a target at address 0x40.
  private struct Bus {
    let part = Part()
    let target = Registers(at: 0x40)
    let base: UInt32

    init(_ index: Int, mode: UInt32, frequency: UInt32 = 0x0198_0000) throws {
      base = Base.TWIM0 + UInt32(index) * 0x1000
      let adapter = VirtualAdapter(clock: part.machine.clock)
      try adapter.attach(target)
      part.machine.i2cPorts[index].wire = adapter.anyWire(part.machine.clock)
      part[base + TWIM.PSEL_SCL] = 27
      part[base + TWIM.PSEL_SDA] = 26
      part[base + TWIM.FREQUENCY] = frequency
      part[base + TWIM.ENABLE] = mode
      part[base + TWIM.ADDRESS] = 0x40
    }

    subscript(offset: UInt32) -> UInt32 {
      get { part[base + offset] }
      nonmutating set { part[base + offset] = newValue }
    }

    func await(_ offset: UInt32) -> Double? { part.await(base + offset, within: 100_000) }

    /// Sets up the EasyDMA buffers of a write and of a read.
    func buffers(_ writing: [UInt8], reading: Int) {
      part.put(writing, at: 0x2000_0100)
      self[TWIM.TXD_PTR] = 0x2000_0100
      self[TWIM.TXD_MAXCNT] = UInt32(writing.count)
      self[TWIM.RXD_PTR] = 0x2000_0200
      self[TWIM.RXD_MAXCNT] = UInt32(reading)
    }
  }

  private func isNear(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) < 2 } ?? false
  }

  @Test(
    "a write and read combined by shortcuts takes the time of its bits and counts its bytes"
  )
  func combined() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x10], reading: 3)
    bus[TWIM.SHORTS] = 0x1080
    bus[TWIM.INTENSET] = 1 << 1
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(bus[TWIM.EVENTS_TXSTARTED] == 1)
    #expect(bus[TWIM.EVENTS_LASTTX] == 0)
    // Start, address and byte; repeated start, address and three bytes; a stop: 58 bits at 100 kHz.
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), 570))
    #expect(
      (bus[TWIM.EVENTS_LASTTX], bus[TWIM.EVENTS_LASTRX], bus[TWIM.EVENTS_RXSTARTED]) == (1, 1, 1))
    #expect((bus[TWIM.TXD_AMOUNT], bus[TWIM.RXD_AMOUNT]) == (1, 3))
    #expect(bus.part.bytes(0x2000_0200, 3) == [0xB5, 0xB4, 0xB7])
    #expect(bus[TWIM.EVENTS_ERROR] == 0)
    #expect(bus.part.isPending(3))
    #expect(bus.target.stops == 1)
  }

  @Test(
    "FREQUENCY sets the bit rate on the wire",
    arguments: [(0x0640_0000, 142.5), (0x0400_0000, 228)])
  func frequency(register: UInt32, time: Double) throws {
    let bus = try Bus(1, mode: 6, frequency: register)
    bus.buffers([0x10], reading: 3)
    bus[TWIM.SHORTS] = 0x1080
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), time))
  }

  @Test(
    "a write without a stop holds the bus until RESUME, and the read begins with a repeated start"
  )
  func suspended() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x20, 0x99], reading: 1)
    bus[TWIM.SHORTS] = 0x100
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_SUSPENDED), 280))
    #expect(bus.target.bytes[0x20] == 0x99)
    #expect(bus.target.stops == 0)
    bus.part.pass(microseconds: 500)
    bus[TWIM.TASKS_RESUME] = 1
    bus[TWIM.SHORTS] = 1 << 12
    bus[TWIM.TASKS_STARTRX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), 200))
    #expect(bus.target.stops == 1)
    #expect(bus.part.bytes(0x2000_0200, 1) == [0x21 ^ 0xA5])
  }

  @Test("an address that is not acknowledged is an error, and the bus is free after a stop")
  func addressRefused() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([1, 2], reading: 0)
    bus[TWIM.ADDRESS] = 0x41
    bus[TWIM.SHORTS] = 0x200
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_ERROR), 100))
    #expect(bus[TWIM.ERRORSRC] == 2)
    #expect(bus[TWIM.EVENTS_STOPPED] == 0)
    #expect(bus[TWIM.TXD_AMOUNT] == 0)
    bus[TWIM.ERRORSRC] = 2
    #expect(bus[TWIM.ERRORSRC] == 0)
    bus[TWIM.TASKS_STOP] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), 10))
  }

  @Test("a byte that is not acknowledged is an error and is counted in AMOUNT")
  func dataRefused() throws {
    let bus = try Bus(0, mode: 6)
    bus.target.nackIndex = 1
    bus.buffers([1, 2, 3], reading: 0)
    bus[TWIM.SHORTS] = 0x200
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_ERROR), 280))
    #expect(bus[TWIM.ERRORSRC] == 4)
    #expect(bus[TWIM.TXD_AMOUNT] == 2)
    bus[TWIM.TASKS_STOP] = 1
    #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
  }

  @Test(
    "SUSPEND during a last byte that is not acknowledged takes effect when that byte has been sent",
    arguments: [6, 5] as [UInt32])
  func suspendedAtRefusal(mode: UInt32) throws {
    let bus = try Bus(0, mode: mode)
    bus.target.nackIndex = 1
    bus[TWIM.TASKS_STARTTX] = mode == 6 ? 0 : 1
    if mode == 6 {
      bus.buffers([1, 2], reading: 0)
      bus[TWIM.TASKS_STARTTX] = 1
      // LASTTX: the last byte is being sent.
      #expect(bus.await(TWIM.EVENTS_LASTTX) != nil)
    } else {
      bus[TWI.TXD] = 1
      #expect(bus.await(TWI.EVENTS_TXDSENT) != nil)
      bus[TWI.EVENTS_TXDSENT] = 0
      bus[TWI.TXD] = 2
    }
    bus[TWIM.TASKS_SUSPEND] = 1
    #expect(bus.await(TWIM.EVENTS_ERROR) != nil)
    #expect(bus.await(TWIM.EVENTS_SUSPENDED) != nil)
    #expect(bus[TWIM.ERRORSRC] == 4)
    // The next transfer begins as in the vendor's libraries, with RESUME before the start.
    bus.target.nackIndex = nil
    bus[TWIM.EVENTS_SUSPENDED] = 0
    bus[TWIM.TASKS_RESUME] = 1
    if mode == 6 {
      bus[TWIM.SHORTS] = 0x200
      bus[TWIM.TASKS_STARTTX] = 1
      #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
    } else {
      bus[TWIM.TASKS_STOP] = 1
      #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
    }
  }

  @Test("EasyDMA sends 0 for a buffer in flash, and the pointer is reported")
  func flash() throws {
    let bus = try Bus(0, mode: 6)
    bus.buffers([0x30, 0x77], reading: 0)
    bus[TWIM.TXD_PTR] = 0x0000_00F0
    bus[TWIM.TXD_MAXCNT] = 2
    bus[TWIM.SHORTS] = 0x200
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
    #expect(bus.target.bytes[0] == 0)
    let reported = bus.part.machine.unmodelledRegisters.accesses
    #expect(reported.contains { $0.address == Base.TWIM0 + TWIM.TXD_PTR && $0.isWrite })
  }

  @Test("a TWIM without configured pins receives no ACK")
  func noDevice() throws {
    let bus = try Bus(0, mode: 6)
    bus[TWIM.PSEL_SCL] = 0xFFFF_FFFF
    bus.buffers([1], reading: 0)
    bus[TWIM.TASKS_STARTTX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_ERROR), 100))
    #expect(bus[TWIM.ERRORSRC] == 2)
  }

  @Test("TWI sends the bytes written to TXD one by one")
  func legacyWrite() throws {
    let bus = try Bus(1, mode: 5)
    bus[TWIM.TASKS_STARTTX] = 1
    bus[TWI.TXD] = 0x10
    #expect(isNear(bus.await(TWI.EVENTS_TXDSENT), 190))
    bus[TWI.EVENTS_TXDSENT] = 0
    bus.part.pass(microseconds: 40)
    bus[TWI.TXD] = 0x55
    #expect(isNear(bus.await(TWI.EVENTS_TXDSENT), 90))
    bus[TWIM.TASKS_STOP] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), 10))
    #expect(bus.target.bytes[0x10] == 0x55)
  }

  @Test("TWI reads byte by byte, suspended at each byte boundary, and stops after the last")
  func legacyRead() throws {
    let bus = try Bus(1, mode: 5)
    bus[TWIM.TASKS_STARTTX] = 1
    bus[TWI.TXD] = 0x10
    _ = bus.await(TWI.EVENTS_TXDSENT)
    bus[TWIM.SHORTS] = 1
    bus[TWIM.TASKS_STARTRX] = 1
    #expect(isNear(bus.await(TWI.EVENTS_RXDREADY), 190))
    bus.part.pass(microseconds: 300)
    #expect(bus[TWIM.EVENTS_SUSPENDED] == 1)
    #expect(bus[TWI.RXD] == 0xB5)
    bus[TWI.EVENTS_RXDREADY] = 0
    bus[TWIM.SHORTS] = 2
    bus[TWIM.TASKS_RESUME] = 1
    #expect(isNear(bus.await(TWI.EVENTS_RXDREADY), 90))
    #expect(isNear(bus.await(TWIM.EVENTS_STOPPED), 10))
    #expect(bus[TWI.RXD] == 0xB4)
    #expect(bus.target.stops == 1)
    #expect(bus[TWIM.ERRORSRC] == 0)
  }

  @Test("TWI loses a byte that is not read in time and reports an overrun")
  func overrun() throws {
    let bus = try Bus(1, mode: 5)
    bus[TWIM.TASKS_STARTRX] = 1
    #expect(isNear(bus.await(TWIM.EVENTS_ERROR), 280))
    #expect(bus[TWIM.ERRORSRC] == 1)
    bus[TWIM.TASKS_STOP] = 1
    #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
  }

  @Test("a bus scan that only starts and stops TWI finds the devices without an error")
  func scan() throws {
    let bus = try Bus(1, mode: 5)
    var found: [UInt32] = []
    for address: UInt32 in 0x3E..<0x43 {
      (bus[TWIM.ADDRESS], bus[TWIM.EVENTS_STOPPED], bus[TWIM.EVENTS_ERROR], bus[TWIM.ERRORSRC]) = (
        address, 0, 0, 7
      )
      bus[TWIM.TASKS_STARTTX] = 1
      bus[TWIM.TASKS_STOP] = 1
      #expect(bus.await(TWIM.EVENTS_STOPPED) != nil)
      if bus[TWIM.EVENTS_ERROR] == 0 { found.append(address) }
    }
    #expect(found == [0x40])
  }

  @Test("a STOP task during a stop condition does not end the next transfer")
  func stopTwice() throws {
    let bus = try Bus(0, mode: 5)
    // A probe of an unused address as in a scan: start and stop at once, and another stop at the error.
    bus[TWIM.ADDRESS] = 0x41
    bus[TWIM.TASKS_STARTTX] = 1
    bus[TWIM.TASKS_STOP] = 1
    _ = try #require(bus.await(TWIM.EVENTS_ERROR))
    bus[TWIM.TASKS_STOP] = 1
    _ = try #require(bus.await(TWIM.EVENTS_STOPPED))
    (bus[TWIM.EVENTS_STOPPED], bus[TWIM.EVENTS_ERROR], bus[TWIM.ADDRESS]) = (0, 0, 0x40)
    bus[TWIM.TASKS_STARTTX] = 1
    bus[TWI.TXD] = 0x10
    // The byte is sent: TXDSENT.
    _ = try #require(bus.await(TWI.EVENTS_TXDSENT))
    #expect(bus[TWIM.EVENTS_STOPPED] == 0)
  }

  @Test("a write of 0 to the undocumented POWER register resets the peripheral")
  func power() throws {
    let bus = try Bus(0, mode: 5)
    #expect(bus[TWIM.powerSwitch] == 1)
    bus[TWIM.powerSwitch] = 0
    bus[TWIM.powerSwitch] = 1
    #expect(bus[TWIM.ENABLE] == 0)
    #expect(bus[TWIM.PSEL_SCL] == .max)
    #expect(bus.part.machine.unmodelledRegisters.accesses == [])
  }

  @Test(
    "SPI transfers a byte and SPIM a buffer at the bit rate; without a device they receive 0",
    arguments: [3, 35])
  func shift(page: UInt32) throws {
    let part = Part()
    let base = 0x4000_0000 + page << 12
    (part[base + TWIM.FREQUENCY], part[base + TWIM.ENABLE]) = (0x1000_0000, 1)
    part[base + TWI.TXD] = 0x55
    let took = try #require(part.await(base + SPI.EVENTS_READY))
    #expect(isNear(took, 8))
    #expect(part[base + TWI.RXD] == 0)
    part[base + TWIM.ENABLE] = 7
    part.put([9, 9, 9], at: 0x2000_0200)
    (part[base + TWIM.RXD_PTR], part[base + TWIM.RXD_MAXCNT]) = (0x2000_0200, 3)
    (part[base + TWIM.TXD_PTR], part[base + TWIM.TXD_MAXCNT]) = (0x2000_0100, 2)
    part[base + SPIM.TASKS_START] = 1
    #expect(isNear(part.await(base + SPIM.EVENTS_END), 24))
    #expect(part.bytes(0x2000_0200, 3) == [0, 0, 0])
    #expect((part[base + TWIM.RXD_AMOUNT], part[base + TWIM.TXD_AMOUNT]) == (3, 2))
    #expect(part.machine.unmodelledRegisters.accesses == [])
  }

  @Test(
    "starting a TWIS task is reported; enabling TWIS, as drivers do for a reset, is not reported")
  func target() {
    let part = Part()
    part[Base.TWIM0 + TWIM.ENABLE] = 9
    part[Base.TWIM0 + TWIM.ENABLE] = 0
    #expect(part.machine.unmodelledRegisters.accesses == [])
    part[Base.TWIM0 + TWIM.ENABLE] = 9
    part[0x4000_3030] = 1
    #expect(part.machine.unmodelledRegisters.accesses.map(\.address) == [0x4000_3030])
  }
}
