import Machines
import NRF52832
import Testing

/// The radio's transmitter, and its receiver without another radio in range.
struct RadioTests {
  private static let base: UInt32 = 0x4000_1000, packet: UInt32 = 0x2000_1000
  private let part = Part()

  private subscript(offset: UInt32) -> UInt32 {
    get { part[Self.base + offset] }
    nonmutating set { part[Self.base + offset] = newValue }
  }

  /// An advertisement without connections, and the CRC that scapy 2.8.0 computes for it (BTLE.compute_crc).
  private static let advertisement: [UInt8] = [
    0x42, 0x09, 0xC0, 0xFF, 0xEE, 0x11, 0x22, 0x33, 0x02, 0x01, 0x06,
  ]
  private static let check: [UInt8] = [0x5E, 0x67, 0xB4]

  /// Sets up advertising on channel 37, as the Bluetooth Core Specification describes it (volume 6, part B).
  private func setUp(_ bytes: [UInt8] = advertisement, layout: UInt32 = 0x108) {
    part.put(bytes, at: Self.packet)
    self[RADIO.PACKETPTR] = Self.packet
    self[RADIO.MODE] = 3
    self[RADIO.FREQUENCY] = 2
    self[RADIO.PCNF0] = layout
    self[RADIO.PCNF1] = 37 | 3 << 16 | 1 << 25
    self[RADIO.BASE0] = 0x89BE_D600
    self[RADIO.PREFIX0] = 0x8E
    self[RADIO.CRCCNF] = 0x103
    self[RADIO.CRCPOLY] = 0x65B
    self[RADIO.CRCINIT] = 0x55_5555
  }

  private final class Air {
    var packets: [RadioPacket] = []
  }

  private func listen() throws -> Air {
    let air = Air()
    try #require(part.machine.radio).output = { air.packets.append($0) }
    return air
  }

  @Test(
    "a packet is on the air after the ramp-up, and its events have the times of its parts",
    arguments: [0, 1] as [UInt32])
  func times(_ isFast: UInt32) throws {
    let air = try listen()
    setUp()
    self[RADIO.MODECNF0] = isFast
    self[RADIO.SHORTS] = 0b11
    self[RADIO.TASKS_TXEN] = 1
    #expect(self[RADIO.STATE] == 9)
    let rampUp = isFast == 1 ? 40.0 : 140
    let start = Double(part.machine.clock.nanoseconds) / 1000
    // Preamble and address are 40 bits; header and payload 88; the CRC 24; the ramp-down takes 6 us.
    for (event, time) in [
      (RADIO.EVENTS_READY, rampUp), (RADIO.EVENTS_ADDRESS, 40), (RADIO.EVENTS_PAYLOAD, 88),
      (RADIO.EVENTS_END, 24), (RADIO.EVENTS_DISABLED, 6),
    ] {
      let passed = try #require(part.await(Self.base + event, within: 1000))
      #expect(abs(passed - time) < 0.3, "event at offset \(event)")
    }
    #expect(self[RADIO.STATE] == 0)
    let packet = try #require(air.packets.first)
    #expect(air.packets.count == 1 && packet.megahertz == 2402 && packet.address == 0x8E89_BED6)
    #expect(packet.bytes == Self.advertisement && packet.check == Self.check)
    #expect(abs(Double(packet.time) / 1000 - start - rampUp) < 0.3)
  }

  @Test("S1 follows the length in its byte on the air, and STATLEN bytes need no length")
  func layouts() throws {
    let air = try listen()
    // S0 of one byte, LENGTH of six bits, S1 of two bits, which has a byte of its own in RAM.
    setUp([0x42, 2, 3, 0xAA, 0xBB], layout: 6 | 1 << 8 | 2 << 16)
    self[RADIO.SHORTS] = 0b11
    self[RADIO.TASKS_TXEN] = 1
    _ = part.await(Self.base + RADIO.EVENTS_DISABLED, within: 1000)
    #expect(air.packets.last?.bytes == [0x42, 0xC2, 0xAA, 0xBB])
    self[RADIO.EVENTS_DISABLED] = 0
    self[RADIO.PCNF0] = 0
    self[RADIO.PCNF1] = 37 | 4 << 8 | 3 << 16
    self[RADIO.CRCCNF] = 0
    self[RADIO.TASKS_TXEN] = 1
    _ = part.await(Self.base + RADIO.EVENTS_DISABLED, within: 1000)
    #expect(air.packets.last?.bytes == [0x42, 2, 3, 0xAA] && air.packets.last?.check == [])
  }

  @Test("the next packet begins no earlier than TIFS after the last one")
  func spacing() throws {
    let air = try listen()
    setUp()
    self[RADIO.MODECNF0] = 1
    self[RADIO.TIFS] = 150
    // READY starts, END disables, DISABLED enables the transmitter again.
    self[RADIO.SHORTS] = 0b111
    self[RADIO.TASKS_TXEN] = 1
    part.pass(microseconds: 700)
    try #require(air.packets.count >= 2)
    let gap = Double(air.packets[1].time - air.packets[0].time) / 1000
    #expect(abs(gap - 152 - 150) < 0.3)
  }

  @Test("a receiver hears nothing until it is disabled, and its signal strength is that of silence")
  func silence() {
    setUp()
    self[RADIO.SHORTS] = 1
    self[RADIO.TASKS_RXEN] = 1
    part.pass(microseconds: 2000)
    #expect(self[RADIO.STATE] == 3)
    #expect(self[RADIO.EVENTS_ADDRESS] == 0 && self[RADIO.EVENTS_END] == 0)
    self[RADIO.TASKS_RSSISTART] = 1
    #expect(part.await(Self.base + RADIO.EVENTS_RSSIEND, within: 10) != nil)
    #expect(self[RADIO.RSSISAMPLE] == 127)
    self[RADIO.TASKS_DISABLE] = 1
    #expect(part.await(Self.base + RADIO.EVENTS_DISABLED, within: 10) != nil)
  }

  @Test("a disabled radio that is disabled again raises DISABLED at once")
  func disabled() {
    self[RADIO.TASKS_DISABLE] = 1
    #expect(self[RADIO.EVENTS_DISABLED] == 1 && self[RADIO.STATE] == 0)
  }

  @Test("a packet outside RAM is reported, and sends zeros")
  func outside() throws {
    let air = try listen()
    setUp()
    self[RADIO.PACKETPTR] = 0x1000
    self[RADIO.SHORTS] = 0b11
    self[RADIO.TASKS_TXEN] = 1
    part.pass(microseconds: 500)
    #expect(air.packets.first?.bytes == [0, 0])
    #expect(
      part.machine.unmodelledRegisters.accesses.contains {
        $0.mode == "EasyDMA outside RAM (RADIO.PACKETPTR)"
      })
  }

  @Test("RTC0 and TIMER0 control the radio through the fixed channels of PPI")
  func channels() {
    setUp()
    // Channel 20: TIMER0 COMPARE[0] to TXEN; channel 27: END to TIMER0 CAPTURE[2].
    part[0x4001_F504] = 1 << 20 | 1 << 27
    self[RADIO.SHORTS] = 0b11
    part[0x4000_8540] = 100
    part[0x4000_8510] = 4
    part[0x4000_8000] = 1
    part.pass(microseconds: 500)
    // Compare at 100 us, ramp-up 140 us, packet 152 us.
    #expect(abs(Int(part[0x4000_8548]) - 392) <= 1)
  }
}
