import Foundation
import TestSupport
import Testing

/// Programs that display means, on benches with changing air; and slow programs.
struct AverageTests {
  private static let scenarios = [
    "weather", "same-codes", "failures-in-weather", "unplugged", "fast-bus", "long-run", "changing",
  ]
  private static let measurement =
    "            temperature, pressure, humidity = sensor.measure()\n"
  private static let report =
    "            print(f\"no reading: {error}\", file=sys.stderr, flush=True)\n"
  /// Clears the measurements after a failure, because they do not describe the air after it.
  private static let forget = report + "            last.clear()\n"

  /// The mean that a program displays: of its last measurements, or of several measurements in a
  /// row.
  enum Kind: String, CaseIterable {
    case moving, burst

    /// The lines that measure.
    var lines: String {
      switch self {
      case .moving:
        """
                    last.append(sensor.measure())
                    del last[:-4]

        """
      case .burst:
        """
                    last.clear()
                    for _ in range(5):
                        last.append(sensor.measure())

        """
      }
    }
  }

  /// The reader with means, and optionally other lines on a failure.
  private static func program(_ kind: Kind, atFailure lines: String = report) throws -> [String] {
    let source = try Fixtures.text("Tests/Peers/audit/reader.py")
    #expect(source.contains(measurement) && source.contains(report))
    let mean =
      "            temperature, pressure, humidity = (sum(v) / len(v) for v in zip(*last))\n"
    let changed =
      source
      .replacing(measurement, with: kind.lines + mean)
      .replacing(report, with: lines)
      .replacing(
        "    sensor = None\n    while", with: "    sensor, last, line = None, [], \"\"\n    while")
    return ["/usr/bin/python3", try Mutants.written(changed, name: "mean-\(UUID()).py")]
  }

  private static func audit(
    _ program: [String], _ names: [String] = scenarios
  ) throws -> CommandLineTool.Result {
    try AuditTests.audit(names.flatMap { ["--scenario", $0] }, program)
  }

  @Test(
    "a displayed mean of correct measurements is right in changing air", arguments: Kind.allCases)
  func right(_ kind: Kind) throws {
    let result = try Self.audit(try Self.program(kind, atFailure: Self.forget))
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(!result.output.contains("not run"), "\(result.output)")
    let warning = result.output.contains(
      "warning: the program displays averages, not single measurements")
    #expect(warning == (kind == .moving), "\(result.output)")
  }

  @Test(
    "a moving mean that is cleared after a failure is right, for any window length",
    arguments: Repetitions.areMany ? [2, 3, 4, 5, 6] : [2, 6])
  func emptied(_ length: Int) throws {
    var program = try Self.program(.moving, atFailure: Self.forget)
    var source = try String(contentsOfFile: program[1], encoding: .utf8)
    // In normal mode the program only reads, so some failures do not affect it, and its window is
    // sometimes full.
    let once = """
              if not hasattr(self, "measures"):
                  self.write(0xF2, 0x01)
                  self.write(0xF4, 0x27)
                  time.sleep(0.020)
                  self.measures = True

      """
    let each = [
      "        self.wait(0x01)\n        self.write(0xF5, 0x00)\n        self.write(0xF2, 0x01)\n",
      "        self.write(0xF4, 0x25)\n        time.sleep(0.010)\n        self.wait(0x08)\n",
    ].joined()
    for (text, other) in [(each, once), ("del last[:-4]", "del last[:-\(length)]")] {
      #expect(source.contains(text))
      source = source.replacing(text, with: other)
    }
    program[1] = try Mutants.written(source, name: "mean-\(UUID()).py")
    let result = try AuditTests.audit(
      ["--scenario", "calm", "--scenario", "weather", "--scenario", "failures-in-weather"], program)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test("a moving mean that mixes the air before and after an outage is wrong")
  func outage() throws {
    let result = try Self.audit(Self.program(.moving), ["weather", "failures-in-weather"])
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("wrong     failures-in-weather"), "\(result.output)")
    #expect(result.output.contains("right     weather"), "\(result.output)")
  }

  @Test(
    "a mean displayed again after a failed read is wrong, whether once or repeatedly",
    arguments: Kind.allCases, [false, true])
  func repeated(_ kind: Kind, forEver: Bool) throws {
    let again = "            print(line, flush=True)\n"
    let endless =
      "            while True:\n                print(line, flush=True)\n                time.sleep(1)\n"
    let result = try Self.audit(
      Self.program(kind, atFailure: forEver ? endless : again),
      ["weather", "failures-in-weather", "unplugged"])
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("wrong     failures-in-weather"), "\(result.output)")
    #expect(result.output.contains("wrong     unplugged"), "\(result.output)")
    #expect(result.output.contains("right     weather"), "\(result.output)")
  }

  @Test("a displayed mean that omits the latest measurement is wrong")
  func late() throws {
    var program = try Self.program(.moving)
    let source = try String(contentsOfFile: program[1], encoding: .utf8)
      .replacing("in zip(*last))", with: "in zip(*(last[:-1] or last)))")
    program[1] = try Mutants.written(source, name: "late-\(UUID()).py")
    let result = try Self.audit(program, ["weather"])
    #expect(result.status == 1 && result.output.contains("wrong     weather"), "\(result.output)")
  }

  @Test("the output format of a slow program is detected from few of its readings")
  func slow() throws {
    let marks = try Mutants.written("", name: "marks-\(UUID())")
    let source = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
      "        time.sleep(1)\n",
      with: """
                open("\(marks)", "a").write(".")
                sum(range(8_000_000))
                time.sleep(1)

        """)
    let path = try Mutants.written(source, name: "slow-\(UUID()).py")
    let result = try AuditTests.audit(["--scenario", "calm"], ["/usr/bin/python3", path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let readings = try String(contentsOfFile: marks, encoding: .utf8)
    // One second of CPU time instead of the limit of ten, and the bench itself.
    #expect(readings.count < 30, "\(readings.count)")
  }
}
