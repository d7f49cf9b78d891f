import Foundation
import I2C
import LinuxI2C
import Testing

/// The Linux adapter on a node that supports only SMBus (`I2C_FUNCS` without `I2C_FUNC_I2C`).
struct SMBusNodeTests {
  /// Passes the path of the bus to the test, which runs again as a program on the bench.
  static let variable = "ANEROID_SMBUS_BUS"
  static let target: I2CAddress = 0x76

  /// The transfers on the bus: every SMBus transaction that the adapter supports.
  ///
  /// Replayed strictly, so that any other transfer fails.
  private static let trace = """
    {"i2ctrace":1,"generator":"test","clock":"virtual","buses":[{"number":1,"frequency_hz":100000,"funcs":"0x0eff0008","quirks":{}}]}
    {"t":0,"d":110000,"a":"0x76","m":[{"w":""}]}
    {"t":1000000,"d":110000,"a":"0x76","m":[{"r":""}]}
    {"t":2000000,"d":200000,"a":"0x76","m":[{"w":"d0"}]}
    {"t":3000000,"d":200000,"a":"0x76","m":[{"r":"60"}]}
    {"t":4000000,"d":390000,"a":"0x76","m":[{"w":"d0"},{"r":"58"}]}
    {"t":5000000,"d":480000,"a":"0x76","m":[{"w":"88"},{"r":"0102"}]}
    {"t":6000000,"d":570000,"a":"0x76","m":[{"w":"8a"},{"r":"030405"}]}
    {"t":7000000,"d":3180000,"a":"0x76","m":[{"w":"10"},{"r":"\(hexadecimal(0..<32))"}]}
    {"t":11000000,"d":290000,"a":"0x76","m":[{"w":"f5a0"}]}
    {"t":12000000,"d":380000,"a":"0x76","m":[{"w":"f504f2"}]}
    {"t":13000000,"d":3080000,"a":"0x76","m":[{"w":"20\(hexadecimal(32..<64))"}]}
    {"t":17000000,"d":110000,"a":"0x76","m":[{"w":""}],"e":{"kind":"nack-address","errno":"ENXIO","message":0}}

    """

  private static func hexadecimal(_ bytes: Range<UInt8>) -> String {
    bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
  }

  @Test(
    "an SMBus-only adapter performs each of its transactions and rejects the others",
    arguments: SMBusInterface.allCases)
  func transactions(_ interface: SMBusInterface) throws {
    if let path = ProcessInfo.processInfo.environment[Self.variable] {
      // The child process runs all cases; the bus is for one of them.
      guard path == "/dev/i2c-1 \(interface.rawValue)" else { return }
      let adapter = try LinuxI2CAdapter(path: "/dev/i2c-1", smbusInterface: interface)
      #expect(adapter.smbusInterface == interface)
      try use(adapter)
      // Printed only by the child process, to distinguish it from a run without tests.
      return print("used \(path)")
    }
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let result = try CommandLineTool.withFile(Self.trace, suffix: ".i2ctrace") {
      try VirtualBusBench.exec(
        [tests, "--testing-library", "swift-testing", "--filter", "SMBusNodeTests"],
        options: ["--bus", "trace:\($0)"],
        environment: [Self.variable: "/dev/i2c-1 \(interface.rawValue)"])
    }
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      result.output.contains("used /dev/i2c-1 \(interface.rawValue)\n"), "\(result.output)")
  }

  /// The transactions of the child process, in the order of the trace.
  private func use(_ adapter: LinuxI2CAdapter) throws {
    #expect(!adapter.functionality.contains(.i2c))
    // Unsupported transactions are rejected without a transfer on the bus.
    #expect(throws: I2CError.self) { try read(adapter, 2) }
    #expect(throws: I2CError.self) { try read(adapter, from: 0x88, 33) }
    #expect(throws: I2CError.self) {
      try adapter.write([UInt8](repeating: 0, count: 34).span, to: Self.target)
    }

    try adapter.probe(Self.target)
    #expect(try read(adapter, 0) == [])
    try adapter.write([0xD0].span, to: Self.target)
    #expect(try read(adapter, 1) == [0x60])
    #expect(try read(adapter, from: 0xD0, 1) == [0x58])
    #expect(try read(adapter, from: 0x88, 2) == [0x01, 0x02])
    #expect(try read(adapter, from: 0x8A, 3) == [0x03, 0x04, 0x05])
    #expect(try read(adapter, from: 0x10, 32) == Array(0..<32))
    try adapter.writeRegister(0xF5, 0xA0, at: Self.target)
    try adapter.write([0xF5, 0x04, 0xF2].span, to: Self.target)
    try adapter.write(([0x20] + Array(32..<64)).span, to: Self.target)
    let failure = #expect(throws: I2CError.self) { try adapter.probe(Self.target) }
    #expect(failure?.errno == .enxio)
  }

  private func read(_ adapter: LinuxI2CAdapter, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: Self.target)
    return bytes
  }

  private func read(
    _ adapter: LinuxI2CAdapter, from register: UInt8, _ count: Int
  ) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &span, at: Self.target)
    return bytes
  }
}
