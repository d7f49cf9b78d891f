import Glibc
import Quantities
import Schema
import Support
public import Warehouse

/// The settings of a hub, as read from the hub file.
public struct HubSettings: Sendable {
  /// The position of a tag, in meters from the upper left corner of the floor plan.
  public struct Coordinates: Hashable, Sendable {
    /// The distances from the corner to the right (x) and down (y).
    public let x, y: Double
  }

  /// The settings of the Bluetooth radio.
  public struct Link: Hashable, Sendable {
    /// The Bumble transport of the controller, such as `usb:0`.
    public internal(set) var transport = ""
    /// The number of simultaneous connections that the radio supports.
    public internal(set) var connections = 7
    /// The time for which a tag stays connected if tags take turns, in nanoseconds.
    public internal(set) var stay: Int64 = 20_000_000_000
    /// The time between two readings of a tag in nanoseconds; `nil` if each tag sets its own
    /// period.
    public internal(set) var period: Int64?
    /// The radio timings.
    public internal(set) var times = ListenerTimings()

    /// Returns the schedule by which tags take turns; it allows 500 ms for each connection
    /// procedure.
    public func roundRobin(of tags: Int) -> RoundRobin {
      RoundRobin(tags: tags, connections: connections, stay: stay, connecting: 500_000_000)
    }
  }

  /// The settings of the connection to the MQTT broker.
  public struct Broker: Hashable, Sendable {
    /// The host name or address of the broker.
    public internal(set) var host = ""
    /// The TCP port.
    ///
    /// Default: 8883 with TLS, 1883 without.
    public internal(set) var port = 0
    /// The user name; `nil` for none.
    public internal(set) var user: String?
    /// The files that contain the password, the CA certificates, the client certificate and the
    /// private key.
    public internal(set) var passwordFile: String?, authority: String?, certificate: String?,
      key: String?
    /// The prefix of all topics.
    public internal(set) var prefix = "aneroid"
    /// The discovery prefix of Home Assistant; `nil` disables discovery.
    public internal(set) var discovery: String? = "homeassistant"
    /// `true` if a record counts as delivered when the receiver confirms it, rather than when the
    /// broker acknowledges it.
    public internal(set) var isConfirmedByReceiver = false
    /// The MQTT keep-alive interval in seconds.
    public internal(set) var keepAlive = 30
  }

  /// The settings of the HTTP collector.
  public struct Post: Hashable, Sendable {
    /// The URL to which batches are posted.
    public internal(set) var address = ""
    /// The file that contains the value of the `Authorization` header; `nil` to send no header.
    public internal(set) var authorizationFile: String?
    /// The interval between batches in seconds.
    public internal(set) var every = 60
    /// The maximum number of records in a batch.
    public internal(set) var batch = 500
  }

  /// The settings of the record queue.
  public struct Storage: Hashable, Sendable {
    /// The database file.
    public internal(set) var file = ""
    /// The maximum number of records waiting for a receiver.
    public internal(set) var records = 1_000_000
    /// The maximum time for which a record waits for a receiver, and the time for which records are
    /// kept, in seconds.
    public internal(set) var age = 30 * 86_400, history = 400 * 86_400
  }

  /// The settings of the web page.
  public struct Web: Hashable, Sendable {
    /// The loopback address on which the server listens.
    public internal(set) var host = "127.0.0.1"
    /// The port on which the server listens.
    public internal(set) var port = 8090
    /// The host names that are accepted from browsers in addition to the loopback names.
    public internal(set) var hosts: [String] = []
    /// The file that contains the token required for changes; it is created if missing.
    public internal(set) var tokenFile = "hub.token"
  }

  /// The settings for commands received over the broker.
  public struct Commands: Hashable, Sendable {
    /// The accepted commands: `acknowledge`, `silence`, `end-silence`, `close`.
    public internal(set) var allowed = ["acknowledge"]
    /// The people whose commands are accepted; if empty, everyone who may publish to the broker.
    public internal(set) var people: [String] = []
  }

  /// The policy that readings are evaluated against.
  public let policy: WarehousePolicy
  /// The positions of the tags, by address.
  public let positions: [String: Coordinates]
  /// The settings of the Bluetooth radio; `nil` if the hub uses none.
  public let link: Link?
  /// The settings of the MQTT broker; `nil` if the hub uses none.
  public let broker: Broker?
  /// The settings of the HTTP collector; `nil` if the hub uses none.
  public let post: Post?
  /// The channels for messages to people.
  public let channels: [NotificationChannel]
  /// The settings of the record queue.
  public let storage: Storage
  /// The settings of the web page.
  public let web: Web
  /// The settings for commands received over the broker.
  public let commands: Commands
}

