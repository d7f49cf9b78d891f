public import ArgumentParser
public import WarehouseRuns

extension WarehouseProgram.Format: @retroactive ExpressibleByArgument {}

/// Runs a rig that is a warehouse.
struct WarehouseRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a warehouse in virtual time and judge its expectations.",
    discussion: """
      The rig says which zones and tags there are, what the air does, what goes wrong, and what must come out. Twice \
      the same rig and seed are twice the same bytes. 'aneroid run' starts this for a rig with the key 'warehouse'.

      aneroid hub run rigs/warehouse/cold-room.yaml
      aneroid hub run rigs/warehouse/kills.yaml --seed 7
      aneroid hub run rigs/warehouse/warehouse.yaml --format jsonl | grep '"alarm"'

      The exit status is 0 when every expectation was met, 1 when one was not, 78 for a mistake in the rig, and 65 or 66 \
      when a file that it names is bad or missing.
      """)

  @Argument(
    help: "The file of the rig ('-' is standard input).", completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(
    help: ArgumentHelp(
      "Where all chance comes from, instead of the rig's own seed.", valueName: "number"))
  var seed: UInt64?

  @Option(help: "How the run is told: text, json (one list) or jsonl (one object a line).")
  var format = WarehouseProgram.Format.text

  func run() throws {
    let output = HubOutput()
    let status = WarehouseProgram.run(
      path: rig, seed: seed, format: format, write: output.put, complain: Talk.say)
    output.flush()
    throw ExitCode(status)
  }
}

/// Checks rigs that are warehouses.
struct WarehouseCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find every mistake in rigs that are warehouses, and in the tables that they name.",
    discussion: """
      aneroid hub check rigs/warehouse/*.yaml

      Mistakes are told as file:line:column: error: message. The exit status is 0 when there are none, 78 for a mistake \
      in a rig, 65 or 66 when only a file that a rig names is bad or missing. The file of a hub is checked by \
      'aneroid hub serve FILE --check'.
      """)

  @Argument(help: "The files of the rigs.", completion: .file(extensions: ["yaml"]))
  var rigs: [String]

  func run() throws {
    let output = HubOutput()
    let statuses = rigs.map { rig in
      WarehouseProgram.check(path: rig, write: output.put, complain: Talk.say)
    }
    output.flush()
    // A mistake in a rig weighs more than a file that is not there.
    throw ExitCode(statuses.max() ?? 0)
  }
}
