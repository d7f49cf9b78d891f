import ArgumentParser

/// The program: a hub, and what people tell it.
@main
struct HubProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid hub",
    abstract: "Watch a warehouse: tags, alarms, MQTT, and a page.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines
        aneroid hub show --follow
        aneroid hub alarms
        aneroid hub ack 1 --by Ana --note 'the door is being mended' --minutes 60
        aneroid hub silence 'cold room' --by Ana --minutes 30 --note delivery
        aneroid hub log --format csv > alarms.csv
        aneroid hub map hub.yaml --report map.html
        aneroid hub run rigs/warehouse/cold-room.yaml

      'serve' is the hub. 'show', 'alarms', 'log', 'ack', 'silence' and 'close' speak \
      to one that runs: at http://127.0.0.1:8090 with the token in ./hub.token, \
      unless --config names the hub's file, or --hub and --token-file say where. \
      'run' and 'check' need no hub: they run and check a rig that is a warehouse, in \
      virtual time, or on the wall clock where its link is over a Bluetooth stack.

      A file in place of a subcommand is run if it is a rig, and served if it is the \
      file of a hub; --config FILE serves it, too.
      """,
    version: Version.text,
    subcommands: [
      ServeCommand.self, ShowCommand.self, AlarmsCommand.self, AcknowledgeCommand.self,
      SilenceCommand.self, CloseCommand.self, LogCommand.self, MapCommand.self,
      ExampleCommand.self, ReferenceCommand.self, SchemaCommand.self, WarehouseRunCommand.self,
      WarehouseCheckCommand.self, TagsCommand.self,
    ])

  static func main() async {
    await main(HubWords.expanded(Array(CommandLine.arguments.dropFirst())))
  }
}
