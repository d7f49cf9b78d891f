import ArgumentParser
import Glibc
import Support
import WarehouseRuns

/// The hub program, with the hub server and its client commands.
@main
struct HubProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid hub",
    abstract: "Monitor a warehouse: sensor tags, alarms, MQTT, and a web page.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines
        aneroid hub show --follow
        aneroid hub alarms
        aneroid hub ack 1 --by Ana --note 'the door is being mended' --minutes 60
        aneroid hub silence 'cold room' --by Ana --minutes 30 --note delivery
        aneroid hub log --format csv > alarms.csv
        aneroid hub readings --tag door --every 1h > door.csv
        aneroid hub map hub.yaml --report map.html
        aneroid hub notify hub.yaml --test
        aneroid hub run rigs/warehouse/cold-room.yaml

      'serve' runs the hub. 'show', 'alarms', 'log', 'readings', 'ack', 'silence' and 'close' connect \
      to a running hub at http://127.0.0.1:8090 with the token in ./hub.token, \
      unless --config names the hub file, or --hub and --token-file are given. \
      'run' and 'check' need no hub: they run and check a warehouse rig, in \
      virtual time, or in real time if its link uses a Bluetooth stack.

      A file instead of a subcommand is run if it is a rig, and served if it is a \
      hub file; --config FILE serves it, too.
      """,
    version: Version.text,
    subcommands: [
      ServeCommand.self, ShowCommand.self, AlarmsCommand.self, AcknowledgeCommand.self,
      SilenceCommand.self, CloseCommand.self, LogCommand.self, ReadingsCommand.self,
      MapCommand.self,
      NotifyCommand.self,
      ExampleCommand.self, ReferenceCommand.self, SchemaCommand.self, WarehouseRunCommand.self,
      WarehouseCheckCommand.self, TagsCommand.self,
    ])

  static func main() async {
    await main(HubWords.expanded(Array(CommandLine.arguments.dropFirst())))
  }
}

/// Adds the implied subcommand if the command line starts with a file, or with `--config` and a
/// file.
enum HubWords {
  /// Returns the arguments with the implied subcommand added.
  static func expanded(_ words: [String]) -> [String] {
    guard let first = words.first else { return words }
    if first == "--config" { return ["serve"] + words.dropFirst() }
    let option = "--config="
    if first.hasPrefix(option) {
      return ["serve", String(first.dropFirst(option.count))] + words.dropFirst()
    }
    let isFile = first.contains("/") || first.hasSuffix(".yaml") || first.hasSuffix(".yml")
    guard isFile, !first.hasPrefix("-") else { return words }
    return [HubSettings.isWarehouseRig(path: first) ? "run" : "serve"] + words
  }
}

/// The standard output for data, and the standard error for the program's messages.
enum HubConsole {
  /// Prints an error and exits.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Prints a message to standard error.
  static let say: @Sendable (String) -> Void = { message in
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = Array(lines.map { "aneroid: \($0)\n" }.joined().utf8)
    _ = Glibc.write(2, text, text.count)
  }

  /// Writes all of a text to standard output.
  static let put: @Sendable (String) -> Void = { _ = write(Array($0.utf8)) }

  /// Writes all bytes to standard output.
  ///
  /// - Returns: `true` if they were written; otherwise `errno` contains the reason.
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

/// The buffered standard output of a run.
///
/// If writing fails, the program exits.
final class HubOutput {
  /// The size of the buffer in bytes.
  private static let piece = 1 << 16
  private var waiting: [UInt8] = []
  /// `true` to write each text immediately.
  var isPrompt = false

  /// Appends a text to the buffer.
  func put(_ text: String) {
    waiting += text.utf8
    if isPrompt || waiting.count >= Self.piece { flush() }
  }

  /// Writes the buffered text.
  func flush() {
    guard HubConsole.write(waiting) else {
      HubConsole.fail("cannot write to standard output: \(String(cString: strerror(errno)))", 74)
    }
    waiting = []
  }
}
