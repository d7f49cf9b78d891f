import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of output other than text, such as coverage, the battery estimate and the files of serial ports.
struct OutputTests {
  @Test("coverage contains the executed lines of the compiler's line table")
  func coverage() throws {
    let image = try FirmwareBuild.arm("hello")
    var options = FirmwareOptions()
    options.coverage = true
    let model = try #require(MicrocontrollerModel.named("nrf52832"))
    let bench = try FirmwareBench(
      .init(path: image.path), on: model, Rig.builtIn(), options: options)
    let run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: { _ in })
    _ = try run.run()
    let text = try #require(try run.coverage?.text())
    let sections = text.components(separatedBy: "end_of_record\n")
    let hello = try #require(sections.first { $0.contains("hello.c\n") })
    #expect(hello.contains("DA:5,1\n") && hello.contains("DA:6,1\n"))
    let board = try #require(sections.first { $0.contains("/nrf52832.c\n") })
    // The bus was never initialized.
    let source = try Fixtures.text("Tests/Firmware/C/nrf52832.c").components(separatedBy: "\n")
    let line = try #require(source.firstIndex { $0.hasPrefix("void bus_start") }) + 2
    #expect(board.contains("DA:\(line),0\n"))
    #expect(text.hasPrefix("TN:\nSF:/"))
  }

  @Test("the battery estimate includes the sensor and the core, and its shares add up to 100 %")
  func energy() throws {
    let outcome = try Firmware.run(FirmwareBuild.arm("reader")) { $0.energy = true }
    let parts = outcome.events.compactMap { event -> RunEvent.Consumption? in
      if case .consumption(let part) = event { part } else { nil }
    }
    #expect(parts.contains { $0.consumer == "BME280 at 0x76 on bus 1" })
    #expect(parts.allSatisfy { !$0.source.isEmpty && $0.microcoulombs >= 0 })
    #expect(abs(parts.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    let asleep = try #require(parts.first { $0.consumer.contains("idle") }?.duration)
    #expect(asleep > 9_000_000_000)
  }

  @Test("a serial port is routed by number or name, and an unknown port is rejected")
  func routes() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let folder = scratch.path
    let route = try #require(SerialRoute("0=\(folder)/out.txt"))
    let outcome = try Firmware.run(FirmwareBuild.arm("hello")) { $0.serial = [route] }
    #expect(outcome.output == "")
    #expect(
      try String(contentsOfFile: folder + "/out.txt", encoding: .utf8)
        == "hello from firmware\r\n")
    let failure = #expect(throws: Failure.self) {
      try Firmware.run(FirmwareBuild.arm("hello")) { $0.serial = [SerialRoute("7=stdout")!] }
    }
    #expect(failure?.messages[0].hasPrefix("unknown serial port '7' (accepted: 0 (") == true)
    #expect(SerialRoute("0") == nil && SerialRoute("=stdout") == nil && SerialRoute("0=") == nil)
  }

  @Test(
    "a serial port is selected by the number in its name, not by its index",
    arguments: ["2", "usart2", "0"])
  func numbers(port: String) throws {
    var output: [UInt8] = []
    let ports = ["USART1", "USART2", "USART6"].map { SerialPort($0) }
    func console() throws -> SerialConsole {
      try SerialConsole(
        ports, [SerialRoute("\(port)=stdout")!], standardOutput: { output += $0 }, didEnd: { _ in })
    }
    guard port != "0" else {
      let failure = #expect(throws: Failure.self) { try console() }
      #expect(
        failure?.messages[0].hasSuffix("(accepted: 1 (USART1), 2 (USART2), 6 (USART6))") == true)
      return
    }
    let opened = try console()
    for (index, port) in ports.enumerated() { port.output(UInt8(index), 0) }
    opened.flush()
    #expect(output == [1])
  }

  @Test("the file of a serial port grows while the program runs")
  func growing() throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let path = scratch.path + "/out.txt"
    var sizes: [Int] = []
    _ = try Firmware.run(FirmwareBuild.arm("reader")) {
      $0.serial = [SerialRoute("0=\(path)")!]
      $0.duration = 3_000_000_000
      $0.mayPass = { _ in
        sizes.append((try? Data(contentsOf: URL(filePath: path)).count) ?? -1)
        return true
      }
    }
    // The file grows from empty to one and two lines during the run.
    #expect(sizes == sizes.sorted() && Set(sizes).count >= 3, "\(sizes)")
  }

  @Test("an injected fault affects firmware and is reported")
  func faults() throws {
    var rig = Rig.builtIn()
    try rig.plan(fault: "kind: nack-address, at: 3s, count: 2")
    let outcome = try Firmware.run(FirmwareBuild.arm("reader"), rig: rig)
    #expect(outcome.output.contains("error: the sensor does not answer\r\n"))
    let count = outcome.events.compactMap { event -> Int? in
      if case .fault(let report) = event { report.count } else { nil }
    }
    #expect(count == [2])
  }
}
