import ArgumentParser
import Bench
import Doctor
import Text
import VirtualI2C
import BME280Model

/// `aneroid doctor`: what this machine can do.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what this machine can do for a bench.",
    discussion: """
      EXAMPLES
        aneroid doctor
        aneroid doctor --bus /dev/i2c-1
        aneroid doctor --bus rig:rigs/thesis-automat.yaml
        aneroid doctor --fidelity | less
        aneroid doctor --personalities

      'ok' works, '--' is not there, 'FAIL' should work and does not (exit status 1).
      """)

  @Option(
    help: "Instead look at the sensors of a bus: does anybody answer, do data come, are they right?"
  )
  var bus: String?

  @Flag(help: "Instead say what the virtual sensor does as the chip does, assumes and leaves out.")
  var fidelity = false

  @Flag(help: "Instead say how adapters that users meet behave: their limits and errno values.")
  var personalities = false

  func validate() throws {
    guard [bus != nil, fidelity, personalities].filter({ $0 }).count < 2 else {
      throw ValidationError("--bus, --fidelity and --personalities stand alone")
    }
  }

  func run() throws {
    let output = Output()
    if fidelity || personalities {
      output.write(fidelity ? Fidelity.page : Personality.page)
      output.flush()
      return
    }
    let findings = bus.map { Doctor.examine(BusReference($0)) } ?? Doctor.examine()
    for finding in findings {
      let standing = finding.standing.rawValue
      let mark = standing + String(repeating: " ", count: max(0, 4 - standing.count))
      output.write("\(mark)  \(finding.subject): \(finding.detail)".visible + "\n")
    }
    output.flush()
    if findings.contains(where: { $0.standing == .broken }) { throw ExitCode(1) }
  }
}
