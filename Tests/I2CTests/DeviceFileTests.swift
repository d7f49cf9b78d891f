import I2C
import Testing

/// An open /dev/i2c-N handles each request as Linux's i2c-dev does.
struct DeviceFileTests {
  typealias Request = I2CDeviceFile.Request
  static let here = DeviceFileBench.base

  @Test("I2C_FUNCS returns the adapter's functionality as an unsigned long")
  func functionality() {
    let bench = DeviceFileBench()
    bench.put([9, 9, 9, 9, 9, 9, 9, 9], at: 0)
    #expect(bench.ioctl(Request.functionality, Self.here) == 0)
    #expect(bench.bytes[0..<8] == [0x09, 0x00, 0xFF, 0x0E, 0, 0, 0, 0])
    #expect(bench.ioctl(Request.functionality, 8) == -14)
  }

  @Test(
    "I2C_SLAVE accepts a seven-bit address, or a ten-bit one with I2C_TENBIT",
    arguments: [
      (0x76, false, 0), (0x7F, false, 0), (0x80, false, -22), (0x80, true, 0), (0x3FF, true, 0),
      (0x400, true, -22), (0xFFFF_FFFF_FFFF_FFFF as UInt64, true, -22),
    ])
  func slave(_ address: UInt64, _ isTenBit: Bool, _ result: Int) {
    let bench = DeviceFileBench()
    #expect(bench.ioctl(Request.tenBit, isTenBit ? 1 : 0) == 0)
    #expect(bench.ioctl(Request.slave, address) == result)
    #expect(bench.ioctl(Request.slaveForce, address) == result)
  }

  @Test("I2C_SLAVE fails with EBUSY for an address bound to a driver; I2C_SLAVE_FORCE succeeds")
  func bound() {
    let bench = DeviceFileBench(bound: [0x76])
    #expect(bench.ioctl(Request.slave, 0x76) == -16)
    #expect(bench.ioctl(Request.slave, 0x77) == 0)
    #expect(bench.ioctl(Request.slaveForce, 0x76) == 0)
    #expect(bench.file.address == 0x76)
  }

  @Test(
    "unknown requests fail with ENOTTY", arguments: [0x0700, 0x0709, 0x0721, 0x5401] as [UInt32])
  func unknown(_ request: UInt32) {
    #expect(DeviceFileBench().ioctl(request, 0) == -25)
  }

  @Test("I2C_RETRIES and I2C_TIMEOUT accept an int; the timeout is in units of 10 ms")
  func settings() {
    let bench = DeviceFileBench()
    #expect(bench.ioctl(Request.timeout, 25) == 0)
    #expect(bench.file.node.timeoutMilliseconds == 250)
    #expect(bench.ioctl(Request.retries, 3) == 0)
    #expect(bench.file.node.retries == 3)
    #expect(bench.ioctl(Request.retries, 1 << 31) == -22)
    #expect(bench.ioctl(Request.timeout, 1 << 31) == -22)
  }

  @Test("a transfer that lost arbitration is retried I2C_RETRIES times")
  func retries() {
    let lost = I2CError(.arbitrationLost, errno: .eagain)
    let bench = DeviceFileBench(failing: [lost, lost, lost])
    _ = bench.ioctl(Request.retries, 1)
    let message = DeviceFileBench.Message(length: 1, buffer: Self.here)
    #expect(bench.transfer([message]) == -11)
    #expect(bench.adapter.transfers.count == 2)
    #expect(bench.transfer([message]) == 1)
    #expect(bench.adapter.transfers.count == 4)
  }

  @Test("I2C_RDWR joins its messages, returns their number and copies back the bytes read")
  func transfer() {
    let bench = DeviceFileBench(answering: [1, 2, 3, 4])
    bench.put([0xF7], at: 0)
    let result = bench.transfer([
      .init(length: 1, buffer: Self.here),
      .init(flags: 1, length: 3, buffer: Self.here + 16),
      .init(address: 0x77, flags: 0x0201, length: 1, buffer: Self.here + 32),
    ])
    #expect(result == 3)
    let expected: [I2CSegment] = [.write(1, to: 0x76), .read(3, from: 0x76), .read(1, from: 0x77)]
    #expect(bench.adapter.transfers == [expected])
    #expect(bench.adapter.written == [[0xF7]])
    #expect(bench.bytes[16..<19] == [1, 2, 3])
    #expect(bench.bytes[32] == 4)
  }

