import Files
import Foundation
import Images
import Machines
import Rigs
import TestSupport
import Testing

@testable import FirmwareRuns

/// Threads over GDB's remote protocol, without a debugger.
struct GDBThreadTests {
  /// A session whose program stands at a function.
  private static func session(_ program: String, at function: String) throws -> GDBSession {
    let image = try FirmwareImage(path: FirmwareBuild.arm(program).path)
    let model = try #require(MicrocontrollerModel.named("nrf52832"))
    let bench = try FirmwareBench(image, on: model, Rig.builtIn(), options: FirmwareOptions())
    let run = try FirmwareRun(
      bench, options: FirmwareOptions(), standardOutput: { _ in }, report: { _ in })
    let session = GDBSession(run, try GDBListener(port: 0))
    let place = try #require(image.symbols.named(function)).address
    run.machine.breakpoints.insert(place)
    _ = run.machine.run(until: 1_000_000_000)
    #expect(run.machine.core.programCounter == place)
    return session
  }

  @Test("a program without an RTOS, and one whose scheduler does not run yet, is thread 1")
  func single() throws {
    for (program, function) in [("hello", "main"), ("tasks", "before")] {
      let session = try Self.session(program, at: function)
      #expect(session.answer("qfThreadInfo") == "m1")
      #expect(session.answer("qsThreadInfo") == "l")
      #expect(session.answer("qC") == "QC1")
      #expect(session.answer("T1") == "OK" && session.answer("T2") == "E01")
      #expect(session.answer("Hg1") == "OK" && session.answer("Hg2") == "E01")
      #expect(session.answer("Hg0") == "OK" && session.answer("Hc-1") == "OK")
      #expect(session.withThread("S05") == "S05")
    }
  }

  @Test("tasks are threads; a stop names the one that ran")
  func tasks() throws {
    let session = try Self.session("tasks", at: "here")
    let tasks = try #require(session.kernel?.tasks)
    #expect(tasks.map(\.name) == ["control", "IDLE", "sensor", "logger", "filter"])
    #expect(tasks.map(\.priority) == [3, 0, 2, 1, 4])
    #expect(tasks.map(\.state) == [.running, .ready, .blocked, .blocked, .suspended])
    let numbers = tasks.map { String($0.address, radix: 16) }
    #expect(session.answer("qfThreadInfo") == "m" + numbers.joined(separator: ","))
    #expect(session.answer("qC") == "QC" + numbers[0])
    #expect(session.answer("T" + numbers[3]) == "OK" && session.answer("T1") == "E01")
    let words = session.answer("qThreadExtraInfo,\(numbers[2])").flatMap(session.decoded)
    #expect(words == Array("sensor: blocked, priority 2".utf8))
    #expect(session.answer("qThreadExtraInfo,77") == "E01")
    #expect(session.withThread("S05") == "T05thread:\(numbers[0]);")
    #expect(session.withThread("T05watch:20;") == "T05watch:20;thread:\(numbers[0]);")
  }

  @Test("the registers of the running task are those of the core, and can be set all at once")
  func running() throws {
    let session = try Self.session("tasks", at: "here")
    let live = try #require(session.answer("g"))
    let tasks = try #require(session.kernel?.tasks).map { String($0.address, radix: 16) }
    #expect(session.answer("Hg\(tasks[0])") == "OK" && session.answer("g") == live)
    #expect(session.answer("G" + live) == "OK")
    #expect(session.answer("Hg\(tasks[2])") == "OK" && session.answer("g") != live)
    #expect(session.answer("G" + live) == "E01")
    // Nothing saves the stack pointer of a task.
    #expect(session.answer("Pd=00000020") == "E01")
    #expect(session.answer("P4=4d000000") == "OK" && session.answer("p4") == "4d000000")
    #expect(session.answer("Hg0") == "OK" && session.answer("g") == live)
  }

  @Test("lists that a program has destroyed end somewhere, and what is no memory is no task")
  func destroyed() throws {
    let session = try Self.session("tasks", at: "here")
    let machine = session.machine
    let symbols = session.run.bench.image.symbols
    func put(_ word: UInt32, _ address: UInt32) {
      for offset in 0..<4 as Range<UInt32> {
        _ = machine.core.writeByte(
          address + offset, UInt8(truncatingIfNeeded: word >> (offset * 8)))
      }
    }
    let delayed = try #require(symbols.named("xDelayedTaskList2")).address
    let suspended = try #require(symbols.named("xSuspendedTaskList")).address
    put(0xFFFF_FFFF, delayed)
    put(0x4000_0000, suspended + 12)
    #expect(session.kernel?.tasks.map(\.name) == ["control", "IDLE"])
    // An item that is its own successor.
    put(900, delayed)
    let sensor = try #require(symbols.named("sensor")).address
    put(sensor + 4, sensor + 4 + 4)
    #expect(session.kernel?.tasks.map(\.name) == ["control", "IDLE", "sensor"])
    put(0, try #require(symbols.named("pxCurrentTCB")).address)
    #expect(session.kernel?.tasks == [] && session.answer("qfThreadInfo") == "m1")
  }
}
