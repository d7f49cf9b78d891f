import Files
import Glibc
import Quantities
import Schema
import Text
import Warehouse

/// Makes settings of a file, and notes what its shape cannot say.
///
/// The shape has been checked, but need not be right: of what is not there, or not as it should be, only that is told.
struct HubFileReader {
  let file: String
  /// What is wrong with the shape, and with all else.
  private(set) var checker: Checker
  private let search: HubSettings.Search
  /// How many mistakes are files that the hub needs and cannot read.
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
      tags: tags.map { tag($0, &reader) }, duty: reader.duty(value["duty"]))
    policy.fastest = reader.fastest(value["fastest"], usually: policy.fastest)
    reader.tags = tags
    let link = value["link"].map { radio($0, &reader) }
    for wrong in reader.notes { note(wrong.message, wrong.value) }
    for wrong in policy.mistakes where isCertain(wrong.place, value) {
      note(wrong.message, reader.value(of: wrong.place) ?? value)
    }
    if let link {
      // Those who take turns are heard once a round, and a period later.
      let round = link.rota(of: tags.count).round
      for place in policy.tags.indices where round > 0 { policy.tags[place].period += round }
    }
    return HubSettings(
      policy: policy, places: places(tags), link: link,
      broker: value["mqtt"].map { broker($0) }, post: value["http"].map { post($0) },
      storage: storage(value["queue"], hub), web: web(value["page"]), commands: commands(value))
  }

  private mutating func note(_ message: String, _ value: CheckedValue?) {
    checker.note(message, at: value?.position ?? Position(line: 1, column: 1))
  }

  /// Whether a mistake of the policy is one where names and addresses are missing, or written wrongly.
  private func isCertain(_ place: PolicyMistake.Place, _ value: CheckedValue) -> Bool {
    let zones = value["zones"]?.list ?? []
    func has(_ key: String, _ list: [CheckedValue], _ index: Int) -> Bool {
      list.indices.contains(index) && list[index][key]?.text != nil
    }
    let tags = value["tags"]?.list ?? []
    return switch place {
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
      note("commands: they come over a broker, and the file has none: 'mqtt' is missing", commands)
    }
    let people = commands?["people"]
    for name in PolicyReader.repeated(people?.list ?? []) {
      note("commands: '\((name.text ?? "").clipped)' is named twice in 'people'", name)
    }
    return HubSettings.Commands(
      allowed: commands?["allowed"]?.list.compactMap(\.text) ?? ["acknowledge"],
      people: people?.list.compactMap(\.text) ?? [])
  }

  /// A name becomes a level of a topic and the name of a file.
  private mutating func checkName(_ name: String, _ value: CheckedValue?) {
    let allowed = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 45 || byte == 95
    }
    if !allowed || name.utf8.count > 60 {
      note("hub: a hub's name has at most 60 letters, digits, - and _, such as north-2", value)
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

  private mutating func places(_ tags: [CheckedValue]) -> [String: HubSettings.Place] {
    var places: [String: HubSettings.Place] = [:]
    for tag in tags {
      guard let at = tag["at"], let address = tag["address"]?.text else { continue }
      // Lengths of rigs end at 10 m, for they are those of parts; a warehouse is longer.
      let numbers = at.list.compactMap { try? QuantityKind.altitude.parse($0.text ?? "") }
      guard numbers.count == 2, at.list.count == 2 else {
        if at.isSound { note("at: a place has two lengths, to the right and down: [2m, 3.5m]", at) }
        continue
      }
      places[address.uppercased()] = HubSettings.Place(x: numbers[0], y: numbers[1])
    }
    return places
  }

  private mutating func radio(
    _ value: CheckedValue, _ reader: inout PolicyReader
  ) -> HubSettings.Link {
    let period = value["period"]?.nanoseconds
    if let period, period < 300_000_000 {
      note("link: 'period' is 300ms or more: no tag measures more often", value["period"])
    }
    let stay = value["stay"]?.nanoseconds ?? 20 * Self.second
    if !(Self.second...86400 * Self.second).contains(stay) {
      note("link: 'stay' is 1s to 24h", value["stay"])
    }
    let transport = value["transport"]?.text ?? ""
    if let wrong = value["transport"], wrong.isSound,
      let mistake = HubAddresses.mistake(ofTransport: transport)
    {
      note("link: \(mistake)", wrong)
    }
    return HubSettings.Link(
      transport: transport,
      connections: value["connections"]?.integer ?? 7, stay: stay, period: period,
      times: reader.listening(value))
  }

  private func path(_ value: CheckedValue?) -> String? {
    value?.text.map { TextFile.resolve($0, beside: file) }
  }

  /// The path of a file that the hub reads.
  private mutating func input(_ section: String, _ key: String, _ value: CheckedValue) -> String? {
    guard let path = path(value[key]) else { return nil }
    if search != .nothing, access(path, R_OK) != 0 {
      missing += 1
      let reason = String(cString: strerror(errno))
      note("\(section): '\(key)' cannot be read: \(path): \(reason)", value[key])
    }
    return path
  }

  /// The path of a file that the hub makes, or its usual one.
  private mutating func output(
    _ section: String, _ key: String, _ value: CheckedValue?, _ usual: String
  ) -> String {
    guard let path = path(value?[key]) else { return TextFile.resolve(usual, beside: file) }
    let folder = FilePath.folder(of: path)
    if search == .all, !folder.isEmpty, access(folder, F_OK) != 0 {
      let reason = String(cString: strerror(errno))
      note(
        "\(section): '\(key)' lies in a folder that is none: \(folder): \(reason)", value?[key])
    }
    return path
  }

  private mutating func broker(_ value: CheckedValue) -> HubSettings.Broker {
    let authority = input("mqtt", "ca", value)
    if value["ca"] == nil, let other = value["certificate"] ?? value["key"] {
      note("mqtt: TLS needs 'ca', the certificates that may have signed the broker's", other)
    }
    if (value["certificate"] == nil) != (value["key"] == nil) {
      note("mqtt: 'certificate' and 'key' belong together", value)
    }
    let discovery = value["discovery"]?.text ?? "homeassistant"
    let keepAlive = (value["keep_alive"]?.nanoseconds).map { Int($0 / Self.second) } ?? 30
    if !(5...3600).contains(keepAlive) {
      note("mqtt: 'keep_alive' is 5s to 1h", value["keep_alive"])
    }
    for name in ["prefix", "discovery"] {
      if let topic = value[name]?.text, !HubAddresses.isTopic(topic) {
        note(
          "mqtt: '\(name)' is a topic, such as site/aneroid, without + and #, a $ at its begin and more than 200 bytes",
          value[name])
      }
    }
    return HubSettings.Broker(
      host: value["host"]?.text ?? "",
      port: value["port"]?.integer ?? (authority == nil ? 1883 : 8883), user: value["user"]?.text,
      passwordFile: input("mqtt", "password_file", value), authority: authority,
      certificate: input("mqtt", "certificate", value), key: input("mqtt", "key", value),
      prefix: value["prefix"]?.text ?? "aneroid",
      discovery: discovery == "none" ? nil : discovery,
      isConfirmedByReceiver: value["confirm"]?.text == "receiver", keepAlive: keepAlive)
  }

  private mutating func post(_ value: CheckedValue) -> HubSettings.Post {
    let every = (value["every"]?.nanoseconds).map { Int($0 / Self.second) } ?? 60
    if every < 1 { note("http: 'every' is 1s or more", value["every"]) }
    let address = value["address"]?.text
    if let address, !HubAddresses.isHTTP(address) {
      note(
        "http: 'address' begins with https:// or http:// and a host, such as https://collector.example/batches",
        value["address"])
    }
    return HubSettings.Post(
      address: address ?? "", authorizationFile: input("http", "authorization_file", value),
      every: every, batch: value["batch"]?.integer ?? 500)
  }

  private mutating func storage(_ value: CheckedValue?, _ hub: String) -> HubSettings.Storage {
    func seconds(_ name: String, _ usual: Int) -> Int {
      (value?[name]?.nanoseconds).map { Int($0 / Self.second) } ?? usual
    }
    return HubSettings.Storage(
      file: output("queue", "file", value, "\(hub).sqlite"),
      records: value?["records"]?.integer ?? 1_000_000, age: seconds("age", 30 * 86400),
      history: seconds("history", 400 * 86400))
  }

  private mutating func web(_ value: CheckedValue?) -> HubSettings.Web {
    let listen = value?["listen"]?.text ?? "127.0.0.1:8090"
    var (host, port) = (listen, -1)
    if let colon = listen.lastIndex(of: ":") {
      host = String(listen[..<colon])
      port = Int(listen[listen.index(after: colon)...]) ?? -1
    }
    let shown = listen.contains(":") ? host : listen
    if !HubAddresses.isLoopback(shown), !shown.isEmpty {
      note(
        "page: 'listen' is loopback alone, 127.0.0.1, [::1] or localhost, not '\(shown)'; others come by 'ssh -L "
          + "8090:127.0.0.1:8090 MACHINE', or by a proxy with TLS on this machine, whose name stands in 'hosts'",
        value?["listen"])
    } else if host.isEmpty || !(0...65535).contains(port) {
      note("page: 'listen' is HOST:PORT, such as 127.0.0.1:8090", value?["listen"])
    }
    return HubSettings.Web(
      host: host, port: port, hosts: value?["hosts"]?.list.compactMap(\.text) ?? [],
      tokenFile: output("page", "token_file", value, "hub.token"))
  }
}
