import BusServers
import I2C
import Testing
import VirtualI2C

/// Messages that arrive one by one.
struct ServedBusTests {
  @Test("messages that arrive one by one take the time of the same combined transfer")
  func time() throws {
    let bench = try ServerBench()
    var bytes: [UInt8] = []
    #expect(bench.bus.write([0x10], to: 0x50, isLast: false) == nil)
    #expect(bench.bus.isOpen)
    #expect(bench.bus.read(3, from: 0x50, isLast: true, into: &bytes) == nil)
    #expect(!bench.bus.isOpen)
    #expect(bytes == Array(bench.part.registers[0x10...0x12]))
    #expect(bench.part.stops == 1)
    let other = try ServerBench()
    var buffer: [UInt8] = [0, 0, 0]
    var span = buffer.mutableSpan
    try other.adapter.readRegisters(from: 0x10, count: 3, into: &span, at: 0x50)
    #expect(bench.clock.nanoseconds == other.clock.nanoseconds)
  }

  @Test("a failed message ends the transfer with a stop", arguments: [true, false])
  func failure(isLast: Bool) throws {
    let bench = try ServerBench()
    #expect(bench.bus.write([1], to: 0x51, isLast: isLast) == .addressNack)
    #expect(!bench.bus.isOpen)
    #expect(bench.bus.write([0xFF, 1], to: 0x50, isLast: isLast) == .dataNack)
    #expect(!bench.bus.isOpen)
  }

  @Test("a stop without a transfer has no effect")
  func stop() throws {
    let bench = try ServerBench()
    bench.bus.stop()
    #expect(bench.clock.nanoseconds == 0)
    #expect(bench.part.stops == 0)
  }
}
