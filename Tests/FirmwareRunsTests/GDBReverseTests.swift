import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Support
import TestSupport
import Testing

/// Execution backwards in GDB's remote protocol, without a debugger.
struct GDBReverseTests {
  /// A program, and the microcontroller that runs it.
  private static let programs = [
    ("reader", "nrf52832"), ("reader", "stm32f411"), ("reader", "rp2040"),
    ("avr-hello", "atmega328p"), ("avr-sleep", "atmega328p"), ("avr-eeprom", "atmega328p"),
  ]
  /// The compiler flags of programs and microcontrollers that need some.
  private static let flags = [
    "avr-sleep": ["-DMODE=SLEEP_MODE_IDLE", "-DWAKES"], "rp2040": ["-mcpu=cortex-m0plus"],
  ]

  /// A session at power-on, and the lines that the program has sent.
  private static func session(
    _ program: String, on name: String, _ options: FirmwareOptions = FirmwareOptions(),
    report: @escaping ([UInt8]) -> Void = { _ in }
  ) throws -> GDBSession {
    let isAVR = name == "atmega328p"
    let flags = (Self.flags[program] ?? []) + (Self.flags[name] ?? [])
    let path =
      isAVR
      ? try FirmwareBuild.avr(program, flags: flags)
      : try FirmwareBuild.arm(program, board: name, flags: flags)
    let model = try #require(MicrocontrollerModel.named(name))
    let image = try FirmwareImage(path: path.path, for: MicrocontrollerModel.profiles(name))
    let bench = try FirmwareBench(image, on: model, Rig.builtIn(), options: options)
    let run = try FirmwareRun(bench, options: options, standardOutput: report, report: { _ in })
    return GDBSession(run, try GDBListener(port: 0))
  }

  /// What the debugger sees: all registers, and the memory at the stack pointer.
  private static func view(_ session: GDBSession) -> String {
    let registers = session.response("g") ?? ""
    let ram = session.machine.memories.first { $0.kind == .ram }
    let start = (ram?.base ?? 0) + (ram?.count ?? 0) - 256
    return registers + " " + (session.response("m\(String(start, radix: 16)),100") ?? "")
      + " " + (session.response("m\(String(ram?.base ?? 0, radix: 16)),100") ?? "")
  }

  @Test(
    "backwards, each instruction has the registers and the memory that it had, and forwards again",
    arguments: programs)
  func steps(_ program: String, on name: String) throws {
    var generator = Seeded("reverse \(program) on \(name)")
    let session = try Self.session(program, on: name)
    let start = session.run.machine.clock.nanoseconds
    _ = session.run.machine.run(until: start + UInt64.random(in: 0...30_000_000, using: &generator))
    // The state before each instruction; a step of GDB can also be an event during a sleep. There are more instructions
    // than one window of the history holds.
    var views = [Self.view(session)]
    var count = session.machine.core.instructions
    let total = Repetitions.count(4000, long: 40_000)
    for _ in 0..<10 * total where views.count < total {
      #expect(session.response("s") == nil)
      if session.machine.core.instructions == count { views.removeLast() }
      count = session.machine.core.instructions
      views.append(Self.view(session))
    }
    for (index, view) in views.enumerated().reversed().dropFirst() {
      try #require(session.response("bs") == nil)
      try #require(Self.view(session) == view, "instruction \(index)")
    }
    for (index, view) in views.enumerated().dropFirst() {
      #expect(session.response("s") == nil)
      try #require(Self.view(session) == view, "instruction \(index)")
    }
    #expect(session.response("bs") == nil && session.response("c") == nil)
    #expect(Self.view(session) == views.last)
    #expect(session.lastStop == "T05replaylog:end;")
  }

