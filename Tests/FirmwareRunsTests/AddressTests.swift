import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Programs that use another address than that of the part on their bus.
struct AddressTests {
  private func notices(_ flags: [String]) throws -> [String] {
    try Firmware.run(FirmwareBuild.arm("address", flags: flags)).notices.filter {
      $0.hasPrefix("nothing answered")
    }
  }

  @Test("a program that uses 0x77 alone is told that the part is at 0x76")
  func other() throws {
    let found = try notices(["-DFIRST=0x77", "-DLAST=0x77"])
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "nothing answered on bus 1 at 0x77, and the program used no other address; on the bus: BME280 at 0x76; "
          + "change the address in the program, or that of the part: --address 0x77"
      ) == true, "\(found)")
  }

  @Test(
    "a program that finds the part, and one that scans the bus, is told nothing",
    arguments: [["-DFIRST=0x77", "-DLAST=0x76"], ["-DFIRST=0x70", "-DLAST=0x08"]])
  func found(flags: [String]) throws { #expect(try notices(flags) == []) }
}
