import ArgumentParser
import Foundation
import HubCore
import HubQueue
import HubReports
import HubService
import HubSettings
import Warehouse

/// Makes the report of a mapping study.
struct MapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Report hot and cold spots over a recorded period.",
    discussion: """
      EXAMPLES
        aneroid hub map hub.yaml
        aneroid hub map hub.yaml --days 30 --report map.html

      It reads what the hub has recorded, while the hub runs or not: the extremes and \
      the mean kinetic temperature of each place, whether the rules of storage were \
      kept, and where monitors belong.
      """)

  @Argument(help: ArgumentHelp("The file of the hub.", valueName: "file"))
  var file: String

  @Option(parsing: .unconditional, help: "How many days back.")
  var days = 7.0

  @Option(help: ArgumentHelp("Write a page with plans to this file.", valueName: "file.html"))
  var report: String?

  func validate() throws {
    guard days > 0, days <= 36_500 else {
      throw ValidationError("--days is above 0, and at most 36500.")
    }
  }

  func run() async throws {
    let settings = ServeCommand.settings(file)
    guard FileManager.default.fileExists(atPath: settings.storage.file) else {
      HubConsole.fail(
        "there is no queue \(settings.storage.file); the hub makes it when it runs", 66)
    }
    let queue = ServeCommand.queue(settings)
    // A report is about days of the calendar: the wall clock is the one that is meant.
    let now = MachineClocks.system.wall()
    let study: WarehouseStudy
    do {
      study = try WarehouseStudy(
        of: queue, policy: settings.policy, places: settings.places.mapValues { ($0.x, $0.y) },
        span: now - Int64(days * 86400e9)..<now)
    } catch {
      HubConsole.fail("cannot read the queue \(settings.storage.file): \(error)", 74)
    }
    guard study.count > 0 else {
      HubConsole.fail(
        "\(settings.storage.file): no reading in the last \(days == 1 ? "day" : "\(JSONText.number(days, 3)) days"); give more --days",
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
