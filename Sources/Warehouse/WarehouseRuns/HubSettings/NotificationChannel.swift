import Schema
import Support
public import Warehouse

/// A channel over which a hub sends messages to people: electronic mail, a webhook, or a push service.
public struct NotificationChannel: Hashable, Sendable {
  /// The protocols of channels.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Electronic mail over SMTP (RFC 5321).
    case mail
    /// A POST request with JSON, or with a text from a template.
    case webhook
    /// The push service ntfy, by its JSON interface.
    case ntfy
    /// The push service Gotify.
    case gotify
    /// A GET request at regular intervals; a service that misses them reports the loss of the hub.
    case heartbeat
  }

  /// The events that a channel reports.
  public enum Topic: String, Hashable, Sendable, CaseIterable {
    /// A person on call is notified of an alarm for the first time, or again after it recurred.
    case alarm
    /// An unacknowledged alarm escalates to the next person.
    case escalation
    /// The value of an alarm returned to normal.
    case normal
    /// A person acknowledged or closed an alarm, or silenced a zone.
    case action
    /// The wall clock of the hub was set.
    case clock
    /// The queue dropped records for a receiver.
    case storage
    /// Another channel fails, or works again.
    case channel
    /// Another hub at the broker is lost, or is back.
    case hub
  }

  /// A daily period in which messages wait, in minutes of the local day; it extends past midnight if the start is
  /// later than the end.
  public struct Quiet: Hashable, Sendable {
    /// The start, and the end, which is not included, in minutes of the local day.
    public var from = 22 * 60, to = 7 * 60
    /// `true` if alarms wait as well, and not only warnings and other events.
    public var holdsAlarms = false

    /// Returns `true` if a minute of the local day is in the period.
    public func contains(minute: Int) -> Bool {
      from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
  }

  /// The name, which is unique among the channels of a hub.
  public internal(set) var name = ""
  /// The protocol.
  public internal(set) var kind = Kind.webhook
  /// The URL of the server; for mail, `smtp://HOST:PORT` (with STARTTLS) or `smtps://HOST:PORT`.
  public internal(set) var address = ""
  /// The events that the channel reports.
  public internal(set) var topics: Set<Topic> = Set(Topic.allCases).subtracting([.action])
  /// The lowest level of the alarms that the channel reports.
  public internal(set) var level = AlarmLevel.warning
  /// The zones whose alarms the channel reports; if empty, all.
  public internal(set) var zones: [String] = []
  /// The people whose notifications the channel sends; if empty, everyone's.
  public internal(set) var people: [String] = []
  /// The daily period in which messages wait; `nil` for none.
  public internal(set) var quiet: Quiet?
  /// The time in seconds for which a message waits for others, which it is combined with.
  public internal(set) var gather = 2
  /// The time in seconds after which a message that cannot be delivered is dropped.
  public internal(set) var giveUp = 86_400
  /// The URL that messages contain for the person who reads them; `nil` for none.
  public internal(set) var link: String?
  /// The sender and the recipients of mail.
  public internal(set) var from = "", to: [String] = []
  /// The user name for the mail server; `nil` for none.
  public internal(set) var user: String?
  /// `true` if mail is only sent over TLS.
  public internal(set) var needsTLS = true
  /// The interval of a heartbeat in seconds.
  public internal(set) var every = 60
  /// The media type of the text from the template.
  public internal(set) var contentType = "application/json"
  /// The files with the password or token, with the secret of signatures, with the template, and with the CA
  /// certificates of the server; `nil` for none, and for the CA certificates of the system.
  public internal(set) var secretFile: String?, signatureFile: String?, templateFile: String?,
    authority: String?
}

/// The keys of notification channels.
enum NotificationKeys {
  /// What sends messages over a channel.
  enum Owner {
    case hub
    /// A weather station, whose channels all report the same events, and always the latest state.
    case station
  }

  /// Returns the shape of a channel, whose kind determines the keys.
  static func channel(of owner: Owner) -> Shape {
    .variants(
      discriminator: "by",
      Dictionary(
        uniqueKeysWithValues: NotificationChannel.Kind.allCases.map {
          ($0.rawValue, group(of: $0, owner).section)
        }))
  }

  /// Returns the keys of a kind of channel.
  static func group(of kind: NotificationChannel.Kind, _ owner: Owner) -> KeyGroup<
    NotificationChannel
  > {
    let selection = owner == .hub ? filter + [quietTime] + patience + [link] : [quietTime, link]
    return switch kind {
    case .mail: mail(selection)
    case .webhook: webhook(selection)
    case .ntfy: ntfy(selection)
    case .gotify: gotify(selection)
    case .heartbeat: heartbeat
    }
  }