/// The errors in a hub file.
public struct HubSettingsError: Error, CustomStringConvertible {
  /// One line per error, with file, line and column.
  public let description: String
  /// The exit status: 66 if the hub file is missing, 78 if it contains errors.
  public let status: Int32
}

extension HubSettings {
  /// The files whose existence is checked when a hub file that names them is read.
  public enum Search: Sendable {
    /// No files are checked; used by clients of a hub and for reports on recorded data.
    case nothing
    /// The input files of the hub are checked.
    case inputs
    /// The input files, and the folders of the output files, are checked.
    case all
  }

  /// Reads a hub file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - search: The files whose existence is checked; a missing file is an error.
  /// - Throws: `HubSettingsError` with all errors and their source locations.
  public init(path: String, search: Search = .nothing) throws(HubSettingsError) {
    do throws(Failure) {
      let text = try TextFile.read(path, longest: Document.longest)
      try self.init(text: text, file: path, search)
    } catch {
      throw HubSettingsError(description: error.description, status: error.exitStatus)
    }
  }

  private init(text: String, file: String, _ search: Search) throws(Failure) {
    let (value, checker): (CheckedValue, Checker)
    do throws(DocumentError) {
      (value, checker) = try Document.read(
        text, file: file, as: HubFileShape.file, named: "the hub file")
    } catch {
      throw Failure(.badRig, [error])
    }
    if !checker.errors.isEmpty, let family = DocumentFamily(of: text), family != .hub {
      throw Failure(.badRig, [family.wrongKindError(expected: "a hub file", file: file)])
    }
    var reader = HubFileReader(file: file, checker: checker, search: search)
    let settings = reader.settings(value)
    let found = reader.checker.findings
    guard found.isEmpty else {
      throw Failure(found.count == reader.missing ? .missingInput : .badRig, found)
    }
    self = settings
  }

  /// Reads the file with the channels over which a weather station sends its warnings; its only key is `notify`.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: `HubSettingsError` with all errors and their source locations; files that a channel names must exist.
  /// - Returns: The channels.
  public static func stationChannels(
    path: String
  ) throws(HubSettingsError) -> [NotificationChannel] {
    do throws(Failure) {
      let text = try TextFile.read(path, longest: Document.longest)
      let (value, checker): (CheckedValue, Checker)
      do throws(DocumentError) {
        (value, checker) = try Document.read(
          text, file: path, as: HubFileShape.station, named: "the file of the channels")
      } catch {
        throw Failure(.badRig, [error])
      }
      var reader = HubFileReader(file: path, checker: checker, search: .inputs)
      let channels = reader.stationChannels(value)
      let found = reader.checker.findings
      guard found.isEmpty else {
        throw Failure(found.count == reader.missing ? .missingInput : .badRig, found)
      }
      return channels
    } catch {
      throw HubSettingsError(description: error.description, status: error.exitStatus)
    }
  }

  /// Returns `true` if a file is a warehouse rig, which describes a run in virtual time, rather
  /// than a hub file, which contains the settings of a hub.
  ///
  /// - Parameter path: The path of the file. An unreadable file does not count as a rig, nor does a
  ///   named pipe, because it can be read only once.
  /// - Returns: `true` if the top level of the file has the key `warehouse`.
  public static func isWarehouseRig(path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let text = try? TextFile.read(path, longest: Document.longest)
    else { return false }
    return DocumentFamily(of: text) == .warehouse
  }
}

extension HubSettings {
  /// The JSON Schema of the hub file, for editors.
  public static var schema: String {
    JSONSchema.document(
      of: HubFileShape.file, heading: heading, identifier: "urn:aneroid:hub-schema",
      title: "Aneroid hub"
    ) { value($0, $1) }
  }

  /// The reference of all keys of the hub file, as a documentation page.
  public static var reference: String {
    let intro = [
      "# Hub file reference", "",
      "Every key of a hub file, generated from the schema that checks it.", "",
      "## Overview", "",
      "Quantities carry their unit (`8C`, `60%`, `15min`); paths are relative to the file. Keys marked",
      "*required* must be given; all others state their default. `aneroid hub",
      "reference` prints this page, `aneroid hub schema` the same as JSON Schema, and `aneroid hub",
      "example` a file to start from.", "",
    ]
    let reference = KeyReference(
      root: heading, example: { group, key in value(group, key).map { "\(key): \($0)" } },
      file: { _, _ in nil })
    return (intro + reference.lines(HubFileShape.file)).joined(separator: "\n") + "\n"
  }

