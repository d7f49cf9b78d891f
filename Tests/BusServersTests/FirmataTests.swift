import BusServers
import I2C
import TestSupport
import Testing
import VirtualI2C

/// The board with Firmata, byte by byte.
struct FirmataTests {
  final class Notices {
    var texts: [String] = []
  }

  static func board(_ bench: ServerBench, _ notices: Notices = Notices()) -> FirmataBoard {
    FirmataBoard(bench.bus) { notices.texts.append($0) }
  }

  static func send(_ bytes: [UInt8], to board: FirmataBoard) -> [UInt8] {
    bytes.flatMap { board.receive($0) }
  }

  /// The configuration that a client sends first, with a delay of 0.
  static let configuration: [UInt8] = [0xF0, 0x78, 0, 0, 0xF7]

  static func halves(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 & 0x7F, $0 >> 7] } }

  @Test("the protocol is 2.5, and the sketch is named by what the client asks first")
  func identity() throws {
    let bench = try ServerBench()
    #expect(Self.send([0xF9], to: Self.board(bench)) == [0xF9, 2, 5])
    let standard = Self.send([0xF0, 0x79, 0xF7], to: Self.board(bench))
    #expect(
      standard == [0xF0, 0x79, 2, 5] + Self.halves(Array("StandardFirmata.ino".utf8)) + [0xF7])
    let express = Self.board(bench)
    #expect(Self.send([0xF0, 0x51, 0xF7], to: express) == [0xF0, 0x52, 1, 0xF7])
    #expect(Self.send([0xF0, 0x79, 0xF7], to: express).prefix(4) == [0xF0, 0x79, 1, 2])
  }

  @Test("A4 and A5 are the only pins with a capability: I2C")
  func capabilities() throws {
    let board = Self.board(try ServerBench())
    let pins = [UInt8](repeating: 0x7F, count: 18) + [6, 1, 0x7F, 6, 1, 0x7F]
    #expect(Self.send([0xF0, 0x6B, 0xF7], to: board) == [0xF0, 0x6C] + pins + [0xF7])
    let mapping = [UInt8](repeating: 0x7F, count: 14) + [0, 1, 2, 3, 4, 5]
    #expect(Self.send([0xF0, 0x69, 0xF7], to: board) == [0xF0, 0x6A] + mapping + [0xF7])
  }

  @Test("a register is written and read back, with a stop between register and data, or without")
  func register() throws {
    let bench = try ServerBench()
    let board = Self.board(bench)
    _ = Self.send(Self.configuration, to: board)
    let write: [UInt8] = [0xF0, 0x76, 0x50, 0x00] + Self.halves([0x10, 0xA5, 0x5A]) + [0xF7]
    #expect(Self.send(write, to: board) == [])
    #expect(bench.part.registers[0x10...0x11] == [0xA5, 0x5A])
    for (mode, stops) in [(UInt8(0x08), 2), (0x48, 1)] {
      let before = bench.part.stops
      let read: [UInt8] = [0xF0, 0x76, 0x50, mode] + Self.halves([0x10, 2]) + [0xF7]
      #expect(
        Self.send(read, to: board)
          == [0xF0, 0x77] + Self.halves([0x50, 0x10, 0xA5, 0x5A]) + [0xF7])
      #expect(bench.part.stops - before == stops)
    }
  }

  @Test("a part that does not answer is too few bytes, as from the sketch")
  func absent() throws {
    let board = Self.board(try ServerBench())
    _ = Self.send(Self.configuration, to: board)
    let read: [UInt8] = [0xF0, 0x76, 0x51, 0x08] + Self.halves([0x10, 2]) + [0xF7]
    let warning =
      [0xF0, 0x71] + Self.halves(Array("I2C: Too few bytes received".utf8)) + [0xF7]
    #expect(
      Self.send(read, to: board) == warning + [0xF0, 0x77] + Self.halves([0x51, 0x10]) + [0xF7])
  }

  @Test("the Wire library's buffer limits a read to 32 bytes")
  func buffer() throws {
    let board = Self.board(try ServerBench())
    _ = Self.send(Self.configuration, to: board)
    let read: [UInt8] = [0xF0, 0x76, 0x50, 0x08] + Self.halves([0, 40]) + [0xF7]
    let answer = Self.send(read, to: board)
    let reply = try #require(answer.lastIndex(of: 0xF0))
    #expect(answer.count - reply == 2 + 2 * (2 + 32) + 1)
  }

  @Test("continuous reads repeat until they are stopped; the ninth is refused")
  func continuous() throws {
    let board = Self.board(try ServerBench())
    _ = Self.send(Self.configuration, to: board)
    let read: [UInt8] = [0xF0, 0x76, 0x50, 0x10] + Self.halves([0x10, 1]) + [0xF7]
    for _ in 0..<8 { #expect(Self.send(read, to: board) == []) }
    #expect(
      Self.send(read, to: board)
        == [0xF0, 0x71] + Self.halves(Array("too many queries".utf8)) + [0xF7])
    #expect(board.isSampling)
    #expect(board.sample().count == 8 * 9)
    #expect(Self.send([0xF0, 0x76, 0x50, 0x18, 0xF7], to: board) == [])
    #expect(!board.isSampling)
    #expect(Self.send([0xF0, 0x7A, 100, 0, 0xF7], to: board) == [])
    #expect(board.samplingInterval == 100_000_000)
  }

  @Test("a pin is answered once with the text that only I2C is simulated, and a notice")
  func pins() throws {
    let notices = Notices()
    let board = Self.board(try ServerBench(), notices)
    #expect(Self.send([0xF4, 13, 1], to: board).prefix(2) == [0xF0, 0x71])
    #expect(Self.send([0x91, 0x20, 0], to: board) == [])
    #expect(notices.texts.count == 1)
    #expect(Self.send([0xF4, 18, 6], to: board) == [])
    let other = Notices()
    #expect(Self.send([0xC0, 0, 0xD1, 0], to: Self.board(try ServerBench(), other)) == [])
    #expect(other.texts.isEmpty)
  }

  @Test("bytes at random never stop the board, and each answer is a complete message")
  func random() throws {
    var generator = Seeded("random bytes for Firmata")
    for _ in 0..<Repetitions.count(2000, long: 100_000) {
      let board = Self.board(try ServerBench())
      let length = Int.random(in: 0...200, using: &generator)
      let bytes = (0..<length).map { _ in
        let special: [UInt8] = [0xF0, 0xF7, 0x76, 0x78, 0x50, 0x08, 0x10]
        return Bool.random(using: &generator)
          ? special.randomElement(using: &generator) ?? 0
          : UInt8.random(in: 0...255, using: &generator)
      }
      let answer = Self.send(Self.configuration + bytes, to: board) + board.sample()
      let starts = answer.count { $0 == 0xF0 }
      #expect(answer.count { $0 == 0xF7 } == starts)
    }
  }
}
