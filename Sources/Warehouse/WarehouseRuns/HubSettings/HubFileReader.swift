import Glibc
import Quantities
import Schema
import Support
import Warehouse

/// Creates settings from a checked hub file, and reports errors that the schema cannot express.
///
/// For values that are missing or do not comply with the schema, only the schema errors are
/// reported.
struct HubFileReader {
  let file: String
  /// The errors found so far, both of the schema and of the values.
  private(set) var checker: Checker
  private let search: HubSettings.Search
  /// The number of errors that report an unreadable input file.
  private(set) var missing = 0

  init(file: String, checker: Checker, search: HubSettings.Search) {
    (self.file, self.checker, self.search) = (file, checker, search)
  }

  private static let second: Int64 = 1_000_000_000

  mutating func settings(_ value: CheckedValue) -> HubSettings {
    let hub = value["hub"]?.text ?? ""
    checkName(hub, value["hub"])
    let tags = value["tags"]?.list ?? []
    var reader = PolicyReader()
    var policy = WarehousePolicy(
      hub: hub, zones: (value["zones"]?.list ?? []).map { reader.zone($0) },
      tags: tags.map { tag($0, &reader) }, onCall: reader.onCall(value["duty"], &checker))
    policy.fastest = group(PolicyKeys.fastest, value["fastest"])
    reader.tags = tags
    let link = value["link"].map { group(HubFileShape.link, $0) }
    for wrong in reader.notes { note(wrong.message, wrong.value) }
    for wrong in policy.errors where isCertain(wrong.location, value) {
      note(wrong.message, reader.value(of: wrong.location) ?? value)
    }
    if let link {
      // If tags take turns, each one reports once per round, plus at most one period.
      let round = link.roundRobin(of: tags.count).round
      for index in policy.tags.indices where round > 0 { policy.tags[index].period += round }
    }
    return HubSettings(
      policy: policy, positions: positions(tags), link: link,
      broker: value["mqtt"].map { broker($0) }, post: value["http"].map { post($0) },
      channels: channels(value["notify"]?.list ?? [], policy),
      storage: storage(value["queue"], hub), web: web(value["page"]), commands: commands(value))
  }

  private mutating func note(_ message: String, _ value: CheckedValue?) {
    checker.note(message, at: value?.position ?? Position(line: 1, column: 1))
  }

  /// Returns `true` if an error of the policy must be reported; `false` if it may only result from
  /// missing names or addresses, which are already reported.
  private func isCertain(_ location: PolicyError.Location, _ value: CheckedValue) -> Bool {
    let zones = value["zones"]?.list ?? []
    func has(_ key: String, _ list: [CheckedValue], _ index: Int) -> Bool {
      list.indices.contains(index) && list[index][key]?.text != nil
    }
    let tags = value["tags"]?.list ?? []
    return switch location {
    case .zone(let index): has("name", zones, index)
    case .address(let tag): has("address", tags, tag)
    case .nameOf(let tag): has("name", tags, tag)
    case .zoneOf(let tag):
      has("zone", tags, tag) && !zones.isEmpty
        && zones.indices.allSatisfy { has("name", zones, $0) }
    case .whole, .rule, .period, .escalation: true
    }
  }

  private mutating func commands(_ value: CheckedValue) -> HubSettings.Commands {
    let commands = value["commands"]
    if commands != nil, value["mqtt"] == nil {
      note("commands: commands arrive over the broker, but 'mqtt' is missing", commands)
    }
    let people = commands?["people"]
    for name in PolicyReader.repeated(people?.list ?? []) {
      note("commands: '\((name.text ?? "").clipped)' is listed twice in 'people'", name)
    }
    return group(HubFileShape.commands, commands)
  }

