import ArgumentParser

/// `aneroid hub`: starts the hub, a program of its own, in place of this one.
struct WarehouseHubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Watch a warehouse: tags, alarms, MQTT, and a page.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines
        aneroid hub alarms
        aneroid hub ack 1 --by Ana --note 'the door is being mended'
        aneroid hub map hub.yaml --report map.html
        aneroid hub run rigs/warehouse/cold-room.yaml

      'aneroid hub --help' lists the options once the program aneroid-hub is there.
      """)

  @Argument(parsing: .captureForPassthrough, help: "What aneroid-hub is given.")
  var words: [String] = []

  func run() throws {
    try CompanionProgram.hub.start(words) {
      if !Set(words).isDisjoint(with: ["--help", "-h"]) { throw CleanExit.helpRequest(self) }
    }
  }
}
