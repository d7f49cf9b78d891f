import Foundation
import TestSupport
import Testing

/// Readers of the kinds on which the audit has been wrong.
struct AuditedReaderTests {
  private static let measurement =
    "            temperature, pressure, humidity = sensor.measure()\n"

  /// The right reader with another text in the place of one of its own.
  private static func reader(_ text: String, _ other: String) throws -> [String] {
    let source = try Fixtures.text("Tests/Peers/audit/reader.py")
    #expect(source.contains(text))
    let path = try Mutants.written(
      source.replacing(text, with: other), name: "reader-\(UUID()).py")
    return ["/usr/bin/python3", path]
  }

  @Test("behind the filter a humidity is right that its own lagging temperature gives")
  func filtered() throws {
    let program = try Self.reader("self.write(0xF5, 0x00)", "self.write(0xF5, 0x08)")
    let names = ["weather", "failures-in-weather", "same-codes", "unplugged"]
    let result = try AuditTests.audit(names.flatMap { ["--scenario", $0] }, program)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test("a value that is no number is found whatever its sign", arguments: ["nan", "-nan", "NaN"])
  func notANumber(_ text: String) throws {
    let program = try Self.reader(
      "            print(line, flush=True)\n",
      """
                  if temperature < -20:
                      line = line.replace(f"{pressure / 100:.2f}", "\(text)")
                  print(line, flush=True)

      """)
    let result = try AuditTests.audit(["--scenario", "weather"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("pressure \(text)"), "\(result.output)")
  }

  @Test("a program that measures once and shows that for ever fails")
  func once() throws {
    let program = try Self.reader(
      Self.measurement,
      """
                  if not globals().get("shown"):
                      globals()["shown"] = sensor.measure()
                  temperature, pressure, humidity = globals()["shown"]

      """)
    let result = try AuditTests.audit(["--scenario", "calm"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("it has measured once, and shows that as"), "\(result.output)")
  }
}
