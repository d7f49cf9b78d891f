import Foundation
import TestSupport
import Testing

/// Mutation tests of the audit: hand-written defects are found by scenarios that cite their class.
struct KillRateTests {
  /// The scenarios that cite a class.
  static let scenarios: [String: [String]] = {
    let list = (try? CommandLineTool.run("audit", "--list").outputLines) ?? []
    var scenarios: [String: [String]] = [:]
    for line in list {
      let name = String(line.prefix { $0 != " " })
      guard line.hasSuffix(")"), let open = line.lastIndex(of: "(") else { continue }
      for id in line[line.index(after: open)...].dropLast().split(separator: " ") {
        scenarios[String(id), default: []].append(name)
      }
    }
    return scenarios
  }()

  static let values = [
    "--match", "temperature (?<temperature_c>[-0-9.]+|nan) C",
    "--match", "pressure (?<pressure_hpa>[-0-9.]+|nan) hPa",
    "--match", "humidity (?<humidity>[-0-9.]+|nan)",
  ]

  static func isExposed(_ mutant: Mutant, _ program: [String]) throws -> Bool {
    let names = try #require(scenarios[mutant.classID], "no scenario cites \(mutant.classID)")
    let result = try AuditTests.audit(values + names.flatMap { ["--scenario", $0] }, program)
    try #require([0, 1].contains(result.status), "\(result.errors)")
    return result.status == 1
  }

  @Test("each defect class that a scenario cites has a mutant in Python and in C")
  func classes() throws {
    for reader in ["reader.py", "reader.c"] {
      #expect(Set(try Mutants.of(reader).map(\.classID)) == Set(Self.scenarios.keys), "\(reader)")
    }
  }

  /// Every fourth mutant of the Python reader, and all of them in a long run; the C reader has the same classes.
  private static func pythonMutants() throws -> [Mutant] {
    let mutants = try Mutants.of("reader.py")
    return Repetitions.areMany
      ? mutants : stride(from: 0, to: mutants.count, by: 4).map { mutants[$0] }
  }

  @Test("the audit finds the planted defects of the Python reader", arguments: try pythonMutants())
  func python(_ mutant: Mutant) throws {
    let path = try Mutants.written(mutant.source, name: "\(UUID().uuidString).py")
    #expect(try Self.isExposed(mutant, ["/usr/bin/python3", path]))
  }

  @Test(
    "the audit finds the planted defects of the C reader", arguments: try Mutants.of("reader.c"))
  func c(_ mutant: Mutant) throws {
    let program = try Mutants.compiled(mutant.source, name: UUID().uuidString)
    #expect(try Self.isExposed(mutant, [program]))
  }
}
