import ArgumentParser
import Foundation
import Glibc
import HubCore
import HubQueue
import HubRadio
import HubService
import HubSettings
import Logging
import Warehouse

/// Runs the hub.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the hub until Ctrl-C.",
    discussion: """
      EXAMPLES
        aneroid hub serve hub.yaml --check
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines

      The file says which tags it expects, when somebody is told, and where records \
      go; with the key 'link' it hears them through a dongle (usb:0, hci-socket:0: the \
      transports of Bumble, which Python needs: pip install bumble==0.0.236). With \
      --lines it takes notifications from standard input instead, one JSON object a \
      line, as a gateway hears them; without either it only delivers what waits, and \
      shows what it knows. A line has the address of the tag, its kind (cc2650 or cc2541), \
      the characteristic and its bytes:

        {"tag":"A4:DA:32:00:00:01","kind":"cc2650",
         "characteristic":"AA21","raw":"4065bc7a","rssi":-61,"battery":90}
      """)

  @Argument(help: ArgumentHelp("The file of the hub.", valueName: "file"))
  var file: String

  @Flag(help: "Take notifications as lines from standard input.")
  var lines = false

  @Flag(help: "Write each record to standard output once it is on disk.")
  var echo = false

  @Flag(help: "Only check the file, and say what is wrong with it.")
  var check = false

  @Flag(help: "Tell what happens.")
  var verbose = false

  func run() async throws {
    let settings = Self.settings(file, search: check ? .inputs : .all)
    if check {
      return HubConsole.put("\(file): \("tag".counted(settings.policy.tags.count)), no mistake\n")
    }
    // A receiver that closes its pipe or connection is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is told as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    let secrets = Self.secrets(settings)
    let token = HubToken.read(settings.web.tokenFile)
    Self.hold(settings.storage.file)
    let queue = Self.queue(settings)
    let core: HubCore
    let couriers: Couriers
    do {
      core = try HubCore(
        policy: settings.policy, queue: queue, tell: HubConsole.say)
      couriers = try Couriers(
        core: core, settings: settings, secrets: secrets, tell: HubConsole.say)
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
      core: core, settings: settings, couriers: couriers, token: token,
      source: source(settings),
      logger: logger, written: written)
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

  /// Where notifications come from: lines where they are wanted, else the radio of the file.
  private func source(_ settings: HubSettings) -> (any NotificationSource)? {
    if lines { return LineSource(handle: 0, tell: HubConsole.say) }
    return settings.link.map {
      RadioSource(settings.policy.tags, link: $0, tell: HubConsole.say)
    }
  }

  /// The settings of a file, or the end of the program with every mistake.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - search: which of the things that it names are looked for.
  /// - Returns: the settings.
  static func settings(_ file: String, search: HubSettings.Search = .nothing) -> HubSettings {
    do throws(HubSettingsError) {
      return try HubSettings(path: file, search: search)
    } catch {
      HubConsole.fail(error.description, error.status)
    }
  }

  /// The queue of a hub, or the end of the program.
  static func queue(_ settings: HubSettings) -> RecordQueue {
    var limits = RecordQueue.Limits()
    (limits.records, limits.age) = (settings.storage.records, settings.storage.age)
    limits.history = settings.storage.history
    do {
      return try RecordQueue(
        path: settings.storage.file, hub: settings.policy.hub,
        receivers: Couriers.receivers(settings), limits: limits)
    } catch {
      HubConsole.fail("cannot open the queue \(settings.storage.file): \(error)", 74)
    }
  }

  /// Keeps the file of a queue for this program alone until it ends: two hubs on one would drive each other off the broker.
  private static func hold(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    // Where it cannot be opened, the queue says why.
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
      return
    }
    HubConsole.fail(
      "the queue \(path) is in use by a hub that runs; end that one, or give this one another 'hub' and 'queue'",
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

/// The token that every change over HTTP needs.
enum HubToken {
  /// Reads it, or makes one that only the user can read.
  static func read(_ path: String) -> String {
    if let data = FileManager.default.contents(atPath: path) {
      let token = String(decoding: data, as: UTF8.self).trimmingCharacters(
        in: .whitespacesAndNewlines)
      if token.utf8.count >= 16 { return token }
      HubConsole.fail(
        "\(path): a token has at least 16 characters; remove the file for a new one", 65)
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
