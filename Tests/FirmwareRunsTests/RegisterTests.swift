import Files
import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Registers that nobody models, and their names.
struct RegisterTests {
  static let svd = """
    <?xml version="1.0"?>
    <!-- a comment > -->
    <device schemaVersion="1.1"><peripherals>
      <peripheral><name>EGU</name><baseAddress>0x40013000</baseAddress>
        <registers>
          <register><name>CONTROL</name><addressOffset>0xFF0</addressOffset></register>
          <register><dim>3</dim><dimIncrement>4</dimIncrement><name>EVENTS[%s]</name>
            <addressOffset>0x100</addressOffset></register>
          <cluster><name>PSEL</name><addressOffset>0x500</addressOffset>
            <register><name>TXD</name><addressOffset>4</addressOffset></register></cluster>
        </registers></peripheral>
      <peripheral derivedFrom="EGU"><name>EGU2</name><baseAddress>0x40023000</baseAddress></peripheral>
    </peripherals></device>
    """

  @Test("names come from registers, arrays, clusters and derived peripherals")
  func names() throws {
    let names = try RegisterNames(Self.svd, path: "a.svd")
    #expect(names.name(at: 0x4001_3FF0) == "EGU.CONTROL")
    #expect(names.name(at: 0x4001_3108) == "EGU.EVENTS[2]")
    #expect(names.name(at: 0x4001_3505) == "EGU.PSEL.TXD")
    #expect(names.name(at: 0x4002_3FF0) == "EGU2.CONTROL")
    #expect(names.name(at: 0x4001_310C) == nil)
  }

  @Test(
    "what is no CMSIS-SVD is told",
    arguments: ["", "text", "<a>", "<a></b>", "<a/>", "<device><peripherals/></device>"])
  func damaged(text: String) {
    let failure = #expect(throws: Failure.self) { try RegisterNames(text, path: "a.svd") }
    #expect(failure?.exitStatus == 65)
  }

  @Test("damaged files neither crash nor hang the reader")
  func mutations() throws {
    var generator = Seeded("SVD files")
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(Array(Self.svd.utf8), using: &generator)
      _ = try? RegisterNames(String(decoding: bytes, as: UTF8.self), path: "a")
    }
  }

  @Test("a register that nobody models is told once, with its name where there is one")
  func told() throws {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=6", "-Wno-infinite-recursion"])
    let plain = try Firmware.run(image)
    #expect(plain.output == "before\r\nbehind\r\n")
    #expect(plain.outputBeforeNotices == ["before\r\n"])
    #expect(
      plain.notices == [
        "it writes the register at 0x40013ff0, which is not modelled and behaves as memory"
      ])
    let names = try RegisterNames(Self.svd, path: "a.svd")
    let named = try Firmware.run(image) { $0.registers = names }
    #expect(named.notices[0].hasPrefix("it writes EGU.CONTROL (0x40013ff0), which"))
    let strict = try Firmware.run(image) {
      $0.registers = names
      $0.isStrict = true
    }
    #expect(strict.ending?.status == 1 && strict.output == "before\r\n")
    #expect(
      strict.failure[0].contains("EGU.CONTROL (0x40013ff0) is not modelled (--strict), at main"))
  }
}
