import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Support
import TestSupport
import Testing

/// Tests of threads in GDB's remote protocol, without a debugger.
struct GDBThreadTests {
  /// Returns a session whose program is halted at a function.
  private static func session(_ program: String, at function: String) throws -> GDBSession {
    let image = try FirmwareImage(path: FirmwareBuild.arm(program).path)
    let model = try #require(MicrocontrollerModel.named("nrf52832"))
    let bench = try FirmwareBench(image, on: model, Rig.builtIn(), options: FirmwareOptions())
    let run = try FirmwareRun(
      bench, options: FirmwareOptions(), standardOutput: { _ in }, report: { _ in })
    let session = GDBSession(run, try GDBListener(port: 0))
    let address = try #require(image.symbols.named(function)).address
    run.machine.breakpoints.insert(address)
    _ = run.machine.run(until: 1_000_000_000)
    #expect(run.machine.core.programCounter == address)
    return session
  }

  @Test("without an RTOS, and before its scheduler starts, GDB sees the program as thread 1")
  func single() throws {
    for (program, function) in [("hello", "main"), ("tasks", "before")] {
      let session = try Self.session(program, at: function)
      #expect(session.response("qfThreadInfo") == "m1")
      #expect(session.response("qsThreadInfo") == "l")
      #expect(session.response("qC") == "QC1")
      #expect(session.response("T1") == "OK" && session.response("T2") == "E01")
      #expect(session.response("Hg1") == "OK" && session.response("Hg2") == "E01")
      #expect(session.response("Hg0") == "OK" && session.response("Hc-1") == "OK")
      #expect(session.withThread("S05") == "S05")
    }
  }

  @Test("RTOS tasks are threads, and a stop reply names the running thread")
  func tasks() throws {
    let session = try Self.session("tasks", at: "here")
    let tasks = try #require(session.kernel?.tasks)
    #expect(tasks.map(\.name) == ["control", "IDLE", "sensor", "logger", "filter"])
    #expect(tasks.map(\.priority) == [3, 0, 2, 1, 4])
    #expect(tasks.map(\.state) == [.running, .ready, .blocked, .blocked, .suspended])
    let numbers = tasks.map { String($0.address, radix: 16) }
    #expect(session.response("qfThreadInfo") == "m" + numbers.joined(separator: ","))
    #expect(session.response("qC") == "QC" + numbers[0])
    #expect(session.response("T" + numbers[3]) == "OK" && session.response("T1") == "E01")
    let words = session.response("qThreadExtraInfo,\(numbers[2])").flatMap(session.decoded)
    #expect(words == Array("sensor: blocked, priority 2".utf8))
    #expect(session.response("qThreadExtraInfo,77") == "E01")
    #expect(session.withThread("S05") == "T05thread:\(numbers[0]);")
    #expect(session.withThread("T05watch:20;") == "T05watch:20;thread:\(numbers[0]);")
  }

  @Test("the registers of the running task are the core registers, and can be set all at once")
  func running() throws {
    let session = try Self.session("tasks", at: "here")
    let live = try #require(session.response("g"))
    let tasks = try #require(session.kernel?.tasks).map { String($0.address, radix: 16) }
    #expect(session.response("Hg\(tasks[0])") == "OK" && session.response("g") == live)
    #expect(session.response("G" + live) == "OK")
    #expect(session.response("Hg\(tasks[2])") == "OK" && session.response("g") != live)
    #expect(session.response("G" + live) == "E01")
    // The stack pointer of a task is not saved.
    #expect(session.response("Pd=00000020") == "E01")
    #expect(session.response("P4=4d000000") == "OK" && session.response("p4") == "4d000000")
    #expect(session.response("Hg0") == "OK" && session.response("g") == live)
  }

  @Test("corrupted task lists cause no endless loop, and unmapped memory is not read as a task")
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
    // A list item that is its own successor.
    put(900, delayed)
    let sensor = try #require(symbols.named("sensor")).address
    put(sensor + 4, sensor + 4 + 4)
    #expect(session.kernel?.tasks.map(\.name) == ["control", "IDLE", "sensor"])
    put(0, try #require(symbols.named("pxCurrentTCB")).address)
    #expect(session.kernel?.tasks == [] && session.response("qfThreadInfo") == "m1")
  }
}

/// Tests of packets of GDB's remote serial protocol.
struct GDBPacketTests {
  private func items(_ text: String) -> [GDBPacketReader.Item] {
    var reader = GDBPacketReader()
    return text.utf8.compactMap { reader.take($0) }
  }

  @Test("packets, interrupts and damaged packets are distinguished")
  func kinds() {
    #expect(items("+$g#67") == [.packet(Array("g".utf8))])
    #expect(items("$g#68$g#6z") == [.damaged, .damaged])
    #expect(items("\u{3}") == [.interrupt])
    #expect(items("$a}\u{3}b#2") == [])
    #expect(items("$}\u{3}#80") == [.packet(Array("#".utf8))])
    #expect(items("$gar$g#67") == [.packet(Array("g".utf8))])
  }

  @Test("a packet that contains special characters is encoded and parsed back unchanged")
  func framed() {
    var reader = GDBPacketReader()
    let text = "a#b$c}d*e"
    #expect(
      GDBPacketReader.framed(text).compactMap { reader.take($0) } == [.packet(Array(text.utf8))])
  }

  @Test("arbitrary bytes are tolerated, and long packets do not exhaust memory")
  func hostile() {
    var generator = Seeded("packets of GDB")
    var reader = GDBPacketReader()
    var count = 0
    for _ in 0..<200_000 {
      let byte = UInt8.random(in: 0...255, using: &generator)
      if reader.take(byte % 11 == 1 ? 0x24 : byte) != nil { count += 1 }
    }
    #expect(count > 0)
    let endless = "$" + String(repeating: "a", count: 3 * GDBPacketReader.longest)
    #expect(items(endless + "#00$g#67") == [.packet(Array("g".utf8))])
  }
}

/// Tests with random packets.
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
    "random packets are answered or ignored, and the session remains usable",
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
      if session.binary(content) ?? session.response(text) != nil { answers += 1 }
    }
    #expect(answers > 100)
    let fresh = try Self.session(image, on: name)
    #expect(fresh.response("m0,4")?.utf8.count == 8)
    #expect(fresh.response("g")?.isEmpty == false)
  }
}

/// Tests of the registers in GDB.
struct GDBRegisterTests {
  @Test(
    "GDB reads and writes the stack pointers and masks of an ARM core",
    arguments: [
      ("msp", 0x2000_0100), ("psp", 0x2000_0200), ("primask", 1), ("basepri", 0x40),
      ("faultmask", 1), ("control", 2),
    ] as [(String, UInt32)])
  func special(_ name: String, _ value: UInt32) throws {
    let machine = try #require(MicrocontrollerModel.named("nrf52832")).make(seed: 0)
    let registers = GDBRegisters(machine.core, family: nil)
    let number = try #require(registers.entries.firstIndex { $0.name == name })
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32($0 * 8)) }
    #expect(registers.set(number, bytes[...]))
    #expect(registers.bytes(number) == bytes)
    let text = try #require(registers.description.split(separator: "m-system").last)
    #expect(text.contains("name=\"\(name)\" bitsize=\"32\" regnum=\"\(number)\""))
    #expect(registers.entries[registers.entries.count - 7].name == "fpscr")
  }
}
