import ArgumentParser
import Bench
import Chips
import Doctor
import Findings
import Parts
import Text
import VirtualI2C

/// `aneroid doctor`: what this machine can do.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what this machine can do for a bench.",
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

      'ok' works, '--' is not there, 'FAIL' should work and does not (exit status 1).
      """)

  @Option(
    help: "Instead look at the sensors of a bus: does anybody answer, do data come, are they right?"
  )
  var bus: String?

  @Flag(help: "Instead say what the virtual sensors do as the chips do, assume and leave out.")
  var fidelity = false

  @Flag(help: "Instead say how adapters that users meet behave: their limits and errno values.")
  var personalities = false

  @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
  var format: PlainFormat = .text

  @Argument(
    help: """
      With --fidelity: the part, with --personalities: the personality, as rigs name them; all of them unless given.
      """, completion: Completions.pages)
  var name: String?

  func validate() throws {
    if let name {
      guard fidelity || personalities else {
        throw ValidationError("a part is named with --fidelity, a personality with --personalities")
      }
      let known = fidelity ? Catalogue.models.map(\.name) : Completions.personalities
      guard known.contains(name) else {
        throw ValidationError(
          "there is no \(fidelity ? "part" : "personality") '\(name)'"
            + NearestWord.hint(name, among: known) + " (known: \(known.joined(separator: ", ")))")
      }
    }
    guard [bus != nil, fidelity, personalities].filter({ $0 }).count < 2 else {
      throw ValidationError("--bus, --fidelity and --personalities stand alone")
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

  /// The pages of all parts, or of one.
  private static func fidelity(of part: String?) -> String {
    let models = part.flatMap(Catalogue.model(named:)).map { [$0] } ?? Catalogue.families
    return models.map(\.fidelity).joined(separator: "\n")
  }
}
