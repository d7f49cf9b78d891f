import I2C
import LinuxI2C
import Testing

/// Hardware adapters on a machine that has none; the tests of `aneroid exec` cover them on a virtual adapter.
struct LinuxI2CTests {
  @Test(
    "the errors for a missing node and for a file that is not an adapter name the cause and the remedy"
  )
  func missing() {
    let missing = #expect(throws: LinuxI2CError.self) {
      try LinuxI2CAdapter(path: "/dev/i2c-250")
    }
    #expect(missing?.errno.rawValue == 2)
    #expect("\(missing.map { "\($0)" } ?? "")".contains("modprobe i2c-dev"))
    let other = #expect(throws: LinuxI2CError.self) { try LinuxI2CAdapter(path: "/dev/null") }
    #expect(other?.errno == .enotty)
    #expect("\(other.map { "\($0)" } ?? "")".contains("not an I2C adapter"))
  }

  @Test("a build from source is linked with libi2c, which is the default for SMBus transactions")
  func library() {
    #expect(SMBusInterface.available == [.libi2c, .ioctl])
  }

  @Test("the path of a bus is returned unchanged, and the name of an unknown adapter gives ENODEV")
  func names() throws {
    #expect(try LinuxI2CNode.path(of: "/dev/i2c-7") == "/dev/i2c-7")
    let unknown = #expect(throws: LinuxI2CError.self) {
      try LinuxI2CNode.path(of: "no such adapter")
    }
    #expect(unknown?.errno == .enodev)
  }
}
