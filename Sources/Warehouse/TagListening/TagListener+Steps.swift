import BluetoothLE
import Warehouse

/// What a tag is asked, one question after the other, each with its answer or its failure.
extension TagListener {
  /// A connection begins: what it is, then its sensors.
  func settle(_ place: Int) {
    // What was found on the connection before still holds, unless that one failed.
    if tags[place].contact.failures > 0 { (tags[place].services, tags[place].model) = ([], nil) }
    tags[place].signal = radio.nanoseconds + plan.signal
    tags[place].steps =
      tags[place].services.isEmpty
      ? [.discover, .firmware, .model, .identify] : [.identify]
    proceed(place)
  }

  /// Asks the next question, where none is under way.
  func proceed(_ place: Int) {
    guard [.settling, .listening].contains(tags[place].contact.phase) else { return }
    while tags[place].current == nil, !tags[place].steps.isEmpty,
      let connection = tags[place].connection
    {
      let step = tags[place].steps.removeFirst()
      if step == .identify {
        guard identify(place) else { return fail(place, .unknownKind) }
        continue
      }
      guard let command = command(step, of: place, on: connection) else { continue }
      tags[place].deadline = radio.nanoseconds + plan.answer
      send(command, step, of: place)
    }
    if tags[place].current == nil {
      tags[place].deadline = .max
      if tags[place].contact.phase == .settling, !tags[place].sensors.isEmpty {
        tags[place].contact.phase = .listening
        tell(
          .listening(
            tag: tags[place].contact.address, kind: tags[place].contact.kind ?? ""))
      }
    }
    replan(place)
  }

  /// The command of a step; `nil` where the tag has nothing of the kind.
  private func command(
    _ step: HeardTag.Step, of place: Int, on connection: BLEConnection
  ) -> BLECommand? {
    let tag = tags[place]
    func read(_ short: UInt16) -> BLECommand? {
      tag.services.characteristic(BLEUUID(short)).map { .read(connection, handle: $0.handle) }
    }
    switch step {
    case .connect, .identify: return nil
    case .discover: return .discover(connection)
    case .model: return read(0x2A24)
    case .firmware: return read(0x2A26)
    case .battery: return read(0x2A19)
    case .watchBattery: return tag.battery.map { .subscribe(connection, handle: $0) }
    case .signal: return .readRSSI(connection)
    case .subscribe(let index): return .subscribe(connection, handle: tag.sensors[index].data)
    case .period(let index):
      let steps = min(max((tag.period + 5_000_000) / 10_000_000, 30), 255)
      return tag.sensors[index].period.map {
        .write([UInt8(steps)], connection, handle: $0)
      }
    case .configure(let index):
      return .write([1], connection, handle: tag.sensors[index].configuration)
    case .confirm(let index):
      return .read(connection, handle: tag.sensors[index].configuration)
    case .rest(let index):
      return .write([0], connection, handle: tag.sensors[index].configuration)
    }
  }

  /// Tells the kind, and plans what switches its sensors on.
  private func identify(_ place: Int) -> Bool {
    let services = tags[place].services
    let own = services.compactMap { TagIdentifier.short(of: $0.uuid) }
    guard let kind = TagCatalogue.kind(modelNumber: tags[place].model, services: own) else {
      return false
    }
    tags[place].kind = kind
    tags[place].contact.kind = kind.name
    let now = radio.nanoseconds
    tags[place].sensors = (plan.onlyHumidity ? [kind.humidity] : kind.channels).compactMap {
      channel in
      let service = TagIdentifier.of(channel.service)
      func handle(_ short: UInt16) -> UInt16? {
        services.characteristic(TagIdentifier.of(short), of: service)?.handle
      }
      guard let data = handle(channel.data), let configuration = handle(channel.configuration)
      else { return nil }
      return HeardTag.Sensor(
        channel: channel, data: data, configuration: configuration, period: handle(channel.period),
        due: .max, next: now)
    }
    tags[place].battery = services.characteristic(BLEUUID(0x2A19)).flatMap {
      $0.canBeSubscribed ? $0.handle : nil
    }
    tags[place].steps += [.signal, .battery, .watchBattery]
    for index in tags[place].sensors.indices { tags[place].steps += setting(index, of: place) }
    return !tags[place].sensors.isEmpty
  }

  /// What switches a sensor on for good, or for one measurement.
  func setting(_ index: Int, of place: Int) -> [HeardTag.Step] {
    tags[place].rests
      ? [.subscribe(index), .configure(index)]
      : [.subscribe(index), .period(index), .configure(index), .confirm(index)]
  }

  // MARK: Answers

  func done(_ command: Int, _ result: BLEResult) {
    guard let (place, step) = commands.removeValue(forKey: command) else { return }
    if step == .connect {
      if case .connected(let link) = result { connected(link, place) }
      return
    }
    guard tags[place].current?.command == command else { return }
    tags[place].current = nil
    switch (step, result) {
    case (.discover, .services(let services)): tags[place].services = services
    case (.model, .value(let bytes)): tags[place].model = Self.text(bytes)
    case (.firmware, .value(let bytes)): tags[place].contact.firmware = Self.text(bytes)
    case (.battery, .value(let bytes)): setBattery(bytes, place)
    case (.signal, .rssi(let rssi)): tags[place].contact.rssi = rssi
    case (.configure(let index), _): switchedOn(index, place)
    case (.confirm(let index), .value(let bytes)): confirmed(bytes, index, place)
    default: break
    }
    proceed(place)
  }

  func failed(_ command: Int, _ error: BLEError) {
    guard let (place, step) = commands.removeValue(forKey: command) else { return }
    if step == .connect { return notConnected(place, error) }
    guard tags[place].current?.command == command else { return }
    tags[place].current = nil
    // The event that ends the connection follows; where it does not, the connection is ended.
    if error == .disconnected {
      tags[place].deadline = min(tags[place].deadline, radio.nanoseconds + ListeningPlan.leaving)
      return replan(place)
    }
    switch step {
    case .model, .firmware, .battery, .watchBattery, .signal, .period, .rest, .confirm:
      // It can be listened to without, unless nothing answers at all.
      if error == .timeOut { giveUp(place, step) } else { proceed(place) }
    default: giveUp(place, step)
    }
  }

  /// Its connection is of no use: what was found on it may be wrong.
  private func giveUp(_ place: Int, _ step: HeardTag.Step) {
    tags[place].services = []
    fail(place, .mute(step.title))
  }

  func setBattery(_ bytes: [UInt8], _ place: Int) {
    if bytes.count == 1, bytes[0] <= 100 { tags[place].contact.battery = Int(bytes[0]) }
  }

  /// A text as tags give it: up to its first zero, at most 40 bytes, without what cannot be shown.
  private static func text(_ bytes: [UInt8]) -> String? {
    let bytes = bytes.prefix { $0 != 0 }.prefix(40).filter { (32...126).contains($0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
