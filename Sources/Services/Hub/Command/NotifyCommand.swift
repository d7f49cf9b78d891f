import ArgumentParser
import Channels
import HubQueue
import Notify
import Support
import Warehouse
import WarehouseRuns

/// Lists the notification channels of a hub file, or sends a test message over them.
struct NotifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "List the notification channels, or test them.",
    discussion: """
      EXAMPLES
        aneroid hub notify hub.yaml
        aneroid hub notify hub.yaml --test
        aneroid hub notify hub.yaml --test --channel mail

      Channels are set in the hub file with the key 'notify': mail over SMTP, webhooks, the push \
      services ntfy and Gotify, and heartbeats for a service that reports the loss of the hub. \
      --test sends a message over each channel now, whatever its events and its quiet period; the \
      hub may be running.

      Exit status: 0; 69 if a test message could not be sent.
      """)

  @Argument(help: ArgumentHelp("The hub file.", valueName: "file"))
  var file: String

  @Flag(help: "Send a test message over each channel.")
  var test = false

  @Option(
    help: ArgumentHelp("Only this channel; may be repeated.", valueName: "name"))
  var channel: [String] = []

  func run() async throws {
    let settings = ServeCommand.settings(file, search: .inputs)
    let known = settings.channels.map(\.name)
    guard !known.isEmpty else {
      HubConsole.fail(
        "\(file) has no channels; the key 'notify' adds them, see 'aneroid hub reference'", 78)
    }
    for name in channel where !known.contains(name) {
      let hint = NearestWord.hint(name.clipped, among: known)
      HubConsole.fail("unknown channel '\(name.clipped)'\(hint)", 64)
    }
    let chosen = settings.channels.filter { channel.isEmpty || channel.contains($0.name) }
    guard test else {
      return HubConsole.put(chosen.map { Self.line($0) + "\n" }.joined())
    }
    var failures = 0
    for channel in chosen {
      let result = await ChannelSender.test(channel, from: .hub(settings.policy.hub))
      failures += result == nil ? 0 : 1
      HubConsole.put("\(channel.name) (\(channel.kind.rawValue)): \(result ?? "sent")\n")
    }
    if failures > 0 {
      HubConsole.fail("\("channel".counted(failures)) of \(chosen.count) failed", 69)
    }
  }

  /// Returns a channel as one line.
  private static func line(_ channel: NotificationChannel) -> String {
    var parts = ["\(channel.name) (\(channel.kind.rawValue))  \(channel.address)"]
    guard channel.kind != .heartbeat else {
      return (parts + ["every \(channel.every) s"]).joined(separator: "  ")
    }
    if !channel.to.isEmpty { parts.append("to \(channel.to.joined(separator: ", "))") }
    let topics = NotificationChannel.Topic.allCases.filter { channel.topics.contains($0) }
    parts.append("events: \(topics.map(\.rawValue).joined(separator: ", "))")
    parts.append("from level \(channel.level.rawValue)")
    if !channel.zones.isEmpty { parts.append("zones: \(channel.zones.joined(separator: ", "))") }
    if !channel.people.isEmpty { parts.append("people: \(channel.people.joined(separator: ", "))") }
    if channel.quiet != nil { parts.append("with a quiet period") }
    return parts.joined(separator: "  ")
  }
}