  @Test("an invalid I2C_RDWR fails before it reaches the bus")
  func badTransfers() {
    let bench = DeviceFileBench()
    let good = DeviceFileBench.Message(length: 1, buffer: Self.here)
    #expect(bench.ioctl(Request.transfer, 0) == -14)
    #expect(bench.transfer([]) == -22)
    #expect(bench.transfer([good], list: 0) == -22)
    #expect(bench.transfer([good], count: 43) == -22)
    #expect(bench.transfer([good], count: .max) == -22)
    #expect(bench.transfer([good], list: 8) == -14)
    #expect(bench.transfer([.init(length: 8193, buffer: Self.here)]) == -22)
    #expect(bench.transfer([.init(length: 1, buffer: 8)]) == -14)
    #expect(bench.transfer([good, .init(flags: 1, length: 1, buffer: 8)]) == -14)
    #expect(bench.transfer([.init(address: 0x400, length: 1, buffer: Self.here)]) == -22)
    #expect(bench.adapter.transfers.isEmpty)
    #expect(bench.transfer(Array(repeating: good, count: 42)) == 42)
    #expect(bench.transfer([.init(length: 8192, buffer: Self.here)]) == 1)
    #expect(bench.transfer([.init(length: 0, buffer: 0)]) == 1)
  }

  @Test("a message with I2C_M_RECV_LEN fails with EINVAL unless its buffer holds a whole block")
  func receiveLength() {
    let bench = DeviceFileBench()
    bench.put([1], at: 0)
    #expect(bench.transfer([.init(flags: 0x401, length: 33, buffer: Self.here)]) == 1)
    #expect(bench.adapter.transfers[0][0].flags == .receiveLength)
    #expect(bench.adapter.transfers[0][0].count == 1)
    #expect(bench.transfer([.init(flags: 0x401, length: 32, buffer: Self.here)]) == -22)
    #expect(bench.transfer([.init(flags: 0x400, length: 33, buffer: Self.here)]) == -22)
    bench.put([0], at: 0)
    #expect(bench.transfer([.init(flags: 0x401, length: 33, buffer: Self.here)]) == -22)
  }

  @Test("a failed transfer returns the adapter's errno")
  func errors() {
    for errno in [I2CErrno.enxio, .eremoteio, .etimedout, .eopnotsupp] {
      let bench = DeviceFileBench(failing: [I2CError(.addressNack, errno: errno)])
      #expect(
        bench.transfer([.init(length: 1, buffer: Self.here)]) == -Int(errno.rawValue))
    }
  }

  @Test("a cancelled call does not use the bus")
  func gone() {
    let bench = DeviceFileBench()
    bench.isWaiting = false
    _ = bench.transfer([.init(length: 1, buffer: Self.here)])
    #expect(bench.adapter.transfers.isEmpty)
  }

  @Test("read and write transfer one message of at most 8192 bytes to the current address")
  func readAndWrite() throws {
    let bench = DeviceFileBench(answering: [7, 8])
    _ = bench.ioctl(Request.slave, 0x76)
    #expect(try bench.file.read(2, to: Self.here, bench) == 2)
    #expect(bench.bytes[0..<2] == [7, 8])
    #expect(try bench.file.write(2, from: Self.here, bench) == 2)
    #expect(bench.adapter.written.last == [7, 8])
    #expect(try bench.file.write(100_000, from: Self.here, bench) == 8192)
    #expect(try bench.file.read(0, to: 8, bench) == 0)
    #expect(bench.adapter.transfers.map { $0.map(\.count) } == [[2], [2], [8192], [0]])
    #expect(throws: I2CErrno.efault) { try bench.file.write(1, from: 8, bench) }
    #expect(throws: I2CErrno.efault) { try bench.file.read(1, to: 8, bench) }
  }
}
