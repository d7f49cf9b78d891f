import ArgumentParser
import Bench
import Chips
import Doctor
import Parts
import Support
import VirtualI2C

/// `aneroid doctor`: checks this machine's capabilities.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check this machine's support for a bench.",
    discussion: """
      EXAMPLES
        aneroid doctor
        aneroid doctor --bus /dev/i2c-1
        aneroid doctor --format json
        aneroid doctor --bus rig:rigs/thesis-automat.yaml
        aneroid doctor --fidelity | less
        aneroid doctor --fidelity \(Catalogue.families[1].name)
        aneroid doctor --personalities
        aneroid doctor --personalities raspberry-pi-4

      Marks: 'ok' works; '--' is not available; 'FAIL' should work but does not (exit status 1).
      """)

  @Option(
    help:
      "Check the sensors on a bus instead: do they respond, deliver data, and are the values plausible?"
  )
  var bus: String?

  @Flag(help: "Print instead what the virtual sensors model, assume and omit.")
  var fidelity = false

  @Flag(help: "Print instead the limits and errno values of the supported adapter personalities.")
  var personalities = false

  @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
  var format: PlainFormat = .text

  @Argument(
    help: """
      With --fidelity: name of the part; with --personalities: name of the personality. Default: all.
      """, completion: Completions.pages)
  var name: String?

  func validate() throws {
    if let name {
      guard fidelity || personalities else {
        throw ValidationError("a name requires --fidelity (part) or --personalities (personality)")
      }
      let known = fidelity ? Catalogue.models.map(\.name) : Completions.personalities
      guard known.contains(name) else {
        throw ValidationError(
          "unknown \(fidelity ? "part" : "personality") '\(name)'"
            + NearestWord.hint(name, among: known) + " (accepted: \(known.joined(separator: ", ")))"
        )
      }
    }
    guard [bus != nil, fidelity, personalities].filter({ $0 }).count < 2 else {
      throw ValidationError("only one of --bus, --fidelity and --personalities can be used")
    }
  }

  func run() throws {
    let output = Output()
    if fidelity || personalities {
      let personality = name.flatMap(Personality.init(named:))
      output.write(
        fidelity ? Self.fidelity(of: name) : personality.map(\.paragraph) ?? Personality.page)
      output.flush()
      return
    }
    let inspection = Doctor.inspection(bus)
    output.write(
      format.text(inspection) {
        inspection.findings.map { Output.line(of: $0) + "\n" }.joined()
      })
    output.flush()
    if inspection.count(.error) > 0 { throw ExitCode(1) }
  }

  /// Returns the fidelity pages of one part, or of all parts.
  private static func fidelity(of part: String?) -> String {
    let models = part.flatMap(Catalogue.model(named:)).map { [$0] } ?? Catalogue.families
    return models.map(\.fidelity).joined(separator: "\n")
  }
}