  /// Checks the name of the hub, which is part of topics and file names.
  private mutating func checkName(_ name: String, _ value: CheckedValue?) {
    let allowed = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 45 || byte == 95
    }
    if !allowed || name.utf8.count > 60 {
      note("hub: the name may have at most 60 letters, digits, - and _, such as north-2", value)
    }
  }

  private func tag(
    _ value: CheckedValue, _ reader: inout PolicyReader
  ) -> WarehousePolicy.ExpectedTag {
    WarehousePolicy.ExpectedTag(
      value["address"].map { reader.address($0) } ?? "", name: value["name"]?.text ?? "",
      zone: value["zone"]?.text ?? "",
      period: value["period"]?.nanoseconds ?? PolicyReader.usualPeriod)
  }

  private mutating func positions(_ tags: [CheckedValue]) -> [String: HubSettings.Coordinates] {
    var positions: [String: HubSettings.Coordinates] = [:]
    for tag in tags {
      guard let at = tag["at"], let address = tag["address"]?.text else { continue }
      // Lengths in rigs are limited to 10 m, because they describe parts; a warehouse is larger.
      let numbers = at.list.compactMap { try? QuantityKind.altitude.parse($0.text ?? "") }
      guard numbers.count == 2, at.list.count == 2 else {
        if at.isSound {
          note("at: the position must have two lengths, to the right and down: [2m, 3.5m]", at)
        }
        continue
      }
      positions[address.uppercased()] = HubSettings.Coordinates(x: numbers[0], y: numbers[1])
    }
    return positions
  }

  /// Reads a group of keys, whose errors are collected.
  private mutating func group<Value>(_ keys: KeyGroup<Value>, _ value: CheckedValue?) -> Value {
    var settings = keys.standard
    keys.read(value, into: &settings, &checker)
    return settings
  }

  private func path(_ value: CheckedValue?) -> String? {
    value?.text.map { TextFile.resolve($0, relativeTo: file) }
  }

  /// Returns the path of an input file, and reports an error if it is not readable.
  private mutating func input(_ section: String, _ key: String, _ value: CheckedValue) -> String? {
    guard let path = path(value[key]) else { return nil }
    if search != .nothing, access(path, R_OK) != 0 {
      missing += 1
      let reason = String(cString: strerror(errno))
      note("\(section): '\(key)' cannot be read: \(path): \(reason)", value[key])
    }
    return path
  }

  /// Returns the path of an output file, or its default path if the file sets none.
  private mutating func output(
    _ section: String, _ key: String, _ value: CheckedValue?, _ usual: String
  ) -> String {
    guard let path = path(value?[key]) else { return TextFile.resolve(usual, relativeTo: file) }
    let folder = FilePath.folder(of: path)
    if search == .all, !folder.isEmpty, access(folder, F_OK) != 0 {
      let reason = String(cString: strerror(errno))
      note(
        "\(section): the folder of '\(key)' does not exist: \(folder): \(reason)", value?[key])
    }
    return path
  }

  private mutating func broker(_ value: CheckedValue) -> HubSettings.Broker {
    let authority = input("mqtt", "ca", value)
    if value["ca"] == nil, let other = value["certificate"] ?? value["key"] {
      note("mqtt: TLS needs 'ca', the CA certificates of the broker", other)
    }
    if (value["certificate"] == nil) != (value["key"] == nil) {
      note("mqtt: 'certificate' and 'key' must be given together", value)
    }
    var broker = group(HubFileShape.broker, value)
    broker.authority = authority
    if value["port"] == nil { broker.port = authority == nil ? 1883 : 8883 }
    broker.passwordFile = input("mqtt", "password_file", value)
    broker.certificate = input("mqtt", "certificate", value)
    broker.key = input("mqtt", "key", value)
    return broker
  }

  private mutating func post(_ value: CheckedValue) -> HubSettings.Post {
    var post = group(HubFileShape.post, value)
    post.authorizationFile = input("http", "authorization_file", value)
    return post
  }

  private mutating func channels(
    _ list: [CheckedValue], _ policy: WarehousePolicy
  ) -> [NotificationChannel] {
    let channels = channels(list, of: .hub)
    for (channel, value) in channels {
      check(channel.zones, in: value, "zones", "zone", among: policy.zones.map(\.name))
      check(channel.people, in: value, "people", "person", among: policy.onCall.people.map(\.name))
    }
    return channels.map(\.channel)
  }

  /// Reads the channels of a weather station.
  mutating func stationChannels(_ value: CheckedValue) -> [NotificationChannel] {
    channels(value["notify"]?.list ?? [], of: .station).map(\.channel)
  }

  private mutating func channels(
    _ list: [CheckedValue], of owner: NotificationKeys.Owner
  ) -> [(channel: NotificationChannel, value: CheckedValue)] {
    var channels: [(channel: NotificationChannel, value: CheckedValue)] = []
    for value in list where value.isSound {
      let kind = NotificationChannel.Kind(rawValue: value["by"]?.text ?? "") ?? .webhook
      var channel = group(NotificationKeys.group(of: kind, owner), value)
      channel.kind = kind
      channel.authority = input("notify", "ca", value)
      channel.templateFile = input("notify", "template", value)
      channel.signatureFile = input("notify", "secret_file", value)
      let secret = ["password_file", "authorization_file", "token_file"].first { value[$0] != nil }
      channel.secretFile = secret.flatMap { input("notify", $0, value) }
      if channels.contains(where: { $0.channel.name == channel.name }) {
        note("notify: two channels have the name '\(channel.name.clipped)'", value["name"])
      }
      if let quiet = channel.quiet, quiet.from == quiet.to {
        note("notify: 'from' and 'to' of 'quiet' must differ", value["quiet"])
      }
      if kind == .mail, (channel.user == nil) != (value["password_file"] == nil) {
        note(
          "notify: 'user' and 'password_file' must be given together",
          value["user"] ?? value["password_file"])
      }
      channels.append((channel, value))
    }
    return channels
  }

  /// Checks that names in a list of a channel exist.
  private mutating func check(
    _ names: [String], in value: CheckedValue, _ key: String, _ noun: String, among known: [String]
  ) {
    for (name, given) in zip(names, value[key]?.list ?? [])
    where !known.contains(name) && !known.isEmpty {
      note(
        "notify: unknown \(noun) '\(name.clipped)'" + NearestWord.hint(name.clipped, among: known),
        given)
    }
  }

  private mutating func storage(_ value: CheckedValue?, _ hub: String) -> HubSettings.Storage {
    var storage = group(HubFileShape.storage, value)
    storage.file = output("queue", "file", value, "\(hub).sqlite")
    return storage
  }

  private mutating func web(_ value: CheckedValue?) -> HubSettings.Web {
    var web = group(HubFileShape.web, value)
    web.tokenFile = output("page", "token_file", value, web.tokenFile)
    guard let listen = value?["listen"]?.text else { return web }
    var (host, port) = (listen, -1)
    if let colon = listen.lastIndex(of: ":") {
      host = String(listen[..<colon])
      port = Int(listen[listen.index(after: colon)...]) ?? -1
    }
    let shown = listen.contains(":") ? host : listen
    if !HubAddresses.isLoopback(shown), !shown.isEmpty {
      note(
        "page: 'listen' must be a loopback address (127.0.0.1, [::1] or localhost), not '\(shown)'; for remote access use 'ssh -L "
          + "8090:127.0.0.1:8090 MACHINE', or a TLS proxy on this machine whose name is listed in 'hosts'",
        value?["listen"])
    } else if host.isEmpty || !(0...65535).contains(port) {
      note("page: 'listen' must be HOST:PORT, such as 127.0.0.1:8090", value?["listen"])
    }
    (web.host, web.port) = (host, port)
    return web
  }
}

