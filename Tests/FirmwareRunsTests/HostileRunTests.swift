import Files
import Foundation
import Images
import TestSupport
import Testing

@testable import FirmwareRuns

/// Images that nobody meant to be run.
struct HostileRunTests {
  @Test("hostile images end or are stopped by their time, and never crash the simulator")
  func random() throws {
    var generator = Seeded("hostile images that run")
    let good = try FirmwareImage(path: FirmwareBuild.arm("reader").path).segments[0].bytes
    var ends: [Int32: Int] = [:]
    for index in 0..<Repetitions.count(200, long: 20_000) {
      var bytes = good
      if index % 3 == 0 {
        bytes = Array(good.prefix(0x90))
        for _ in 0..<512 { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
        bytes.replaceSubrange(4..<8, with: [0x91, 0, 0, 0])
      } else {
        for _ in 0..<Int.random(in: 1...200, using: &generator) {
          let place = Int.random(in: 0x90..<bytes.count, using: &generator)
          bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
      }
      let image = try FirmwareImage(bytes, path: "hostile.bin", rawAddress: 0)
      let outcome = try Firmware.run(image) { $0.duration = 2_000_000 }
      ends[outcome.ending?.status ?? -1, default: 0] += 1
    }
    #expect(ends[1] ?? 0 > 0 && ends[0] ?? 0 > 0, "\(ends)")
  }
}
