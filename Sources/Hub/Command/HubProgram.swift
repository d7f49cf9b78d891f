import ArgumentParser
import Glibc

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
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, ShowCommand.self, AlarmsCommand.self, AcknowledgeCommand.self,
      SilenceCommand.self, CloseCommand.self, LogCommand.self, MapCommand.self,
      ExampleCommand.self, ReferenceCommand.self, SchemaCommand.self, WarehouseRunCommand.self,
      WarehouseCheckCommand.self,
    ])

  static func main() async {
    await main(HubWords.expanded(Array(CommandLine.arguments.dropFirst())))
  }
}

/// Messages of the program itself.
enum Talk {
  /// Says why nothing can be done, and ends the program.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Says something on standard error.
  static let say: @Sendable (String) -> Void = { message in
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = Array(lines.map { "aneroid: \($0)\n" }.joined().utf8)
    _ = Glibc.write(2, text, text.count)
  }

  /// Writes a text to standard output, all of it.
  static let put: @Sendable (String) -> Void = { _ = write(Array($0.utf8)) }

  /// Writes bytes to standard output, all of them.
  ///
  /// - Returns: whether they could be written; `errno` says why not.
  static func write(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return false }
      start += max(0, count)
    }
    return true
  }
}
