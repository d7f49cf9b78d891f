import ArgumentParser
import Channels
import Foundation
import Glibc
import HubCore
import HubQueue
import HubRadio
import HubService
import Logging
import Warehouse
import WarehouseRuns

/// Runs the hub.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the hub until Ctrl-C.",
    discussion: """
      EXAMPLES
        aneroid hub serve hub.yaml --check
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines

      The file defines the expected tags, the limits and people to notify, and the receivers \
      of records. With the key 'link' it receives the tags through a dongle (usb:0, hci-socket:0: \
      transports of Bumble, which needs Python: pip install bumble==0.0.236). With \
      --lines it reads notifications from standard input instead, one JSON object per \
      line, as gateways provide them; without either it only delivers waiting records and \
      serves its state. A line has the address of the tag, its kind (cc2650 or cc2541), \
      the characteristic and its bytes:

        {"tag":"A4:DA:32:00:00:01","kind":"cc2650",
         "characteristic":"AA21","raw":"4065bc7a","rssi":-61,"battery":90}
      """)

  @Argument(help: ArgumentHelp("The hub file.", valueName: "file"))
  var file: String

  @Flag(help: "Read notifications as lines from standard input.")
  var lines = false

  @Flag(help: "Write each record to standard output once it is stored.")
  var echo = false

  @Flag(help: "The queue is an older copy: draw a new epoch for its next numbers.")
  var restored = false

  @Flag(help: "Only check the file and report its errors.")
  var check = false

  @Flag(help: "Log at level info.")
  var verbose = false

  func run() async throws {
    let settings = Self.settings(file, search: check ? .inputs : .all)
    if check {
      for channel in settings.channels {
        do {
          _ = try ChannelSender(channel, from: .hub(settings.policy.hub), readsSecrets: false)
        } catch { HubConsole.fail("cannot use \(file): \(error)", 78) }
      }
      for line in Self.unreached(settings) { HubConsole.say(line) }
      return HubConsole.put("\(file): \("tag".counted(settings.policy.tags.count)), no errors\n")
    }
    // The hub must not end when a receiver closes its pipe or connection.
    signal(SIGPIPE, SIG_IGN)
    // With this signal ignored, exceeding the file size limit is an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    for line in Self.unreached(settings) { HubConsole.say(line) }
    let secrets = Self.secrets(settings)
    let token = HubToken.read(settings.web.tokenFile)
    Self.hold(settings.storage.file)
    let queue = Self.queue(settings, isRestored: restored)
    for (receiver, waiting) in queue.abandoned {
      HubConsole.say(
        "\("record".counted(waiting)) dropped that waited for '\(receiver)', which the file no longer has"
      )
    }
    let core: HubCore
    let publishers: Publishers
    do {
      core = try HubCore(
        policy: settings.policy, queue: queue, report: HubConsole.say)
      publishers = try Publishers(
        core: core, settings: settings, secrets: secrets, file: URL(fileURLWithPath: file).path,
        report: HubConsole.say)
    } catch {
      try? queue.close()
      HubConsole.fail("cannot start the hub: \(error)", 78)
    }
    var logger = Logger(label: "aneroid-hub") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .warning
    let (hub, epoch) = (queue.hub, queue.epoch)
    let isEchoed = echo
    let written: @Sendable ([QueuedRecord]) -> Void = { records in
      guard isEchoed else { return }
      HubConsole.put(records.map { record in record.json(hub: hub, epoch: epoch) + "\n" }.joined())
    }
    let server = HubServer(
      core: core, settings: settings, publishers: publishers, token: token,
      source: source(settings), logger: logger, written: written)
    let shown = settings.web.host
    do {
      try await server.run { port in
        HubConsole.say(
          "the hub '\(hub)' is at http://\(shown):\(port)/#token=\(token) (Ctrl-C ends it)")
      }
    } catch {
      try? queue.close()
      HubConsole.fail("cannot serve at http://\(shown):\(settings.web.port): \(error)", 69)
    }
    try queue.close()
  }

  /// Returns warnings about people on duty whom no channel reaches.
  static func unreached(_ settings: HubSettings) -> [String] {
    let people = settings.policy.onCall.people.map(\.name)
    let missed = SnapshotJSON.unreached(people, by: settings.channels)
    if missed.isEmpty { return [] }
    if settings.channels.isEmpty {
      return settings.broker != nil
        ? []
        : [
          "no channel notifies people of alarms, which are only shown: add 'notify' to the hub file"
        ]
    }
    return [
      "no channel of 'notify' reaches \(missed.joined(separator: ", ")): alarms that escalate to them go nowhere"
    ]
  }

  /// Returns the source of notifications: lines with `--lines`, otherwise the radio set in the hub
  /// file; `nil` if neither is set.
  private func source(_ settings: HubSettings) -> (any NotificationSource)? {
    if lines { return LineSource(handle: 0, report: HubConsole.say) }
    if settings.link == nil {
      HubConsole.say(
        "the hub has no source of readings: give --lines, or 'link' in \(file)")
    }
    return settings.link.map {
      RadioSource(settings.policy.tags, link: $0, report: HubConsole.say)
    }
  }

  /// Reads the settings; on errors, prints all of them and exits.
  ///
  /// - Parameters:
  ///   - file: The path of the hub file.
  ///   - search: The files whose existence is checked.
  /// - Returns: The settings.
  static func settings(_ file: String, search: HubSettings.Search = .nothing) -> HubSettings {
    do throws(HubSettingsError) {
      return try HubSettings(path: file, search: search)
    } catch {
      HubConsole.fail(error.description, error.status)
    }
  }

  /// Opens the queue of a hub; on an error, prints it and exits.
  static func queue(_ settings: HubSettings, isRestored: Bool = false) -> RecordQueue {
    var limits = RecordQueue.Limits()
    (limits.records, limits.age) = (settings.storage.records, settings.storage.age)
    limits.history = settings.storage.history
    do {
      return try RecordQueue(
        path: settings.storage.file, hub: settings.policy.hub,
        receivers: Publishers.receivers(settings), interests: Publishers.interests(settings),
        limits: limits, isRestored: isRestored)
    } catch {
      HubConsole.fail(
        "cannot open the queue \(settings.storage.file): \(QueueError.words(error, settings.storage.file))",
        74)
    }
  }

  /// Locks the queue for this process, because two hubs that use one queue would disconnect each
  /// other from the broker.
  private static func hold(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    // If the file cannot be opened here, opening the queue will report the reason.
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
      return
    }
    HubConsole.fail(
      "the queue \(path) is in use by a running hub; end that one, or give this one another 'hub' and 'queue'",
      69)
  }

  private static func secrets(_ settings: HubSettings) -> HubSecrets {
    func text(_ path: String?) -> String? {
      guard let path else { return nil }
      guard let data = FileManager.default.contents(atPath: path) else {
        HubConsole.fail("cannot read \(path): \(String(cString: strerror(errno)))", 66)
      }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    var secrets = HubSecrets()
    secrets.password = text(settings.broker?.passwordFile)
    secrets.authorization = text(settings.post?.authorizationFile)
    return secrets
  }
}

/// The token required for changes over HTTP.
enum HubToken {
  /// Reads the token, or creates a token file that only the user can read.
  static func read(_ path: String) -> String {
    if let data = FileManager.default.contents(atPath: path) {
      let token = String(decoding: data, as: UTF8.self).trimmingCharacters(
        in: .whitespacesAndNewlines)
      if token.utf8.count >= 16 { return token }
      HubConsole.fail(
        "\(path): a token must have at least 16 characters; remove the file to create a new one", 65
      )
    }
    let token = (0..<16).map { _ in
      String(format: "%02x", UInt8.random(in: 0...255))
    }.joined()
    let handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let line = Array((token + "\n").utf8)
    guard handle >= 0, write(handle, line, line.count) == line.count else {
      HubConsole.fail("cannot write the token \(path): \(String(cString: strerror(errno)))", 74)
    }
    close(handle)
    return token
  }
}
