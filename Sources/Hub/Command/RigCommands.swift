public import ArgumentParser
import Foundation
import HubRuns
public import WarehouseRuns

extension WarehouseFormat: @retroactive ExpressibleByArgument {}

/// Runs a rig that is a warehouse.
struct WarehouseRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a warehouse and judge its expectations.",
    discussion: """
      EXAMPLES
        aneroid hub run rigs/warehouse/cold-room.yaml
        aneroid hub run rigs/warehouse/kills.yaml --seed 7
        aneroid hub run rigs/warehouse/cold-room.yaml --format jsonl | grep '"alarm"'

      The rig says which zones and tags there are, what the air does, what goes wrong, \
      and what must come out. Twice the same rig and seed are twice the same bytes. \
      'aneroid run' starts this for a rig with the key 'warehouse'.

      A rig whose link goes over bumble runs on the wall clock, such as \
      rigs/warehouse.yaml: virtual tags advertise on the air of that Bluetooth stack, \
      and a hub, a mosquitto and a receiver are programs of their own. It needs \
      Python's bumble and Debian's mosquitto. A signal ends it and its programs.

      The exit status is 0 when every expectation was met, 1 when one was not, 78 for \
      a mistake in the rig, 65 or 66 when a file that it names is bad or missing, and \
      69 where a program is missing that a run on the wall clock needs.
      """)

  @Argument(
    help: "The file of the rig ('-' is standard input).", completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(
    help: ArgumentHelp(
      "Where all chance comes from, instead of the rig's own seed.", valueName: "number"))
  var seed: UInt64?

  @Option(help: "How the run is told: text, json (one list) or jsonl (one object a line).")
  var format = WarehouseFormat.text

  func run() throws {
    let output = HubOutput()
    let status: Int32
    switch StackWarehouse.read(
      path: rig, seed: seed, format: format, write: output.put, complain: HubConsole.say)
    {
    case .failed(let found): status = found
    case .air(let warehouse): status = warehouse.run()
    case .stack(let warehouse):
      // What happens is told when it happens.
      output.isPrompt = true
      status = Self.run(warehouse)
    }
    output.flush()
    throw ExitCode(status)
  }

  /// Runs a warehouse over a Bluetooth stack, in a folder that is removed where all went well.
  private static func run(_ warehouse: StackWarehouse) -> Int32 {
    EndSign.listen()
    do {
      let folder = try RunFolder(in: FileManager.default.temporaryDirectory.path)
      do {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let passed = try StackRun(warehouse, program: program, folder: folder.path).run()
        guard !passed else {
          folder.remove()
          return 0
        }
        folder.keep()
        HubConsole.say("what the programs of the run wrote lies in \(folder.path)")
        return 1
      } catch {
        folder.remove()
        throw error
      }
    } catch {
      HubConsole.say("\(error)")
      return (error as? StackRunError)?.status ?? 69
    }
  }
}

/// Checks rigs that are warehouses.
struct WarehouseCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find every mistake in rigs that are warehouses, and in the tables that they name.",
    discussion: """
      EXAMPLES
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
      WarehouseProgram.check(path: rig, write: output.put, complain: HubConsole.say)
    }
    output.flush()
    // A mistake in a rig weighs more than a file that is not there.
    throw ExitCode(statuses.max() ?? 0)
  }
}
