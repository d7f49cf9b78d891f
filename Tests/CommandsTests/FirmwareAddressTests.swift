import Foundation
import TestSupport
import Testing

/// Images that use another address than the default.
struct FirmwareAddressTests {
  private static func image() throws -> String {
    try FirmwareBuild.arm("address", flags: ["-DFIRST=0x77", "-DLAST=0x77"]).path
  }

  @Test("--address sets the address of the part on the built-in bench")
  func moved() throws {
    let image = try Self.image()
    let lost = try CommandLineTool.run("firmware", image, "--mcu", "nrf52832", "--for", "1s")
    #expect(lost.errors.contains("no device answered on bus 1 at 0x77"), "\(lost)")
    #expect(lost.errors.contains("--address"), "\(lost)")
    let found = try CommandLineTool.run(
      "firmware", image, "--mcu", "nrf52832", "--for", "1s", "--address", "0x77")
    #expect(found.status == 0 && !found.errors.contains("no device answered"), "\(found)")
  }

  @Test("--address is rejected with a rig, and for an address that the part does not support")
  func refused() throws {
    let image = try Self.image()
    let rig = try CommandLineTool.run(
      "firmware", image, "--address", "0x77", "--rig", "weather-station")
    #expect(rig.status == 64 && rig.errors.contains("cannot be used with --rig"), "\(rig)")
    let other = try CommandLineTool.run("firmware", image, "--address", "0x40")
    #expect(other.status == 64 && other.errors.contains("must be 0x76 or 0x77"), "\(other)")
  }
}
