import Files
import Foundation
import Machines
import TestSupport
import Testing

@testable import FirmwareRuns

/// Flash that outlives a run.
struct FlashTests {
  @Test("what a program wrote is there in the next run; the image is programmed anew")
  func persists() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let folder = scratch.path
    let image = try FirmwareBuild.arm("flash")
    let file = folder + "/flash.bin"
    let texts = try (0..<3).map { _ in try Firmware.run(image) { $0.flash = file }.output }
    #expect(texts == ["boots 1\r\n", "boots 2\r\n", "boots 3\r\n"])
    #expect(try Firmware.run(image).output == "boots 1\r\n")
  }

  @Test("a file of another size is not touched")
  func foreign() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let folder = scratch.path
    let file = folder + "/flash.bin"
    try Data([1, 2, 3]).write(to: URL(filePath: file))
    let failure = #expect(throws: Failure.self) {
      try Firmware.run(FirmwareBuild.arm("hello")) { $0.flash = file }
    }
    #expect(failure?.exitStatus == 65)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
  }
}
