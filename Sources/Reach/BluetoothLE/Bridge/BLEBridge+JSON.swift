import Support

extension BLECommand {
  /// The name of the command and the fields of the JSON line that sends it to the bridge.
  var line: (word: String, fields: [(key: String, value: JSONValue)]) {
    switch self {
    case .scan(let isActive): return ("scan", [("active", .bool(isActive))])
    case .stopScanning: return ("stop-scan", [])
    case .connect(let peer, let timeOut):
      return ("connect", [("address", .string("\(peer)")), ("timeout", .seconds(timeOut))])
    case .exchangeMTU(let link, let mtu): return ("mtu", [link.field, ("mtu", .integer(mtu))])
    case .discover(let link): return ("discover", [link.field])
    case .read(let link, let handle): return ("read", [link.field, ("handle", .integer(handle))])
    case .write(let value, let link, let handle, let needsResponse):
      return (
        "write",
        [
          link.field, ("handle", .integer(handle)), ("value", .bytes(value)),
          ("response", .bool(needsResponse)),
        ]
      )
    case .subscribe(let link, let handle, let kind):
      return (
        "subscribe",
        [link.field, ("handle", .integer(handle)), ("kind", .integer(kind.rawValue))]
      )
    case .readRSSI(let link): return ("rssi", [link.field])
    case .serve(let services): return ("serve", [("services", .array(services.map(\.json)))])
    case .advertise(let settings):
      return (
        "advertise",
        [
          ("data", .bytes(settings.data)), ("response", .bytes(settings.scanResponse)),
          ("interval", .integer(settings.interval)),
        ]
      )
    case .stopAdvertising: return ("stop-advertising", [])
    case .notify(let value, let characteristic, let link):
      return (
        "notify",
        [("value", .bytes(value)), ("characteristic", .integer(characteristic))]
          + (link.map { [$0.field] } ?? [])
      )
    case .respond(let request, .value(let value)):
      return ("respond", [("request", .integer(request)), ("value", .bytes(value))])
    case .respond(let request, .error(let code)):
      return ("respond", [("request", .integer(request)), ("code", .integer(code))])
    case .disconnect(let link): return ("disconnect", [link.field])
    }
  }
}

extension BLEConnection {
  fileprivate var field: (key: String, value: JSONValue) { ("connection", .integer(rawValue)) }
}

extension JSONValue {
  /// Encodes bytes as hexadecimal digits.
  fileprivate static func bytes(_ bytes: [UInt8]) -> JSONValue {
    .string(bytes.map(Hexadecimal.digits).joined())
  }
}

extension GATTService {
  fileprivate var json: JSONValue {
    .object([
      ("uuid", .string("\(uuid)")),
      (
        "characteristics",
        .array(
          characteristics.map { one in
            var fields: [(key: String, value: JSONValue)] = [
              ("uuid", .string("\(one.uuid)")), ("properties", .integer(one.properties.rawValue)),
            ]
            if let value = one.value { fields.append(("value", .bytes(value))) }
            if let name = one.name { fields.append(("name", .string(name))) }
            return .object(fields)
          })
      ),
    ])
  }
}

extension BLEEvent.Kind {
  /// Decodes an event of a radio; `nil` for other lines.
  init?(_ line: JSONValue) {
    func number(_ key: String) -> Int? { line[key]?.whole() }
    let link = number("connection").map(BLEConnection.init(rawValue:))
    let index = number("characteristic")
    switch line["event"]?.text {
    case "done": self = .done(command: number("id") ?? 0, BLEResult(line))
    case "failed": self = .failed(command: number("id") ?? 0, BLEError(line))
    case "advertisement":
      guard let address = line["address"]?.text.flatMap(BLEAddress.init) else { return nil }
      self = .advertisement(
        BLEAdvertisement(
          from: address, rssi: number("rssi") ?? 0,
          isConnectable: line["connectable"]?.boolean ?? false,
          isScanResponse: line["response"]?.boolean ?? false, data: line["data"]?.bytes ?? []))
    case "connected":
      guard let link = BLELink(line) else { return nil }
      self = .connected(link)
    case "disconnected":
      guard let link else { return nil }
      self = .disconnected(link, reason: line["reason"]?.whole(UInt8.self) ?? 0)
    case "mtu":
      guard let link, let mtu = number("mtu") else { return nil }
      self = .mtuChanged(link, mtu)
    case "notified":
      guard let link, let handle = line["handle"]?.whole(UInt16.self) else { return nil }
      self = .notified(
        line["value"]?.bytes ?? [], link, handle: handle,
        isIndication: line["indication"]?.boolean ?? false)
    case "read":
      guard let link, let index, let request = number("request") else { return nil }
      self = .readRequested(request: request, link, characteristic: index)
    case "write":
      guard let link, let index else { return nil }
      self = .writeRequested(
        line["value"]?.bytes ?? [], request: number("request"), link, characteristic: index)
    case "subscribed":
      guard let link, let index else { return nil }
      let kind = line["kind"]?.whole(UInt16.self).flatMap(BLESubscription.init) ?? .off
      self = .subscribed(link, characteristic: index, kind)
    default: return nil
    }
  }
}

extension BLEResult {
  fileprivate init(_ line: JSONValue) {
    if let services = line["services"]?.array {
      self = .services(services.compactMap { GATTService($0) })
    } else if let value = line["value"]?.bytes {
      self = .value(value)
    } else if let mtu = line["mtu"]?.whole(Int.self) {
      self = .mtu(mtu)
    } else if let rssi = line["rssi"]?.whole(Int.self) {
      self = .rssi(rssi)
    } else if let link = BLELink(line) {
      self = .connected(link)
    } else {
      self = .nothing
    }
  }
}

extension BLEError {
  fileprivate init(_ line: JSONValue) {
    switch line["error"]?.text {
    case "timeout": self = .timeOut
    case "disconnected": self = .disconnected
    case "too-many": self = .tooManyConnections
    case "too-long": self = .valueTooLong
    case "nothing": self = .noSuchThing
    case "refused": self = .refused(code: line["code"]?.whole(UInt8.self) ?? 0)
    default: self = .other(line["what"]?.text ?? "no reason reported")
    }
  }
}

extension BLELink {
  fileprivate init?(_ line: JSONValue) {
    guard let number = line["connection"]?.whole(Int.self),
      let peer = line["peer"]?.text.flatMap(BLEAddress.init)
    else { return nil }
    self.init(
      BLEConnection(rawValue: number), peer: peer,
      interval: line["interval"]?.whole(UInt64.self) ?? 0)
  }
}

extension GATTService {
  fileprivate init?(_ json: JSONValue) {
    guard let uuid = json["uuid"]?.text.flatMap({ BLEUUID($0) }) else { return nil }
    self.init(
      uuid, handle: json["handle"]?.whole(UInt16.self) ?? 0,
      (json["characteristics"]?.array ?? []).compactMap { one -> GATTCharacteristic? in
        guard let uuid = one["uuid"]?.text.flatMap({ BLEUUID($0) }) else { return nil }
        return GATTCharacteristic(
          uuid, .init(rawValue: one["properties"]?.whole(UInt8.self) ?? 0),
          value: one["value"]?.bytes,
          name: one["name"]?.text, handle: one["handle"]?.whole(UInt16.self) ?? 0)
      })
  }
}

extension JSONValue {
  /// Decodes hexadecimal digits; `nil` for anything else.
  fileprivate var bytes: [UInt8]? {
    guard let text, text.utf8.count % 2 == 0,
      text.utf8.allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    return Hexadecimal.bytes(text)
  }
}
