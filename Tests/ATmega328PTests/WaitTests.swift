import ATmega328P
import Foundation
import Machines
import TestSupport
import Testing

/// Tests of programs that poll.
struct WaitTests {
  /// The programs.
  enum Program: CaseIterable {
    case waits, peripherals, sketch, delays, blink

    func image() throws -> Data {
      switch self {
      case .waits: try Image.c("waits")
      case .peripherals: try Image.c("peripherals")
      case .sketch: try Image.sketch("weather")
      case .delays: try Image.sketch("delays")
      case .blink: try Image.sketch("blink")
      }
    }
  }

  @Test(
    "skipping idle loops changes no bytes, times, cycles, instruction counts or registers",
    arguments: Program.allCases)
  func skipping(program: Program) throws {
    var seen: [[String]] = []
    for skips in [true, false] {
      let board = Board(try program.image())
      board.machine.skipsIdleLoops = skips
      let stop = board.run(until: 2.5)
      let core = board.machine.core
      seen.append(
        [
          board.text, "\(board.times)", "\(stop)", "\(board.resets)", "\(core.cycles)",
          "\(core.instructions)", "\(core.sleptCycles)", "\(board.machine.memories[1].content)",
        ] + core.registers.indices.map { "\(core.readRegister($0))" })
    }
    #expect(seen[0] == seen[1])
    #expect(!seen[0][0].isEmpty)
  }

  @Test("skipping loops that poll a register saves at least half of the register reads")
  func passing() throws {
    var reads: [Bool: Int] = [:]
    for skips in [true, false] {
      let board = Board(try Image.c("waits"))
      board.machine.skipsIdleLoops = skips
      board.run(until: 1)
      #expect(board.lines.count == 8, "\(board.lines)")
      reads[skips] = board.machine.registerReads
    }
    #expect(try #require(reads[true]) * 2 < #require(reads[false]), "\(reads)")
  }

  @Test("skipping delay(), which polls micros(), saves at least 95% of the register reads")
  func delays() throws {
    var reads: [Bool: Int] = [:]
    for skips in [true, false] {
      let board = Board(try Image.sketch("blink"))
      board.machine.skipsIdleLoops = skips
      board.run(until: 5.5)
      #expect(board.lines.count == 6, "\(board.lines)")
      reads[skips] = board.machine.registerReads
    }
    #expect(try #require(reads[true]) * 20 < #require(reads[false]), "\(reads)")
  }

  @Test("the energy ledger counts the time after a sleep as active, not as idle")
  func awake() throws {
    let board = Board(try Image.c("waits"))
    board.run(until: 2)
    let (ledger, now) = (board.machine.energy, board.machine.clock.nanoseconds)
    let idle = ledger.nanoseconds(of: 1, at: now)
    // The program sleeps for 20 overflows of 1024 µs, except for their handlers.
    #expect((19_000_000...20_500_000).contains(idle), "\(idle)")
    #expect(ledger.nanoseconds(of: 0, at: now) > 1_900_000_000)
  }
}
