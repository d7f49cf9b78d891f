import ArgumentParser
import Foundation
import HubCore
import HubQueue
import HubReports
import HubService
import ServiceMachine
import Support
import Warehouse
import WarehouseRuns

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
