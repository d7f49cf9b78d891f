import Files
import Findings
import Quantities
import Schema
import Warehouse

/// Makes settings of a file that has the right shape, and notes what its shape cannot say.
struct HubFileReader {
  let file: String
  private(set) var mistakes: [Mistake] = []

  init(file: String) { self.file = file }

  private static let second: Int64 = 1_000_000_000

  mutating func settings(_ value: CheckedValue) -> HubSettings {
    let hub = value["hub"]?.text ?? ""
    checkName(hub, value["hub"])
    let tags = value["tags"]?.list ?? []
    var reader = PolicyReader()
    var policy = WarehousePolicy(
      hub: hub, zones: (value["zones"]?.list ?? []).map { reader.zone($0) },
      tags: tags.map { tag($0, &reader) }, duty: reader.duty(value["duty"]))
    reader.tags = tags
    let link = value["link"].map { radio($0, &reader) }
    for wrong in reader.notes { note(wrong.message, wrong.value) }
    for wrong in policy.mistakes { note(wrong.message, reader.value(of: wrong.place) ?? value) }
    if let link {
      // Those who take turns are heard once a round, and a period later.
      let round = link.rota(of: tags.count).round
      for place in policy.tags.indices where round > 0 { policy.tags[place].period += round }
    }
    return HubSettings(
      policy: policy, places: places(tags), link: link,
      broker: value["mqtt"].map { broker($0) }, post: value["http"].map { post($0) },
      storage: storage(value["queue"], hub), web: web(value["page"]),
      commands: HubSettings.Commands(
        allowed: value["commands"]?["allowed"]?.list.compactMap(\.text) ?? ["acknowledge"],
        people: value["commands"]?["people"]?.list.compactMap(\.text) ?? []))
  }

  private mutating func note(_ message: String, _ value: CheckedValue?) {
    let position = value?.position ?? Position(line: 1, column: 1)
    mistakes.append(Mistake(file: file, position: position, message: message))
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
        note("at: a place has two lengths, to the right and down: [2m, 3.5m]", at)
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
    return HubSettings.Link(
      transport: value["transport"]?.text ?? "",
      connections: value["connections"]?.integer ?? 7, stay: stay, period: period,
      times: reader.listening(value))
  }

  private func path(_ value: CheckedValue?) -> String? {
    value?.text.map { TextFile.resolve($0, beside: file) }
  }

  private mutating func broker(_ value: CheckedValue) -> HubSettings.Broker {
    let authority = path(value["ca"])
    if authority == nil, let other = value["certificate"] ?? value["key"] {
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
      if let topic = value[name]?.text,
        topic.isEmpty || topic.contains(where: { "+#".contains($0) })
      {
        note("mqtt: '\(name)' is a topic, such as site/aneroid, without + and #", value[name])
      }
    }
    return HubSettings.Broker(
      host: value["host"]?.text ?? "",
      port: value["port"]?.integer ?? (authority == nil ? 1883 : 8883), user: value["user"]?.text,
      passwordFile: path(value["password_file"]), authority: authority,
      certificate: path(value["certificate"]), key: path(value["key"]),
      prefix: value["prefix"]?.text ?? "aneroid",
      discovery: discovery == "none" ? nil : discovery,
      isConfirmedByReceiver: value["confirm"]?.text == "receiver", keepAlive: keepAlive)
  }

  private mutating func post(_ value: CheckedValue) -> HubSettings.Post {
    let every = (value["every"]?.nanoseconds).map { Int($0 / Self.second) } ?? 60
    if every < 1 { note("http: 'every' is 1s or more", value["every"]) }
    let address = value["address"]?.text ?? ""
    if !["http://", "https://"].contains(where: { address.lowercased().hasPrefix($0) }) {
      note("http: 'address' begins with https:// or http://", value["address"])
    }
    return HubSettings.Post(
      address: address, authorizationFile: path(value["authorization_file"]),
      every: every, batch: value["batch"]?.integer ?? 500)
  }

  private func storage(_ value: CheckedValue?, _ hub: String) -> HubSettings.Storage {
    func seconds(_ name: String, _ usual: Int) -> Int {
      (value?[name]?.nanoseconds).map { Int($0 / Self.second) } ?? usual
    }
    return HubSettings.Storage(
      file: path(value?["file"]) ?? TextFile.resolve("\(hub).sqlite", beside: file),
      records: value?["records"]?.integer ?? 1_000_000, age: seconds("age", 30 * 86400),
      history: seconds("history", 400 * 86400))
  }

  /// Whether a host is this machine, seen from nowhere else (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  private static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && parts.allSatisfy { $0 != nil }
  }

  private mutating func web(_ value: CheckedValue?) -> HubSettings.Web {
    let listen = value?["listen"]?.text ?? "127.0.0.1:8090"
    var (host, port) = (listen, -1)
    if let colon = listen.lastIndex(of: ":") {
      host = String(listen[..<colon])
      port = Int(listen[listen.index(after: colon)...]) ?? -1
    }
    let shown = listen.contains(":") ? host : listen
    if !Self.isLoopback(shown), !shown.isEmpty {
      note(
        "page: 'listen' is loopback alone, 127.0.0.1, [::1] or localhost, not '\(shown)'; others come by 'ssh -L "
          + "8090:127.0.0.1:8090 MACHINE', or by a proxy with TLS on this machine, whose name stands in 'hosts'",
        value?["listen"])
    } else if host.isEmpty || !(0...65535).contains(port) {
      note("page: 'listen' is HOST:PORT, such as 127.0.0.1:8090", value?["listen"])
    }
    return HubSettings.Web(
      host: host, port: port, hosts: value?["hosts"]?.list.compactMap(\.text) ?? [],
      tokenFile: path(value?["token_file"]) ?? TextFile.resolve("hub.token", beside: file))
  }
}
