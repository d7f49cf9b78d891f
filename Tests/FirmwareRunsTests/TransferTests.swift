import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of output by SEGGER RTT and by semihosting.
struct TransferTests {
  private static func lines(_ outcome: Outcome) -> [String] {
    outcome.events.compactMap { event in
      if case .serial(let line) = event { "\(line.port): \(line.text)" } else { nil }
    }
  }

  @Test(
    "RTT is output in addition to the UART, with or without a symbol for the control block",
    arguments: [[], ["-DHIDDEN"], ["-DHIDDEN", "-s"]])
  func output(flags: [String]) throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt", flags: flags))
    #expect(
      outcome.output
        == "hello through RTT, which is longer than its buffer\r\nover the UART\r\n> \n")
    #expect(
      Self.lines(outcome) == [
        "RTT0: hello through RTT, which is longer than its buffer", "RTT1: a log",
        "UARTE0: over the UART", "RTT0: > ",
      ])
    #expect(outcome.ending?.status == 3)
  }

  @Test("if a program ends before its RTT control block is found, its output appears at the end")
  func brief() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt", flags: ["-DHIDDEN", "-DBRIEF"]))
    #expect(outcome.output == "brief\n" && outcome.ending?.status == 3)
    #expect((outcome.ending?.time ?? .max) < 11_000_000)
  }

  @Test("a matching RTT line ends the run when it is written", arguments: [[], ["-DHIDDEN"]])
  func ending(flags: [String]) throws {
    let pattern = try #require(SerialPattern("/a log/"))
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt", flags: flags)) {
      $0.endings = [pattern]
    }
    #expect(Self.lines(outcome).last == "RTT1: a log")
    // It is written about 41 µs after the start; without a symbol for the block, after the first search.
    let time = try #require(outcome.ending?.time)
    #expect(flags.isEmpty ? (10_030_000..<10_060_000).contains(time) : time < 11_030_000)
  }

  @Test("RTT output is neither repeated nor corrupted after a reset")
  func restart() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt", flags: ["-DRESTART"]))
    #expect(outcome.output == "once\nagain\nagain\n")
    #expect(outcome.ending?.cause == .exit(3))
  }

  @Test("routing an RTT channel does not affect the UART or the other channels")
  func routes() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let (one, zero) = (scratch.path + "/one", scratch.path + "/zero")
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt")) {
      $0.serial = ["rtt1=\(one)", "RTT0=\(zero)"].compactMap(SerialRoute.init)
    }
    #expect(outcome.output == "over the UART\r\n")
    #expect(try String(contentsOfFile: one, encoding: .utf8) == "a log\n")
    #expect(try String(contentsOfFile: zero, encoding: .utf8).hasSuffix("> \n"))
    let failure = #expect(throws: Failure.self) {
      try Firmware.run(FirmwareBuild.arm("rtt")) {
        $0.serial = ["0=none", "uarte0=stdout"].compactMap(SerialRoute.init)
      }
    }
    #expect(failure?.messages[0] == "serial port UARTE0 has two destinations")
  }

  @Test("input for an RTT channel reaches the program")
  func input() throws {
    let image = try FirmwareImage(path: FirmwareBuild.arm("rtt").path)
    let model = try #require(MicrocontrollerModel.named("nrf52832"))
    let options = FirmwareOptions()
    let bench = try FirmwareBench(image, on: model, Rig.builtIn(), options: options)
    var output: [UInt8] = []
    let run = try FirmwareRun(
      bench, options: options, standardOutput: { output += $0 }, report: { _ in })
    run.realTimeTransfer.ports[0].send(Array("typed".utf8))
    _ = try run.run()
    #expect(String(decoding: output, as: UTF8.self).hasSuffix("> typed\n"))
  }

  @Test("two runs with RTT produce the same bytes at the same times")
  func same() throws {
    let image = try FirmwareBuild.arm("rtt", flags: ["-DHIDDEN"])
    let (one, other) = (try Firmware.run(image), try Firmware.run(image))
    #expect(one.events.map(\.json.compact) == other.events.map(\.json.compact))
  }

  @Test(
    "a control block with invalid pointers is tolerated", arguments: ["2", "33", "0xFFFFFFFF"])
  func hostile(rings: String) throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("rtt", flags: ["-DHOSTILE=\(rings)"]))
    #expect(outcome.output == "over the UART\r\n" && outcome.ending?.status == 3)
  }
}
