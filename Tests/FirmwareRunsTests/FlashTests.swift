import FirmwareRuns
import Foundation
import Machines
import Support
import TestSupport
import Testing

/// Tests of persistent flash.
struct FlashTests {
  @Test(
    "data that a program writes to flash persist in the next run, which programs the image again")
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

  @Test("a flash file of the wrong size is rejected and left unchanged")
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

  @Test(
    "only one run at a time can use a flash file, and an empty file counts as missing"
  )
  func shared() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let (file, link) = (scratch.path + "/flash.bin", scratch.path + "/link")
    let image = try FirmwareBuild.arm("flash")
    try Data().write(to: URL(filePath: file))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    var refusals: [Failure?] = []
    let first = try Firmware.run(image) {
      ($0.flash, $0.isReal) = (file, false)
      $0.isInterrupted = {
        if refusals.isEmpty {
          refusals = [file, link].map { path in
            #expect(throws: Failure.self) { try Firmware.run(image) { $0.flash = path } }
          }
        }
        return false
      }
    }
    #expect(first.output == "boots 1\r\n")
    #expect(refusals.map { $0?.exitStatus } == [69, 69])
    #expect(
      refusals[0]?.messages[0].hasPrefix("\(file): the flash file is in use by another run")
        == true)
    #expect(try Firmware.run(image) { $0.flash = link }.output == "boots 2\r\n")
  }

  @Test("a newly created file is removed if the image does not fit")
  func created() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let file = scratch.path + "/flash.bin"
    let machine = try #require(MicrocontrollerModel.named("nrf52832")).make(seed: 0)
    #expect(throws: Failure.self) {
      try FlashFile(file, of: machine) { () throws(Failure) in throw Failure(.badContent, "no") }
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}