  private typealias ChannelKey = Key<NotificationChannel>

  private static let name = ChannelKey.required(
    "name", \.name,
    .text.accepting(
      { $0.utf8.count <= 60 && $0.visible == $0 && !$0.contains { "+#/".contains($0) } },
      else: "notify: 'name' may have at most 60 bytes without +, # and /"),
    "name of the channel in messages and metrics")

  private static func address(_ summary: String) -> ChannelKey {
    .required(
      "address", \.address,
      .text.accepting(
        { HubAddresses.isHTTP($0) && !$0.contains("@") },
        else:
          "notify: 'address' must be an http:// or https:// URL without user and password, such as https://push.example/cold-chain"
      ),
      summary)
  }

  private static let authority = ChannelKey(
    "ca", \.authority, .path, "TLS: CA certificates of the server (PEM)",
    absent: "those of the system")

  /// The keys that select messages.
  private static let filter: [ChannelKey] = [
    Key(
      "events", .topics, "events to report", get: { $0.topics }, set: { $0.topics = $1 }),
    Key("level", \.level, .choice, "lowest level of alarms to report"),
    Key("zones", \.zones, .texts, "zones whose alarms are reported", default: "all"),
    Key("people", \.people, .texts, "people on call whose notifications are sent", default: "all"),
  ]

  private static let quietTime = ChannelKey(
    "quiet", \.quiet, .group(quiet), "daily period in which messages wait", absent: "none")

  /// The keys of messages that are kept until they are sent.
  private static let patience: [ChannelKey] = [
    Key(
      "gather", \.gather,
      .seconds.accepting({ (0...3600).contains($0) }, else: "notify: 'gather' must be at most 1h"),
      "time for which a message waits for others, with which it is combined"),
    Key(
      "give_up", \.giveUp,
      .seconds.accepting({ $0 >= 60 }, else: "notify: 'give_up' must be at least 1min"),
      "time after which a message that cannot be delivered is dropped"),
  ]

  private static let link = ChannelKey(
    "link", \.link,
    .text.accepting(
      { HubAddresses.isHTTP($0) }, else: "notify: 'link' must be an http:// or https:// URL"),
    "URL in messages, such as that of the hub's page behind a proxy", absent: nil)

  private static let quiet = KeyGroup(
    "a daily period in which messages wait", NotificationChannel.Quiet()
  ) {
    [
      Key("from", \.from, .timeOfDay, "start, in local time"),
      Key("to", \.to, .timeOfDay, "end, in local time"),
      Key(
        "hold", \.holdsAlarms, .choice(of: [false, true]) { $0 ? "all" : "others" },
        "messages that wait: all, or all except alarms of level alarm and their escalations"),
    ]
  }

  private static func mail(_ selection: [ChannelKey]) -> KeyGroup<NotificationChannel> {
    KeyGroup("a mail server", NotificationChannel()) {
      [
        name,
        .required(
          "server", \.address,
          .text.accepting(
            { HubAddresses.isMailServer($0) },
            else:
              "notify: 'server' must be smtp://HOST:PORT or smtps://HOST:PORT, such as smtps://mail.example:465"
          ),
          "mail server: smtp://HOST:PORT, which must offer STARTTLS, or smtps://HOST:PORT"),
        .required("from", \.from, .mailAddress, "address of the sender"),
        .required("to", \.to, .mailAddresses, "addresses of the recipients"),
        Key("user", \.user, .text, "user name", absent: nil),
        Key("password_file", \.secretFile, .path, "file that contains the password", absent: nil),
        Key(
          "tls", \.needsTLS, .choice(of: [true, false]) { $0 ? "required" : "none" },
          "TLS: required, or none for a server on this machine"),
        authority,
      ] + selection
    }
  }

  private static func webhook(_ selection: [ChannelKey]) -> KeyGroup<NotificationChannel> {
    KeyGroup("a webhook", NotificationChannel()) {
      [
        name,
        address("URL to post to"),
        Key(
          "authorization_file", \.secretFile, .path, "file that contains the Authorization header",
          absent: nil),
        Key(
          "secret_file", \.signatureFile, .path,
          "file that contains the secret; requests then have a signature, HMAC-SHA256", absent: nil),
        Key(
          "template", \.templateFile, .path,
          "file with the text to post, with {{title}}, {{text}}, {{level}}, {{hub}}, {{link}} and {{events}}",
          absent: "JSON with these members"),
        Key(
          "content_type", \.contentType,
          .text.accepting(
            { $0.utf8.allSatisfy { (32...126).contains($0) } },
            else: "notify: 'content_type' must be a media type such as text/plain"),
          "media type of the template; in JSON, values are escaped"),
        authority,
      ] + selection
    }
  }

