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
      part[Base.UARTE0 + UARTE.PSEL_TXD] = 6
      part[Base.UARTE0 + UARTE.BAUDRATE] = 0x01D6_0000
      part[Base.UARTE0 + UARTE.ENABLE] = mode
    }

    subscript(offset: UInt32) -> UInt32 {
      get { part[Base.UARTE0 + offset] }
      set { part[Base.UARTE0 + offset] = newValue }
    }

    func await(_ offset: UInt32) -> Double? { part.await(Base.UARTE0 + offset, within: 100_000) }

    func send(_ bytes: [UInt8]) {
      part.put(bytes, at: 0x2000_0100)
      self[UARTE.TXD_PTR] = 0x2000_0100
      self[UARTE.TXD_MAXCNT] = UInt32(bytes.count)
      self[UARTE.TASKS_STARTTX] = 1
    }
  }

  @Test("UARTE sends bytes from RAM in ten bits each, and ENDTX follows the last byte")
  func send() {
    let line = Line(mode: 8)
    line.send(Array("hello".utf8))
    #expect(line[UARTE.EVENTS_TXSTARTED] == 1)
    let time = line.await(UARTE.EVENTS_ENDTX) ?? 0
    #expect(abs(time - 5 * 10 / 0.1152) < 2)
    #expect(line.text == Array("hello".utf8))
    #expect(line[UARTE.TXD_AMOUNT] == 5)
    #expect(line.part.machine.serialPorts[0].baudRate == 115_200)
    #expect(line[UARTE.EVENTS_TXSTOPPED] == 0)
    line[UARTE.TASKS_STOPTX] = 1
    #expect(line[UARTE.EVENTS_TXSTOPPED] == 1)
    // Drivers disable the UARTE before they read AMOUNT.
    line[UARTE.ENABLE] = 0
    #expect(line[UARTE.TXD_AMOUNT] == 5)
  }

  @Test("a PPI channel stops the transmitter at ENDTX")
  func linked() {
    let line = Line(mode: 8)
    line.part[Base.PPI + PPI.CH_EEP + 19 * 8] = Base.UARTE0 + UARTE.EVENTS_ENDTX
    line.part[Base.PPI + PPI.CH_TEP + 19 * 8] = Base.UARTE0 + UARTE.TASKS_STOPTX
    line.part[Base.PPI + PPI.CHENSET] = 1 << 19
    line.send([1, 2])
    #expect(line.await(UARTE.EVENTS_TXSTOPPED) != nil)
    #expect(line[UARTE.EVENTS_ENDTX] == 1)
  }

  @Test("STOPTX takes effect after the current byte, or at once if no byte is being sent")
  func stop() {
    let line = Line(mode: 8)
    line.send([1, 2, 3, 4])
    line.part.pass(microseconds: 100)
    line[UARTE.TASKS_STOPTX] = 1
    #expect(line[UARTE.EVENTS_TXSTOPPED] == 0)
    #expect(line.await(UARTE.EVENTS_TXSTOPPED) != nil)
    #expect(line.text == [1, 2])
    #expect(line[UARTE.TXD_AMOUNT] == 2)
    line[UARTE.EVENTS_TXSTOPPED] = 0
    line.send([])
    line[UARTE.TASKS_STOPTX] = 1
    #expect(line[UARTE.EVENTS_TXSTOPPED] == 1)
  }

  @Test("received bytes are written to RAM, and ENDRX follows the last byte that fits or STOPRX")
  func receive() {
    let line = Line(mode: 8)
    line.part.machine.serialPorts[0].send([1, 2, 3, 4, 5])
    line[UARTE.RXD_PTR] = 0x2000_0300
    line[UARTE.RXD_MAXCNT] = 3
    line[UARTE.TASKS_STARTRX] = 1
    #expect(line[UARTE.EVENTS_RXSTARTED] == 1)
    #expect(line.await(UARTE.EVENTS_ENDRX) != nil)
    #expect(line.part.bytes(0x2000_0300, 4) == [1, 2, 3, 0])
    line[UARTE.EVENTS_ENDRX] = 0
    line[UARTE.EVENTS_RXDRDY] = 0
    line[UARTE.RXD_PTR] = 0x2000_0310
    line[UARTE.RXD_MAXCNT] = 10
    line[UARTE.TASKS_STARTRX] = 1
    line.part.pass(microseconds: 1000)
    #expect(line[UARTE.EVENTS_ENDRX] == 0)
    line[UARTE.TASKS_STOPRX] = 1
    #expect(line[UARTE.EVENTS_ENDRX] == 1)
    #expect(line[UARTE.RXD_AMOUNT] == 2)
    #expect(line.part.bytes(0x2000_0310, 2) == [4, 5])
    #expect(line.await(UARTE.EVENTS_RXTO) != nil)
  }

  @Test("AMOUNT reports the complete buffer while the next buffer is in progress")
  func amount() {
    let line = Line(mode: 8)
    line[UARTE.SHORTS] = 1 << 5
    line[UARTE.RXD_PTR] = 0x2000_0300
    line[UARTE.RXD_MAXCNT] = 1
    line[UARTE.TASKS_STARTRX] = 1
    line.part.machine.serialPorts[0].send([9, 8])
    #expect(line.await(UARTE.EVENTS_ENDRX) != nil)
    #expect(line[UARTE.RXD_AMOUNT] == 1)
    line[UARTE.EVENTS_ENDRX] = 0
    #expect(line.await(UARTE.EVENTS_ENDRX) != nil)
    #expect(line.part.bytes(0x2000_0300, 1) == [8])
  }

  @Test("UART sends the byte written to TXD, and receives into RXD when RXD is free")
  func legacy() {
    let line = Line(mode: 4)
    line[UARTE.TASKS_STARTTX] = 1
    line[UART.TXD] = 65
    #expect(line.await(UARTE.EVENTS_TXDRDY) != nil)
    line[UARTE.EVENTS_TXDRDY] = 0
    line[UART.TXD] = 66
    #expect(line.await(UARTE.EVENTS_TXDRDY) != nil)
    #expect(line.text == [65, 66])
    line[UARTE.TASKS_STARTRX] = 1
    line.part.machine.serialPorts[0].send([7, 8])
    #expect(line.await(UARTE.EVENTS_RXDRDY) != nil)
    #expect(line[UART.RXD] == 7)
    line.part.pass(microseconds: 500)
    #expect(line[UART.RXD] == 7)
    line[UARTE.EVENTS_RXDRDY] = 0
    #expect(line.await(UARTE.EVENTS_RXDRDY) != nil)
    #expect(line[UART.RXD] == 8)
  }
}