  @Test("the start of the program is the end of the way back")
  func beginning() throws {
    let session = try Self.session("avr-hello", on: "atmega328p")
    let first = Self.view(session)
    for _ in 0..<3 { #expect(session.response("s") == nil) }
    for _ in 0..<5 { #expect(session.response("bs") == nil) }
    #expect(Self.view(session) == first)
    #expect(session.lastStop == "T05replaylog:begin;")
    #expect(session.response("c") == nil && session.response("bc") == nil)
    #expect(Self.view(session) == first)
  }

  @Test(
    "a reset by the debugger is repeated, and each moment has its time",
    arguments: [
      ("reader", "nrf52832"), ("reader", "stm32f411"), ("reader", "rp2040"),
      ("avr-hello", "atmega328p"),
    ])
  func resets(_ program: String, on name: String) throws {
    let session = try Self.session(program, on: name)
    func monitor(_ command: String) -> String {
      session.response("qRcmd," + session.hexadecimal(Array(command.utf8))) ?? ""
    }
    func state() -> String { Self.view(session) + " " + monitor("time") }
    _ = session.run.machine.run(until: session.run.machine.clock.nanoseconds + 1_000_000)
    // The state before each instruction; that of the instruction that the reset replaced is the state after the reset.
    var states = [state()]
    var count = session.machine.core.instructions
    func step(to total: Int) {
      for _ in 0..<1000 where states.count < total {
        #expect(session.response("s") == nil)
        if session.machine.core.instructions == count { states.removeLast() }
        count = session.machine.core.instructions
        states.append(state())
      }
    }
    step(to: 5)
    #expect(!monitor("reset").isEmpty)
    states[4] = state()
    step(to: 9)
    for (index, expected) in states.enumerated().reversed().dropFirst() {
      #expect(session.response("bs") == nil)
      #expect(state() == expected, "instruction \(index)")
    }
    #expect(session.response("c") == nil)
    #expect(state() == states.last)
  }

  @Test("the past cannot be changed, and what the debugger changed in the present is repeated")
  func changes() throws {
    let session = try Self.session("avr-hello", on: "atmega328p")
    let address = try #require(session.run.bench.image.symbols.named("count")).address
    let variable = String(address & 0xFFFF | 0x80_0000, radix: 16)
    _ = session.run.machine.run(until: session.run.machine.clock.nanoseconds + 1_000_000)
    #expect(session.response("M\(variable),1:55") == "OK")
    for _ in 0..<3 { #expect(session.response("s") == nil) }
    let present = Self.view(session)
    #expect(session.response("bs") == nil)
    #expect(session.response("m\(variable),1") == "55")
    #expect(session.response("M\(variable),1:66") == "E14")
    #expect(session.response("P0=66") == "E01")
    #expect(session.response("s") == nil)
    #expect(Self.view(session) == present)
    #expect(session.response("M\(variable),1:66") == "OK")
  }

  @Test("a look back does not change how the run continues, nor repeat its output")
  func present() throws {
    var outputs: [[UInt8]] = []
    for looksBack in [false, true] {
      var output: [UInt8] = []
      let session = try Self.session("reader", on: "nrf52832") { output += $0 }
      let clock = session.run.machine.clock
      for step in 1...4 as ClosedRange<UInt64> {
        let target = FirmwareBench.powerOnLead + step * 700_000_000
        _ = session.run.machine.run(until: target)
        #expect(session.response("s") == nil)
        guard looksBack else { continue }
        for _ in 0..<5 { #expect(session.response("bs") == nil) }
        #expect(session.response("bc") == nil && session.response("c") == nil)
        #expect(clock.nanoseconds >= target)
      }
      outputs.append(output)
    }
    #expect(outputs[0].count > 50)
    #expect(outputs[0] == outputs[1])
  }

  @Test("a run in real time, which does not repeat, offers no execution backwards")
  func real() throws {
    var options = FirmwareOptions()
    options.isReal = true
    let session = try Self.session("hello", on: "nrf52832", options)
    #expect(session.response("qSupported:x+")?.contains("Reverse") == false)
    #expect(session.response("bs") == "")
    let virtual = try Self.session("hello", on: "nrf52832")
    #expect(
      virtual.response("qSupported:x+")?.hasSuffix(";ReverseStep+;ReverseContinue+") == true)
  }
}
