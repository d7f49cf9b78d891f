import I2C
import TestSupport
import Testing

/// SMBus transactions are emulated with I2C messages as in the kernel's i2c-core.
struct DeviceFileSMBusTests {
  /// A transaction and the expected bytes on the wire.
  struct Case: CustomTestStringConvertible {
    let name: String
    let direction: UInt8
    let size: UInt32
    var data: [UInt8] = []
    let segments: [I2CSegment]
    let written: [UInt8]
    var answer: [UInt8] = []
    /// The expected start of the caller's data.
    var result: [UInt8] = []
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "quick write", direction: 0, size: 0, segments: [.write(0, to: 0x76)], written: []),
    Case(name: "quick read", direction: 1, size: 0, segments: [.read(0, from: 0x76)], written: []),
    Case(
      name: "receive byte", direction: 1, size: 1, segments: [.read(1, from: 0x76)], written: [],
      answer: [0xAB], result: [0xAB]),
    Case(
      name: "send byte", direction: 0, size: 1, segments: [.write(1, to: 0x76)], written: [0xF7]),
    Case(
      name: "read byte data", direction: 1, size: 2,
      segments: [.write(1, to: 0x76), .read(1, from: 0x76)], written: [0xF7], answer: [0xAB],
      result: [0xAB]),
    Case(
      name: "write byte data", direction: 0, size: 2, data: [0xAB],
      segments: [.write(2, to: 0x76)], written: [0xF7, 0xAB]),
    Case(
      name: "read word data", direction: 1, size: 3,
      segments: [.write(1, to: 0x76), .read(2, from: 0x76)], written: [0xF7], answer: [0x34, 0x12],
      result: [0x34, 0x12]),
    Case(
      name: "write word data", direction: 0, size: 3, data: [0x34, 0x12],
      segments: [.write(3, to: 0x76)], written: [0xF7, 0x34, 0x12]),
    Case(
      name: "process call", direction: 0, size: 4, data: [0x34, 0x12],
      segments: [.write(3, to: 0x76), .read(2, from: 0x76)], written: [0xF7, 0x34, 0x12],
      answer: [0x78, 0x56], result: [0x78, 0x56]),
    Case(
      name: "write block data", direction: 0, size: 5, data: [2, 0xAB, 0xCD],
      segments: [.write(4, to: 0x76)], written: [0xF7, 2, 0xAB, 0xCD]),
    Case(
      name: "old I2C block read", direction: 1, size: 6,
      segments: [.write(1, to: 0x76), .read(32, from: 0x76)], written: [0xF7],
      answer: Array(1...32), result: [32] + Array(1...32)),
    Case(
      name: "I2C block read", direction: 1, size: 8, data: [3],
      segments: [.write(1, to: 0x76), .read(3, from: 0x76)], written: [0xF7], answer: [1, 2, 3],
      result: [3, 1, 2, 3]),
    Case(
      name: "I2C block write", direction: 0, size: 8, data: [2, 0xAB, 0xCD],
      segments: [.write(3, to: 0x76)], written: [0xF7, 0xAB, 0xCD]),
    Case(
      name: "block read", direction: 1, size: 5,
      segments: [
        .write(1, to: 0x76),
        I2CSegment(address: 0x76, direction: .read, count: 1, flags: .receiveLength),
      ], written: [0xF7], answer: [2, 8, 9], result: [2, 8, 9]),
    Case(
      name: "block process call", direction: 0, size: 7, data: [1, 5],
      segments: [
        .write(3, to: 0x76),
        I2CSegment(address: 0x76, direction: .read, count: 1, flags: .receiveLength),
      ], written: [0xF7, 1, 5], answer: [2, 8, 9], result: [2, 8, 9]),
  ]

  @Test(
    "an SMBus transaction is emulated with the same messages as in the kernel", arguments: cases)
  func transaction(_ item: Case) {
    let bench = DeviceFileBench(answering: item.answer)
    _ = bench.ioctl(I2CDeviceFile.Request.slave, 0x76)
    bench.put(item.data, at: 0)
    #expect(bench.smbus(item.direction, 0xF7, item.size, dataAt: 0) == 0)
    #expect(bench.adapter.transfers == [item.segments])
    #expect(bench.adapter.written == [item.written])
    #expect(Array(bench.bytes.prefix(item.result.count)) == item.result)
  }

  @Test("an invalid I2C_SMBUS fails before it reaches the bus")
  func mistakes() {
    let bench = DeviceFileBench()
    #expect(bench.ioctl(I2CDeviceFile.Request.smbus, 8) == -14)
    #expect(bench.smbus(0, 0, 9, dataAt: 0) == -22)
    #expect(bench.smbus(2, 0, 2, dataAt: 0) == -22)
    #expect(bench.smbus(1, 0, 2, dataAt: nil) == -22)
    #expect(bench.smbus(0, 0, 2, dataAt: 1 << 17) == -14)
    bench.put([33], at: 0)
    for size in [5, 7, 8] as [UInt32] { #expect(bench.smbus(0, 0, size, dataAt: 0) == -22) }
    #expect(bench.smbus(1, 0, 8, dataAt: 0) == -22)
    #expect(bench.adapter.transfers.isEmpty)
    #expect(bench.smbus(0, 0, 0, dataAt: nil) == 0)
  }

  @Test("a block longer than 32 bytes fails with EPROTO")
  func longBlock() {
    let bench = DeviceFileBench(answering: [33])
    #expect(bench.smbus(1, 0, 5, dataAt: 0) == -71)
  }

  /// The codes were computed by hand for address 0x76: CRC-8 over EC F7 AB; EC F7 ED AB; ED AB; EC
  /// F7.
  @Test(
    "with I2C_PEC a packet error code is appended, and a wrong one fails with EBADMSG",
    arguments: [
      (0, 2, [0xAB], [0xF7, 0xAB, crc([0xEC, 0xF7, 0xAB])], []),
      (0, 1, [], [0xF7, crc([0xEC, 0xF7])], []),
      (1, 2, [], [0xF7], [0xAB, crc([0xEC, 0xF7, 0xED, 0xAB])]),
      (1, 1, [], [], [0xAB, crc([0xED, 0xAB])]),
      (1, 5, [], [0xF7], [2, 8, 9, crc([0xEC, 0xF7, 0xED, 2, 8, 9])]),
    ] as [(UInt8, UInt32, [UInt8], [UInt8], [UInt8])])
  func packetErrorCode(
    _ direction: UInt8, _ size: UInt32, _ data: [UInt8], _ written: [UInt8], _ answer: [UInt8]
  ) {
    var wrong = answer
    if !wrong.isEmpty { wrong[wrong.count - 1] ^= 1 }
    for (answer, result) in [(answer, 0), (wrong, answer.isEmpty ? 0 : -74)] {
      let bench = DeviceFileBench(answering: answer)
      _ = bench.ioctl(I2CDeviceFile.Request.slave, 0x76)
      _ = bench.ioctl(I2CDeviceFile.Request.pec, 1)
      bench.put(data, at: 0)
      #expect(bench.smbus(direction, 0xF7, size, dataAt: 0) == result)
      #expect(bench.adapter.written == [written])
    }
    // The published check value, the code of the ASCII digits 1 to 9, is 0xF4.
    #expect(Self.crc(Array("123456789".utf8)) == 0xF4)
  }

  /// Returns the CRC-8 with polynomial 0x07, computed bit by bit.
  static func crc(_ bytes: [UInt8]) -> UInt8 {
    var register = 0
    for byte in bytes {
      for bit in (0..<8).reversed() {
        let top = register >> 7 & 1 ^ Int(byte) >> bit & 1
        register = register << 1 & 0xFF ^ (top == 1 ? 0x07 : 0)
      }
    }
    return UInt8(register)
  }
}
