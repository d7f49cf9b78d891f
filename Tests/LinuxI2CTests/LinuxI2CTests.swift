import I2C
import LinuxI2C
import Testing

/// What can be said of real adapters where there is none; with one (a virtual one) they are tested
/// through `aneroid exec`.
struct LinuxI2CTests {
  @Test("a node that is missing or no adapter says so, and what to try")
  func missing() {
    let missing = #expect(throws: LinuxI2CError.self) {
      try LinuxI2CAdapter(path: "/dev/i2c-250")
    }
    #expect(missing?.errno.rawValue == 2)
    #expect("\(missing.map { "\($0)" } ?? "")".contains("modprobe i2c-dev"))
    let other = #expect(throws: LinuxI2CError.self) { try LinuxI2CAdapter(path: "/dev/null") }
    #expect(other?.errno == .enotty)
    #expect("\(other.map { "\($0)" } ?? "")".contains("no I2C adapter"))
  }

  @Test("a build from source is linked with libi2c, which is the default for SMBus transactions")
  func library() {
    #expect(SMBusInterface.available == [.libi2c, .ioctl])
  }

  @Test("a path is a path, a name must be an adapter's")
  func names() throws {
    #expect(try LinuxI2CNode.path(of: "/dev/i2c-7") == "/dev/i2c-7")
    let unknown = #expect(throws: LinuxI2CError.self) {
      try LinuxI2CNode.path(of: "no such adapter")
    }
    #expect(unknown?.errno == .enodev)
  }
}
