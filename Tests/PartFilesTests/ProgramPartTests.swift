import Environment
import I2C
import PartFiles
import Parts
import Quantities
import Support
import Testing
import VirtualI2C

/// A part that is a program: its events, its answers, and what happens when it fails.
struct ProgramPartTests {
  let clock = VirtualClock()

  /// A shell program that answers each event with the line that a `case` on it prints.
  static func shell(_ cases: String) -> [String] {
    [
      "/bin/sh", "-c",
      """
      while read -r line; do
        case "$line" in
        \(cases)
        *) echo '{}';;
        esac
      done
      """,
    ]
  }

  func bench(_ program: [String]) throws -> (VirtualAdapter, any VirtualPart) {
    let part = VirtualProgramPart(
      program, in: "/", at: 0x44,
      air: ScriptedAir(constant: Air(pressure: 90_000, temperature: -12.5, humidity: 40)), seed: 7)
    let adapter = VirtualAdapter(clock: clock)
    try adapter.attach(part)
    return (adapter, part)
  }

  func read(_ adapter: VirtualAdapter, _ count: Int = 2) throws(I2CError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: 0x44)
    return bytes
  }

  @Test(
    "a program gets each written byte with those before it, and the air, and supplies the bytes of a read"
  )
  func events() throws {
    let (adapter, part) = try bench(
      Self.shell(
        """
        *'"event":"on","address":68,"seed":7,"temperature":-12.5,"pressure":90000,"humidity":40'*) echo '{}';;
        *'"event":"on"'*) exit 1;;
        *'"bytes":[253]'*) echo '{}';;
        *'"bytes":[253,1]'*) echo '{"ack":false}';;
        *'"event":"read"'*) echo '{"bytes":[1,2]}';;
        """))
    let error = #expect(throws: I2CError.self) {
      try adapter.write(([0xFD, 0x01, 0x02] as [UInt8]).span, to: 0x44)
    }
    #expect(error?.kind == .dataNack && error?.byte == 1)
    #expect(try read(adapter, 3) == [1, 2, 0xFF])
    #expect(part.failure == nil)
  }

  @Test(
    "'busy' lets the part not acknowledge, 'stretch' holds SCL, and 'next' asks for an event, all in bench time"
  )
  func times() throws {
    let (adapter, part) = try bench(
      Self.shell(
        """
        *'"event":"on"'*) echo '{"busy":1000000,"next":2000000}';;
        *'{"t":2000000,"event":"time"'*) echo '{"stretch":1}';;
        *'"event":"time"'*) exit 1;;
        *'"event":"read"'*) echo '{"stretch":9000000,"bytes":[7]}';;
        """))
    #expect(throws: I2CError.self) { try read(adapter) }
    clock.wait(nanoseconds: 3_000_000)
    #expect(try read(adapter)[0] == 7)
    #expect((9_000_000...9_300_000).contains(clock.nanoseconds), "\(clock.nanoseconds)")
    #expect(part.failure == nil)
  }

  @Test("the supply is an event; without it the part does not answer")
  func supply() throws {
    let (adapter, part) = try bench(
      Self.shell(
        """
        *'"t":500,"event":"off"'*) echo '{"next":600}';;
        *'"event":"time"'*) exit 1;;
        *'"event":"read"'*) echo '{"bytes":[7]}';;
        """))
    part.setSupply(false, at: 500)
    #expect(throws: I2CError.self) { try read(adapter) }
    part.setSupply(true, at: clock.nanoseconds)
    #expect(try read(adapter)[0] == 7)
    #expect(part.failure == nil)
  }

  @Test(
    "a program that cannot start, ends, or answers nonsense is a failure that names the event, and answers no more",
    arguments: [
      (["/no/such/program"], "has ended", "event 1"),
      (
        ["/bin/sh", "-c", "echo trouble >&2; exit 3"], "has ended with status 3",
        "the part said: trouble"
      ),
      (shell("*'read'*) exit 3;;"), "has ended", "event 2: {\"t\":100000,\"event\":\"read\""),
      (shell("*'read'*) echo '[1]';;"), "answered '[1]': it is not a JSON object", "event 2"),
      (shell("*'read'*) echo 'yes';;"), "it is not a JSON object", "event 2"),
      (
        shell(#"*'read'*) echo '{"byts":[1]}';;"#), "unknown key 'byts'; did you mean 'bytes'?",
        "event 2"
      ),
      (
        shell(#"*'read'*) echo '{"bytes":[256]}';;"#), "bytes is a list of numbers from 0 to 255",
        "event 2"
      ),
      (shell(#"*'read'*) echo '{"busy":-1}';;"#), "busy is a time in nanoseconds", "event 2"),
      (shell(#"*'read'*) echo '{"next":5}';;"#), "next must be later than the event", "event 2"),
      (shell(#"*'read'*) cat /dev/zero;;"#), "answered with more than 1048576 bytes", "event 2"),
    ] as [([String], String, String)])
  func failures(_ program: [String], _ reason: String, _ place: String) throws {
    let (adapter, part) = try bench(program)
    #expect(throws: I2CError.self) { try read(adapter) }
    let message = try #require(part.failure).messages.joined()
    #expect(message.contains(reason) && message.contains(place), "\(message)")
    #expect(throws: I2CError.self) { try read(adapter) }
    #expect(part.failure?.messages.joined() == message)
  }

  @Test("a program that answers twice, or asks for endless events, is a failure")
  func floods() throws {
    let (adapter, part) = try bench(Self.shell("*'read'*) echo '{}'; echo '{}';;"))
    for _ in 0..<20 where part.failure == nil { _ = try? read(adapter) }
    #expect(part.failure?.messages.joined().contains("answered twice") == true)
    let (other, endless) = try bench([
      "/bin/sh", "-c",
      #"while read -r line; do t=${line#*:}; t=${t%%,*}; echo "{\"next\":$((t + 1))}"; done"#,
    ])
    clock.wait(nanoseconds: 1_000_000_000)
    #expect(throws: I2CError.self) { try read(other) }
    #expect(
      endless.failure?.messages.joined().contains("100000 'time' events") == true,
      "\(endless.failure?.messages ?? [])")
  }

  @Test(
    "a program that dribbles without an end of line, or does not take its input, is ended after 5 s"
  )
  func dribbles() throws {
    for program in [
      "read -r line; echo '{}'; while :; do printf ' '; sleep 1; done",
      "echo '{}'; echo '{}'; sleep 60",
    ] {
      let start = ContinuousClock.now
      let (adapter, part) = try bench(["/bin/sh", "-c", program])
      for _ in 0..<3 where part.failure == nil { _ = try? read(adapter) }
      #expect(part.failure != nil)
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }

  @Test("the supply gives address and seed again; a number with a decimal point may be whole")
  func supplyAgain() throws {
    let (adapter, part) = try bench(
      Self.shell(
        """
        *'"event":"on","address":68,"seed":7'*) echo '{"busy":1000.0}';;
        *'"event":"on"'*) exit 1;;
        *'"event":"read"'*) echo '{"bytes":[7]}';;
        """))
    part.setSupply(false, at: 500)
    part.setSupply(true, at: 600)
    clock.wait(nanoseconds: 2000)
    #expect(try read(adapter)[0] == 7)
    #expect(part.failure == nil, "\(part.failure!)")
  }
}