  private static func ntfy(_ selection: [ChannelKey]) -> KeyGroup<NotificationChannel> {
    KeyGroup("a topic of the push service ntfy", NotificationChannel()) {
      [
        name,
        .required(
          "address", \.address,
          .text.accepting(
            { HubAddresses.isTopicURL($0) },
            else: "notify: 'address' must be the URL of a topic, such as https://ntfy.sh/cold-chain"
          ),
          "URL of the topic, https://ntfy.sh/TOPIC"),
        Key("token_file", \.secretFile, .path, "file that contains the access token", absent: nil),
        authority,
      ] + selection
    }
  }

  private static func gotify(_ selection: [ChannelKey]) -> KeyGroup<NotificationChannel> {
    KeyGroup("an application of the push service Gotify", NotificationChannel()) {
      [
        name,
        address("URL of the server"),
        .required("token_file", \.secretToken, .path, "file that contains the application's token"),
        authority,
      ] + selection
    }
  }

  private static let heartbeat = KeyGroup("a heartbeat", NotificationChannel()) {
    [
      name,
      address("URL to request while the hub works, such as that of a monitoring service"),
      Key(
        "every", \.every,
        .seconds.accepting({ (1...86_400).contains($0) }, else: "notify: 'every' must be 1s to 1d"),
        "interval of the requests"),
      authority,
    ]
  }
}

extension NotificationChannel {
  /// The file with the token, for keys that require it.
  fileprivate var secretToken: String {
    get { secretFile ?? "" }
    set { secretFile = newValue }
  }
}

extension KeyFormat<Set<NotificationChannel.Topic>> {
  fileprivate static let topics = KeyFormat(
    .list(.word(NotificationChannel.Topic.allCases.map(\.rawValue))),
    text: { chosen in
      NotificationChannel.Topic.allCases.filter { chosen.contains($0) }.map(\.rawValue).joined(
        separator: ", ")
    },
    convert: {
      Set($0.list.compactMap { $0.text.flatMap(NotificationChannel.Topic.init(rawValue:)) })
    })
}

extension KeyFormat<Int> {
  /// A time of day as minutes, written as `"22:00"`.
  fileprivate static let timeOfDay = KeyFormat(
    .text,
    text: { minutes in
      let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
      return "\"\(two(minutes / 60)):\(two(minutes % 60))\""
    },
    checking: { value throws(QuantityKind.FormatError) in
      let parts = (value.text ?? "").split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2,
        parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
        let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
      else {
        throw QuantityKind.FormatError(
          message: "a time of day is 00:00 to 23:59, written as \"22:00\" in quotation marks")
      }
      return hours * 60 + minutes
    })
}

extension KeyFormat<String> {
  /// An address of electronic mail.
  fileprivate static let mailAddress = text.accepting(
    { HubAddresses.isMail($0) },
    else: "notify: a mail address is NAME@HOST, without spaces and brackets")
}

extension KeyFormat<[String]> {
  /// Addresses of electronic mail.
  fileprivate static let mailAddresses = texts.accepting(
    { $0.allSatisfy { HubAddresses.isMail($0) } },
    else: "notify: a mail address is NAME@HOST, without spaces and brackets")
}

extension HubAddresses {
  /// Returns `true` if a text is the URL of a topic of ntfy: the URL of a server, and a name.
  static func isTopicURL(_ text: String) -> Bool {
    guard isHTTP(text), !text.contains("@"), let begin = text.firstRange(of: "://"),
      let slash = text[begin.upperBound...].lastIndex(of: "/")
    else { return false }
    let topic = text[text.index(after: slash)...]
    return (1...64).contains(topic.utf8.count)
      && topic.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45
          || $0 == 95
      }
  }

  /// Returns `true` if a text is the URL of a mail server: `smtp://` or `smtps://`, a host, and optionally a port.
  static func isMailServer(_ text: String) -> Bool {
    guard let begin = text.firstRange(of: "://"),
      ["smtp", "smtps"].contains(text[..<begin.lowerBound].lowercased())
    else { return false }
    let rest = text[begin.upperBound...]
    return !rest.contains { "/?#@".contains($0) } && isHTTP("http://" + rest)
  }

  /// Returns `true` if a text can be an address in a mail's envelope (RFC 5321, section 4.1.2), without comments and
  /// quotation marks.
  static func isMail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts.contains("") && text.utf8.count <= 254
      && text.unicodeScalars.allSatisfy {
        $0.value > 32 && $0.value != 127 && !"<>()[],;:\\\"".unicodeScalars.contains($0)
      }
  }
}
