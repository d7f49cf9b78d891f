import ArgumentParser
import Commands
import Testing

/// The fast path for `exec` command lines agrees with the parser.
@Suite("exec read plainly")
struct ExecRequestTests {
  /// The result of the parser for a command line.
  private static func parsed(_ words: [String]) throws -> ExecRequest {
    try #require(try AneroidCommand.parseAsRoot(words) as? ExecCommand).request
  }

  @Test(
    "the fast parser and the full parser give the same result for every option",
    arguments: [
      [],
      ["--rig", "weather-station"], ["--bus", "/dev/i2c-1"], ["--bus", "trace:bench.i2ctrace"],
      ["--number", "3"], ["--map", "1=3", "--map", "2=4"], ["--fast"], ["--clock", "virtual"],
      ["--clock", "real"], ["--board", "raspberry-pi-4"], ["--log"], ["--trace", "a.i2ctrace"],
      ["--replay", "model", "--bus", "trace:a"], ["--times", "ignored"], ["--times", "0.5"],
      ["--fault", "kind: nack-address", "--fault", "kind: bit-flip, register: 0xD0"],
      ["--events", "e.jsonl"], ["--silent", "--events", "e.jsonl"], ["--quiet"], ["--allow-run"],
      ["--harsh"],
      ["--address", "0x77"], ["--address", "118"],
      ["--parent", "42"], ["--steps", "5"], ["--grace", "100ms"],
      ["--for", "24h", "--clock", "virtual", "--stall", "5s"], ["--frequency", "400kHz"],
      ["--part", "sht4x", "--address", "0x45"],
      ["--part", "ads1115", "--input", "ain0=1.2", "--input", "ain1=0"],
      ["--rig", "one", "--log", "--rig", "another"],
    ])
  func options(_ options: [String]) throws {
    let words = ["exec"] + options + ["--", "sh", "-c", "true", "--", "--rig"]
    let plain = try #require(ExecRequest(plain: words))
    #expect(plain == (try Self.parsed(words)))
    #expect(plain.program == ["sh", "-c", "true", "--", "--rig"])
  }

  @Test("the fast parser supports every option except --help and --version")
  func isComplete() throws {
    let help = ExecCommand.helpMessage(includeHidden: true)
    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  --") }
    let options = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    let known = [
      "--rig", "--bus", "--number", "--map", "--fast", "--clock", "--board", "--log", "--trace",
      "--replay", "--times", "--fault", "--events", "--silent", "--quiet", "--parent", "--steps",
      "--grace", "--for", "--frequency", "--stall", "--address", "--part",
      "--allow-run", "--harsh", "--input",
    ]
    #expect(options.subtracting(["--help", "--version"]) == Set(known))
  }

  @Test(
    "the fast parser leaves errors and other spellings to the full parser",
    arguments: [
      [], ["run", "--", "x"], ["exec"], ["exec", "--"], ["exec", "true"],
      ["exec", "true", "--", "x"], ["exec", "--help", "--", "x"], ["exec", "--rig"],
      ["exec", "--rig", "--", "x"],
      ["exec", "--rig=a", "--", "x"], ["exec", "--rig", "", "--", "x"],
      ["exec", "--rig", "--log", "--", "x"], ["exec", "--number", "one", "--", "x"],
      ["exec", "--number", "2000000", "--", "x"], ["exec", "--clock", "fast", "--", "x"],
      ["exec", "--frequency", "400", "--", "x"], ["exec", "--address", "0x40", "--", "x"],
      ["exec", "--address", "0x77", "--rig", "a", "--", "x"],
      ["exec", "--map", "1", "--", "x"], ["exec", "--map", "1=2", "--map", "1=3", "--", "x"],
      ["exec", "--silent", "--", "x"], ["exec", "--rig", "a", "--bus", "b", "--", "x"],
      ["exec", "--bogus", "a", "--", "x"], ["exec", "--input", "ain0=1", "--", "x"],
    ])
  func others(_ words: [String]) {
    #expect(ExecRequest(plain: words) == nil)
  }
}