/// Checks the addresses in a hub file: radio transports, collectors, topics and listening
/// addresses.
///
/// The hub does not check the addresses again when it starts.
enum HubAddresses {
  /// The transports of Bumble 0.0.236, with `true` for those that need an argument after the colon.
  private static let transports = [
    "serial": true, "udp": true, "tcp-client": true, "tcp-server": true, "ws-client": true,
    "ws-server": true, "pty": false, "file": true, "vhci": false, "hci-socket": false, "usb": true,
    "pyusb": true, "android-emulator": false, "android-netsim": false, "unix": true,
    "unix-client": true, "unix-server": true,
  ]

  /// Returns the error in a Bumble transport name such as `usb:0`; `nil` if the name is valid.
  static func mistake(ofTransport text: String) -> String? {
    let name = String(text.prefix { $0 != ":" })
    let known = transports.keys.inOrder()
    guard let needsMore = transports[name] else {
      return "unknown transport '\(name.clipped)'" + NearestWord.hint(name.clipped, among: known)
        + " (accepted: \(known.joined(separator: ", ")))"
    }
    guard needsMore, text.utf8.count < name.utf8.count + 2 else { return nil }
    return
      "transport '\(name)' needs an argument, such as \(name == "usb" ? "usb:0" : "\(name):...")"
  }

  /// Returns `true` if a text is an HTTP URL (RFC 9110, section 4.2): `http://` or `https://`, a
  /// host, and optionally a valid port.
  static func isHTTP(_ text: String) -> Bool {
    guard let begin = text.firstRange(of: "://"),
      ["http", "https"].contains(text[..<begin.lowerBound].lowercased()),
      text.utf8.allSatisfy({ $0 > 32 && $0 != 127 })
    else { return false }
    let authority = text[begin.upperBound...].prefix { !"/?#".contains($0) }
    var host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let isLiteral = host.hasPrefix("[")
    if let colon = host.lastIndex(of: ":"), !isLiteral || host[..<colon].hasSuffix("]") {
      let port = host[host.index(after: colon)...]
      guard let number = Int(port), (1...65535).contains(number), port.utf8.first != 43 else {
        return false
      }
      host = host[..<colon]
    }
    if isLiteral { return host.hasSuffix("]") && host.utf8.count > 4 }
    return !host.isEmpty && !host.contains { ":[]\\<>\"^`{|}%".contains($0) }
  }

  /// Returns `true` if a text is a valid topic prefix (MQTT 3.1.1, sections 1.5.3 and 4.7.1, and
  /// mosquitto's limits).
  static func isTopic(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && text.visible == text
      && !text.contains { "+#".contains($0) } && !text.hasPrefix("$")
  }

  /// Returns `true` if a host is a loopback address (RFC 1122, section 3.2.1.3; RFC 4291, section
  /// 2.5.3).
  static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && parts.allSatisfy { $0 != nil }
  }
}
