public import ArgumentParser
import Foundation
import HubCore
import HubQueue
import HubReports
import HubRuns
import HubService
import ServiceMachine
import Support
import Warehouse
public import WarehouseRuns

extension WarehouseFormat: @retroactive ExpressibleByArgument {}

/// Runs a warehouse rig.
struct WarehouseRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a warehouse rig and evaluate its expectations.",
    discussion: """
      EXAMPLES
        aneroid hub run rigs/warehouse/cold-room.yaml
        aneroid hub run rigs/warehouse/kills.yaml --seed 7
        aneroid hub run rigs/warehouse/cold-room.yaml --format jsonl | grep '"alarm"'

      The rig defines the zones and tags, the air over time, the faults to inject, \
      and the expected results. The same rig and seed always produce the same bytes. \
      'aneroid run' starts this command for a rig with the key 'warehouse'.

      A rig whose link uses bumble runs in real time, such as \
      rigs/warehouse.yaml: virtual tags advertise on the air of that Bluetooth stack, \
      and a hub, a mosquitto and a receiver run as separate programs. It needs \
      Python's bumble and Debian's mosquitto. A signal ends it and its programs.

      The exit status is 0 if all expectations were met, 1 if not, 78 for \
      an error in the rig, 65 or 66 if a file that it names is invalid or missing, and \
      69 if a program that a run in real time needs is missing.
      """)

  @Argument(
    help: "The rig file ('-' for standard input).", completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(
    help: ArgumentHelp(
      "Seed of all random choices; default: that of the rig.", valueName: "number"))
  var seed: UInt64?

  @Option(help: "Output format: text, json (one array) or jsonl (one object per line).")
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
      // In this format, events are written as they happen.
      output.isPrompt = true
      status = Self.run(warehouse)
    }
    output.flush()
    throw ExitCode(status)
  }

  /// Runs a warehouse over a Bluetooth stack in a temporary folder, which is removed if the run
  /// succeeds.
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
        HubConsole.say("the files of the run are kept in \(folder.path)")
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

/// Checks warehouse rigs.
struct WarehouseCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report all errors in warehouse rigs, and in the tables that they name.",
    discussion: """
      EXAMPLES
        aneroid hub check rigs/warehouse/*.yaml

      Errors have the form file:line:column: error: message. The exit status is 0 without errors, 78 for an error \
      in a rig, and 65 or 66 if only a file that a rig names is invalid or missing. To check a hub file, use \
      'aneroid hub serve FILE --check'.
      """)

  @Argument(help: "The rig files.", completion: .file(extensions: ["yaml"]))
  var rigs: [String]

  func run() throws {
    let output = HubOutput()
    let statuses = rigs.map { rig in
      WarehouseProgram.check(path: rig, write: output.put, complain: HubConsole.say)
    }
    output.flush()
    // The status for an error in a rig is higher than the status for a missing file, so it takes
    // precedence.
    throw ExitCode(statuses.max() ?? 0)
  }
}

/// Prints a mapping study of the recorded readings.
struct MapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Report hot and cold spots over a recorded period.",
    discussion: """
      EXAMPLES
        aneroid hub map hub.yaml
        aneroid hub map hub.yaml --days 30 --report map.html

      It evaluates the records of the hub, whether the hub is running or not: the extremes \
      and the mean kinetic temperature of each location, compliance with the storage rules, \
      and recommended monitor locations.
      """)

  @Argument(help: ArgumentHelp("The hub file.", valueName: "file"))
  var file: String

  @Option(parsing: .unconditional, help: "Number of days to evaluate.")
  var days = 7.0

  @Option(
    help: ArgumentHelp("Write an HTML page with floor plans to this file.", valueName: "file.html"))
  var report: String?

  func validate() throws {
    guard days > 0, days <= 36_500 else {
      throw ValidationError("--days must be greater than 0 and at most 36500.")
    }
  }

  func run() async throws {
    let settings = ServeCommand.settings(file)
    guard FileManager.default.fileExists(atPath: settings.storage.file) else {
      HubConsole.fail(
        "there is no queue \(settings.storage.file); the hub creates it when it runs", 66)
    }
    let queue = ServeCommand.queue(settings)
    // The wall clock is used, because reports cover calendar days.
    let now = MachineClocks.system.wall()
    let study: WarehouseStudy
    do {
      study = try WarehouseStudy(
        of: queue, policy: settings.policy,
        locations: settings.positions.mapValues { ($0.x, $0.y) },
        span: now - Int64(days * 86400e9)..<now)
    } catch {
      HubConsole.fail("cannot read the queue \(settings.storage.file): \(error)", 74)
    }
    guard study.count > 0 else {
      HubConsole.fail(
        "\(settings.storage.file): no reading in the last \(days == 1 ? "day" : "\(Decimal.rounded(days, 3)) days"); increase --days",
        1)
    }
    HubConsole.put(study.text)
    guard let report else { return }
    do {
      try Data(StudyPage(study).html.utf8).write(to: URL(fileURLWithPath: report), options: .atomic)
    } catch {
      HubConsole.fail("cannot write \(report): \(error.localizedDescription)", 74)
    }
  }
}
