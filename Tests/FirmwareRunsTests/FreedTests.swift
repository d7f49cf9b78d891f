import Foundation
import Images
import Machines
import Rigs
import TestSupport
import Testing

@testable import FirmwareRuns

/// What is left of a microcontroller that nobody uses any more.
struct FreedTests {
  @Test(
    "a part that has run is freed, with its core",
    arguments: ["nrf52832", "stm32f411", "atmega328p"])
  func freed(name: String) throws {
    weak var machine: (any Microcontroller)?
    weak var core: (any MachineCore)?
    func run() throws {
      let isAVR = name == "atmega328p"
      let file =
        try isAVR ? FirmwareBuild.avr("avr-hello") : FirmwareBuild.arm("reader", board: name)
      let model = try #require(MicrocontrollerModel.named(name))
      let bench = try FirmwareBench(
        FirmwareImage(path: file.path), on: model, Rig.builtIn(), options: FirmwareOptions())
      let run = try FirmwareRun(
        bench, options: FirmwareOptions(), standardOutput: { _ in }, report: { _ in })
      (machine, core) = (bench.machine, bench.machine.core)
      #expect(core != nil)
      _ = bench.machine.run(until: 50_000_000)
      withExtendedLifetime(run) {}
    }
    try run()
    #expect(machine == nil)
    #expect(core == nil)
  }
}
