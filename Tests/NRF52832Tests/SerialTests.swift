import Machines
import NRF52832
import TestSupport
import Testing

struct SerialTests {
  private final class Line {
    let part = Part()
    var text: [UInt8] = []
    var times: [UInt64] = []

    init(mode: UInt32) {
      part.machine.serialPorts[0].output = { [unowned self] in
        text.append($0)
        times.append($1)
      }
      part[0x4000_250C] = 6
      part[0x4000_2524] = 0x01D6_0000
      part[0x4000_2500] = mode
    }

    subscript(offset: UInt32) -> UInt32 {
      get { part[0x4000_2000 + offset] }
      set { part[0x4000_2000 + offset] = newValue }
    }

    func await(_ offset: UInt32) -> Double? { part.await(0x4000_2000 + offset, within: 100_000) }

    func send(_ bytes: [UInt8]) {
      part.put(bytes, at: 0x2000_0100)
      self[0x544] = 0x2000_0100
      self[0x548] = UInt32(bytes.count)
      self[0x008] = 1
    }
  }

  @Test("UARTE sends from RAM, ten bits a byte, and ends with its last")
  func send() {
    let line = Line(mode: 8)
    line.send(Array("hello".utf8))
    #expect(line[0x150] == 1)
    let time = line.await(0x120) ?? 0
    #expect(abs(time - 5 * 10 / 0.1152) < 2)
    #expect(line.text == Array("hello".utf8))
    #expect(line[0x54C] == 5)
    #expect(line.part.machine.serialPorts[0].baudRate == 115_200)
    #expect(line[0x158] == 0)
    line[0x00C] = 1
    #expect(line[0x158] == 1)
    // Drivers switch it off before they look how much went.
    line[0x500] = 0
    #expect(line[0x54C] == 5)
  }

  @Test("channel 19 of PPI stops the sender at its end")
  func linked() {
    let line = Line(mode: 8)
    line.part[0x4001_F5A8] = 0x4000_2120
    line.part[0x4001_F5AC] = 0x4000_200C
    line.part[0x4001_F504] = 1 << 19
    line.send([1, 2])
    #expect(line.await(0x158) != nil)
    #expect(line[0x120] == 1)
  }

  @Test("a stop in the middle ends behind the byte on the line, one of nothing at once")
  func stop() {
    let line = Line(mode: 8)
    line.send([1, 2, 3, 4])
    line.part.pass(microseconds: 100)
    line[0x00C] = 1
    #expect(line[0x158] == 0)
    #expect(line.await(0x158) != nil)
    #expect(line.text == [1, 2])
    #expect(line[0x54C] == 2)
    line[0x158] = 0
    line.send([])
    line[0x00C] = 1
    #expect(line[0x158] == 1)
  }

  @Test("what arrives goes to RAM; the end comes with the last byte that fits, or with a stop")
  func receive() {
    let line = Line(mode: 8)
    line.part.machine.serialPorts[0].send([1, 2, 3, 4, 5])
    line[0x534] = 0x2000_0300
    line[0x538] = 3
    line[0x000] = 1
    #expect(line[0x14C] == 1)
    #expect(line.await(0x110) != nil)
    #expect(line.part.bytes(0x2000_0300, 4) == [1, 2, 3, 0])
    line[0x110] = 0
    line[0x108] = 0
    line[0x534] = 0x2000_0310
    line[0x538] = 10
    line[0x000] = 1
    line.part.pass(microseconds: 1000)
    #expect(line[0x110] == 0)
    line[0x004] = 1
    #expect(line[0x110] == 1)
    #expect(line[0x53C] == 2)
    #expect(line.part.bytes(0x2000_0310, 2) == [4, 5])
    #expect(line.await(0x144) != nil)
  }

  @Test("the amount is that of the buffer which has ended, when the next has begun by itself")
  func amount() {
    let line = Line(mode: 8)
    line[0x200] = 1 << 5
    line[0x534] = 0x2000_0300
    line[0x538] = 1
    line[0x000] = 1
    line.part.machine.serialPorts[0].send([9, 8])
    #expect(line.await(0x110) != nil)
    #expect(line[0x53C] == 1)
    line[0x110] = 0
    #expect(line.await(0x110) != nil)
    #expect(line.part.bytes(0x2000_0300, 1) == [8])
  }

  @Test("UART sends what is put into TXD, and receives into RXD when that is free")
  func legacy() {
    let line = Line(mode: 4)
    line[0x008] = 1
    line[0x51C] = 65
    #expect(line.await(0x11C) != nil)
    line[0x11C] = 0
    line[0x51C] = 66
    #expect(line.await(0x11C) != nil)
    #expect(line.text == [65, 66])
    line[0x000] = 1
    line.part.machine.serialPorts[0].send([7, 8])
    #expect(line.await(0x108) != nil)
    #expect(line[0x518] == 7)
    line.part.pass(microseconds: 500)
    #expect(line[0x518] == 7)
    line[0x108] = 0
    #expect(line.await(0x108) != nil)
    #expect(line[0x518] == 8)
  }
}
