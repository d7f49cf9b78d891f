import Text

extension BLECommand {
  /// The command's word on the bridge, and its fields.
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
  /// Bytes as pairs of digits.
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
