import BluetoothLE
import Warehouse

/// The sequence of requests to a tag, sent one at a time, and the handling of their results.
extension TagListener {
  /// Starts the requests of a new connection: identification first, then the sensors.
  func settle(_ tagIndex: Int) {
    // The services discovered on the previous connection are reused, unless that connection failed.
    if tags[tagIndex].contact.failures > 0 {
      (tags[tagIndex].services, tags[tagIndex].model) = ([], nil)
    }
    tags[tagIndex].signal = radio.nanoseconds + options.signal
    tags[tagIndex].steps =
      tags[tagIndex].services.isEmpty
      ? [.discover, .firmware, .model, .identify] : [.identify]
    proceed(tagIndex)
  }

  /// Sends the next request to a tag if no request is pending.
  func proceed(_ tagIndex: Int) {
    guard [.settling, .listening].contains(tags[tagIndex].contact.phase) else { return }
    while tags[tagIndex].current == nil, !tags[tagIndex].steps.isEmpty,
      let connection = tags[tagIndex].connection
    {
      let step = tags[tagIndex].steps.removeFirst()
      if step == .identify {
        guard identify(tagIndex) else { return fail(tagIndex, .unknownKind) }
        continue
      }
      guard let command = command(step, of: tagIndex, on: connection) else { continue }
      tags[tagIndex].deadline = radio.nanoseconds + options.responseTimeout
      send(command, step, of: tagIndex)
    }
    if tags[tagIndex].current == nil {
      tags[tagIndex].deadline = .max
      if tags[tagIndex].contact.phase == .settling, !tags[tagIndex].sensors.isEmpty {
        tags[tagIndex].contact.phase = .listening
        report(
          .listening(
            tag: tags[tagIndex].contact.address, kind: tags[tagIndex].contact.kind ?? ""))
      }
    }
    replan(tagIndex)
  }

  /// Returns the radio command for a step; `nil` if the tag does not have the characteristic.
  private func command(
    _ step: TagSession.Step, of tagIndex: Int, on connection: BLEConnection
  ) -> BLECommand? {
    let tag = tags[tagIndex]
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

  /// Identifies the kind of tag and queues the requests that enable its sensors.
  private func identify(_ tagIndex: Int) -> Bool {
    let services = tags[tagIndex].services
    let own = services.compactMap { TagIdentifier.short(of: $0.uuid) }
    guard let kind = TagCatalogue.kind(modelNumber: tags[tagIndex].model, services: own) else {
      return false
    }
    tags[tagIndex].kind = kind
    tags[tagIndex].contact.kind = kind.name
    let now = radio.nanoseconds
    tags[tagIndex].sensors = (options.onlyHumidity ? [kind.humidity] : kind.channels).compactMap {
      channel in
      let service = TagIdentifier.of(channel.service)
      func handle(_ short: UInt16) -> UInt16? {
        services.characteristic(TagIdentifier.of(short), of: service)?.handle
      }
      guard let data = handle(channel.data), let configuration = handle(channel.configuration)
      else { return nil }
      return TagSession.Sensor(
        channel: channel, data: data, configuration: configuration, period: handle(channel.period),
        due: .max, next: now)
    }
    tags[tagIndex].battery = services.characteristic(BLEUUID(0x2A19)).flatMap {
      $0.canBeSubscribed ? $0.handle : nil
    }
    tags[tagIndex].steps += [.signal, .battery, .watchBattery]
    for index in tags[tagIndex].sensors.indices {
      tags[tagIndex].steps += setting(index, of: tagIndex)
    }
    return !tags[tagIndex].sensors.isEmpty
  }

  /// Returns the requests that enable a sensor, permanently or for one measurement.
  func setting(_ index: Int, of tagIndex: Int) -> [TagSession.Step] {
    tags[tagIndex].rests
      ? [.subscribe(index), .configure(index)]
      : [.subscribe(index), .period(index), .configure(index), .confirm(index)]
  }

  // MARK: Results

  func done(_ command: Int, _ result: BLEResult) {
    guard let (tagIndex, step) = commands.removeValue(forKey: command) else { return }
    if step == .connect {
      if case .connected(let link) = result { connected(link, tagIndex) }
      return
    }
    guard tags[tagIndex].current?.command == command else { return }
    tags[tagIndex].current = nil
    switch (step, result) {
    case (.discover, .services(let services)): tags[tagIndex].services = services
    case (.model, .value(let bytes)): tags[tagIndex].model = Self.text(bytes)
    case (.firmware, .value(let bytes)): tags[tagIndex].contact.firmware = Self.text(bytes)
    case (.battery, .value(let bytes)): setBattery(bytes, tagIndex)
    case (.signal, .rssi(let rssi)): tags[tagIndex].contact.rssi = rssi
    case (.configure(let index), _): switchedOn(index, tagIndex)
    case (.confirm(let index), .value(let bytes)): confirmed(bytes, index, tagIndex)
    default: break
    }
    proceed(tagIndex)
  }

  func failed(_ command: Int, _ error: BLEError) {
    guard let (tagIndex, step) = commands.removeValue(forKey: command) else { return }
    if step == .connect { return notConnected(tagIndex, error) }
    guard tags[tagIndex].current?.command == command else { return }
    tags[tagIndex].current = nil
    // The disconnection event follows; if it does not, the listener disconnects after a timeout.
    if error == .disconnected {
      tags[tagIndex].deadline = min(
        tags[tagIndex].deadline, radio.nanoseconds + ListenerOptions.leaving)
      return replan(tagIndex)
    }
    switch step {
    case .model, .firmware, .battery, .watchBattery, .signal, .period, .rest, .confirm:
      // Only a timeout of these optional requests is a failure; otherwise the next step follows.
      if error == .timeOut { giveUp(tagIndex, step) } else { proceed(tagIndex) }
    default: giveUp(tagIndex, step)
    }
  }

  /// Closes an unusable connection and discards its discovered services.
  private func giveUp(_ tagIndex: Int, _ step: TagSession.Step) {
    tags[tagIndex].services = []
    fail(tagIndex, .mute(step.title))
  }

  func setBattery(_ bytes: [UInt8], _ tagIndex: Int) {
    if bytes.count == 1, bytes[0] <= 100 { tags[tagIndex].contact.battery = Int(bytes[0]) }
  }

  /// Returns the value of a text characteristic up to its first NUL, at most 40 bytes, without
  /// unprintable characters.
  private static func text(_ bytes: [UInt8]) -> String? {
    let bytes = bytes.prefix { $0 != 0 }.prefix(40).filter { (32...126).contains($0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
