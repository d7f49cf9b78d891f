import Files
import Foundation
import Images
import Rigs
import TestSupport
import Testing

@testable import FirmwareRuns

/// Packets that nobody's GDB sends.
struct GDBFuzzTests {
  private static func session(_ image: URL, on name: String) throws -> GDBSession {
    var options = FirmwareOptions()
    options.duration = 50_000_000
    let model = try #require(MicrocontrollerModel.named(name))
    let bench = try FirmwareBench(
      .init(path: image.path), on: model, Rig.builtIn(), options: options)
    let run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: { _ in })
    return GDBSession(run, try GDBListener(port: 0))
  }

  private static let beginnings = [
    "m", "M0,4:", "X0,4:", "P", "p", "G", "g", "Z0,", "Z2,", "z0,", "z3,", "vFlashErase:",
    "vFlashWrite:", "vFlashDone", "vCont;", "s", "qXfer:features:read:target.xml:",
    "qXfer:memory-map:read::", "qRcmd,", "q", "?", "H", "T", "!", "R", "v", "k", "D",
  ]

  @Test(
    "random packets are answered or passed over, and the part can be used behind them",
    arguments: ["nrf52832", "stm32f411", "atmega328p"])
  func packets(name: String) throws {
    let image =
      name == "atmega328p"
      ? try FirmwareBuild.avr("avr-hello") : try FirmwareBuild.arm("hello", board: name)
    var generator = Seeded("packets for a debugger's server of \(name)")
    var session = try Self.session(image, on: name)
    var answers = 0
    for index in 0..<Repetitions.count(600, long: 20_000) {
      if index % 200 == 199 { session = try Self.session(image, on: name) }
      var content = Array(Self.beginnings.randomElement(using: &generator)!.utf8)
      for _ in 0..<Int.random(in: 0...24, using: &generator) {
        let digits = Array("0123456789abcdef,:;=-".utf8)
        content.append(
          Bool.random(using: &generator)
            ? digits.randomElement(using: &generator)!
            : UInt8.random(in: 0...255, using: &generator))
      }
      let text = String(decoding: content, as: UTF8.self)
      if session.binary(content) ?? session.answer(text) != nil { answers += 1 }
    }
    #expect(answers > 100)
    let fresh = try Self.session(image, on: name)
    #expect(fresh.answer("m0,4")?.utf8.count == 8)
    #expect(fresh.answer("g")?.isEmpty == false)
  }
}