  private static let heading = "A hub"

  /// Returns the example value for a key: the one for the key in this group if there is one,
  /// otherwise the one for the key in any group.
  private static func value(_ group: String, _ key: String) -> String? {
    // The limits of each quantity form a separate group.
    let quantity = group.split(separator: " ").last.map(String.init) ?? ""
    let own = examples["\(quantity)|\(key)"] ?? examples["\(group)|\(key)"]
    return own ?? (group.contains("notify") ? channelExamples[key] : nil) ?? examples[key]
  }

  /// The examples of the keys of notification channels.
  private static let channelExamples = [
    "zones": "[cold room]", "people": "[Ana]", "events": "[alarm, escalation]", "level": "alarm",
    "quiet": "{from: \"22:00\", to: \"07:00\"}", "from": "\"22:00\"", "to": "\"07:00\"",
    "hold": "all", "gather": "10s", "give_up": "2h", "link": "\"https://hub.example.org/\"",
    "every": "1min", "tls": "required", "template": "chat.json", "content_type": "text/plain",
    "secret_file": "chat.secret", "authorization_file": "chat.token", "token_file": "push.token",
    "server": "\"smtps://mail.example.org:465\"", "password_file": "mail.password", "user": "hub",
    "address": "\"https://push.example.org\"",
  ]

  private static let examples = [
    "mail|name": "mail", "webhook|name": "chat", "ntfy|name": "phone", "gotify|name": "push",
    "heartbeat|name": "monitoring", "mail|from": "hub@example.org", "mail|to": "[ana@example.org]",
    "webhook|address": "\"https://chat.example.org/hooks/1\"",
    "ntfy|address": "\"https://ntfy.sh/cold-chain-4711\"",
    "heartbeat|address": "\"https://monitoring.example.org/ping/4711\"",
    "hub": "north", "zones": "[{name: cold room}]", "storage": "cold-chain",
    "tags": "[{address: \"A4:DA:32:00:00:01\", name: shelf-1, zone: cold room}]",
    "duty": "{people: [Ana, Rui]}", "mqtt": "{host: broker.example}",
    "http": "{address: \"https://collector.example/batches\"}",
    "notify": "[{by: ntfy, name: pager, address: \"https://ntfy.sh/cold-chain\"}]",
    "queue": "{records: 100000}",
    "page": "{listen: \"127.0.0.1:8090\"}", "commands": "{allowed: [acknowledge, silence]}",
    "name": "cold room", "tags|name": "shelf-1", "zone": "cold room", "period": "60s",
    "limits": "[{of: temperature, high: 8C}]", "of": "temperature", "level": "warning",
    "low": "2C", "high": "8C", "hysteresis": "0.5C", "delay": "5min",
    "humidity|of": "humidity", "humidity|low": "30%", "humidity|high": "60%",
    "humidity|hysteresis": "2%", "pressure|of": "pressure", "pressure|low": "990hPa",
    "pressure|high": "1030hPa", "pressure|hysteresis": "50Pa",
    "address": "\"A4:DA:32:00:00:01\"", "at": "[2m, 3.5m]", "people": "[Ana, Rui]",
    "escalate": "15min", "quiet": "5min", "fastest": "{humidity: 90%}",
    "host": "broker.example", "port": "8883", "user": "north",
    "password_file": "mqtt.password", "ca": "ca.pem", "certificate": "north.pem",
    "key": "north.key", "prefix": "aneroid", "discovery": "homeassistant", "confirm": "receiver",
    "keep_alive": "30s", "http|address": "\"https://collector.example/batches\"",
    "authorization_file": "collector.token", "every": "5min", "batch": "500",
    "file": "north.sqlite", "records": "1000000", "age": "30d", "history": "400d",
    "listen": "\"127.0.0.1:8090\"", "hosts": "[hub.example]", "token_file": "hub.token",
    "allowed": "[acknowledge, silence]", "link": "{transport: usb:0}", "transport": "usb:0",
    "connections": "7", "stay": "20s", "scan": "10s", "patience": "10s", "late": "30s",
    "longest_wait": "1min",
  ]
}

/// The digest by which a page's content security policy allows the page's own script and style.
public enum PageDigest {
  /// Returns the SHA-256 digest of a text's UTF-8 bytes in base64 (RFC 4648, section 4).
  public static func sha256Base64(_ text: String) -> String {
    Base64.text(SHA256.digest(text.utf8))
  }
}
