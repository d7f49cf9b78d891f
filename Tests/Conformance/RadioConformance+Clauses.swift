import BluetoothLE

extension RadioConformance {
  /// Performs the whole session.
  func run() {
    guard case .success(.services(let served)) = outcome(.serve(Self.services), peripheral: true)
    else { return check(false, "services are served") }
    check(
      served.characteristic(Self.long(0xAA22))?.handle ?? 0 > 0,
      "served characteristics have handles")
    advertisements()
    let missing = outcome(.connect(BLEAddress(0xC0DE_0000_0001), timeOut: 500_000_000))
    check(missing == .failure(.timeOut), "a connection to a missing peer times out", missing as Any)
    guard let (link, other) = connect("connection") else { return }
    messages(of: link, other)
    guard case .success(.services(let found)) = outcome(.discover(link)) else {
      return check(false, "service discovery")
    }
    discovered(found)
    reads(found, link)
    writes(found, link)
    notifications(found, link, other)
    ends(found, link, other)
  }

  private func advertisements() {
    let tooLong = BLEAdvertising(data: [UInt8](repeating: 0, count: 32))
    let rejected = outcome(.advertise(tooLong), peripheral: true)
    check(
      rejected == .failure(.valueTooLong), "advertising data of 32 bytes are rejected",
      rejected as Any)
    check(
      outcome(.advertise(Self.advertising), peripheral: true) == .success(.nothing), "advertising")
    for isActive in [false, true] {
      centralEvents = []
      check(outcome(.scan(isActive: isActive)) == .success(.nothing), "scan")
      wait { advertisement(isScanResponse: false) != nil }
      wait(isActive ? nil : 1_000_000_000) { advertisement(isScanResponse: true) != nil }
      let first = advertisement(isScanResponse: false)
      check(first?.data == Self.advertising.data, "advertisement", first as Any)
      check(first?.isConnectable == true, "the advertisement is connectable", first as Any)
      check((first?.rssi ?? 1) < 21, "the advertisement has an RSSI", first as Any)
      let response = advertisement(isScanResponse: true)
      check(
        response?.data == (isActive ? Self.advertising.scanResponse : nil),
        "a scan response follows an active scan only", response as Any)
      check(outcome(.stopScanning) == .success(.nothing), "end of the scan")
    }
  }

  private func advertisement(isScanResponse: Bool) -> BLEAdvertisement? {
    for case .advertisement(let advertisement) in centralEvents
    where advertisement.address == peripheral.address
      && advertisement.isScanResponse == isScanResponse
    { return advertisement }
    return nil
  }

  /// Connects; returns the connection as identified by each side.
  private func connect(_ title: String) -> (BLEConnection, BLEConnection)? {
    peripheralEvents = []
    let found = outcome(.connect(peripheral.address, timeOut: timeOut))
    guard case .success(.connected(let link)) = found else {
      check(false, title, found as Any)
      return nil
    }
    check(link.peer == peripheral.address, "\(title): the address of the peer", link.peer)
    var other: BLELink?
    wait {
      for case .connected(let link) in peripheralEvents { other = link }
      return other != nil
    }
    check(
      other?.peer == central.address, "\(title): the address of the central at the peripheral",
      other as Any)
    return other.map { (link.connection, $0.connection) }
  }

  private func messages(of link: BLEConnection, _ other: BLEConnection) {
    let long = outcome(.write([UInt8](repeating: 0, count: 21), link, handle: 1))
    check(
      long == .failure(.valueTooLong), "a write of 21 bytes is rejected before the MTU exchange",
      long as Any)
    guard case .success(.mtu(let mtu)) = outcome(.exchangeMTU(link, 64)) else {
      return check(false, "MTU exchange")
    }
    check(mtu == 64, "MTU exchange", mtu)
    check(
      wait { peripheralEvents.contains(.mtuChanged(other, 64)) },
      "the peripheral is notified of the MTU", peripheralEvents)
    switch outcome(.readRSSI(link)) {
    // A virtual controller has no RSSI and must return an error.
    case .success(.rssi), .failure(.other): break
    case let rssi: check(false, "an RSSI, or an error", rssi as Any)
    }
  }

  private func discovered(_ found: [GATTService]) {
    for service in Self.services {
      guard let other = found.first(where: { $0.uuid == service.uuid }) else {
        check(false, "service \(service.uuid) is discovered", found.map(\.uuid))
        continue
      }
      let pairs = (service.characteristics.map(\.uuid), other.characteristics.map(\.uuid))
      check(pairs.0 == pairs.1, "characteristics of \(service.uuid)", pairs.1)
      for (one, two) in zip(service.characteristics, other.characteristics) {
        check(one.properties == two.properties, "properties of \(one.uuid)", two.properties)
        check(two.value == nil, "discovery does not return values", two)
      }
    }
  }

  private func handle(_ uuid: BLEUUID, _ found: [GATTService]) -> UInt16 {
    found.characteristic(uuid)?.handle ?? 0
  }

  private func reads(_ found: [GATTService], _ link: BLEConnection) {
    func read(_ handle: UInt16) -> Result<BLEResult, BLEError>? {
      outcome(.read(link, handle: handle))
    }
    let model = read(handle(BLEUUID(0x2A24), found))
    check(model == .success(.value([0x43, 0x43])), "a constant value", model as Any)
    let data = handle(Self.long(0xAA21), found)
    let short = read(data)
    check(short == .success(.value([1, 2, 3])), "a value requested from the server", short as Any)
    let long = read(handle(Self.long(0xAA22), found))
    check(
      long == .success(.value([UInt8](0..<100))), "a value longer than one message", long as Any)
    values[1] = []
    check(read(data) == .success(.value([])), "an empty value")
    values[1] = nil
    check(read(data) == .failure(.refused(code: 0x80)), "a read rejected by the server")
    check(read(0x0FFF) == .failure(.refused(code: 0x01)), "an invalid handle")
    let unreadable = read(handle(Self.long(0xAA23), found))
    check(
      unreadable == .failure(.refused(code: 0x02)), "a read without permission", unreadable as Any)
  }

  private func writes(_ found: [GATTService], _ link: BLEConnection) {
    func write(
      _ value: [UInt8], _ number: UInt64, needsResponse: Bool = true
    ) -> Result<BLEResult, BLEError>? {
      let handle = handle(Self.long(number), found)
      return outcome(.write(value, link, handle: handle, needsResponse: needsResponse))
    }
    check(write([9, 8], 0xAA22) == .success(.nothing), "a write with response")
    check(values[2] == [9, 8], "the written value at the server", values[2] as Any)
    let rejected = write([1, 2, 3, 4, 5], 0xAA22)
    check(
      rejected == .failure(.refused(code: 0x0D)), "a write rejected by the server", rejected as Any)
    let denied = write([1], 0xAA21)
    check(denied == .failure(.refused(code: 0x03)), "a write without permission", denied as Any)
    check(
      write([5, 5], 0xAA23, needsResponse: false) == .success(.nothing), "a write without response")
    check(
      wait { values[3] == [5, 5] }, "the value of a write without response at the server",
      values[3] as Any)
  }

  private func notifications(
    _ found: [GATTService], _ link: BLEConnection, _ other: BLEConnection
  ) {
    let handle = handle(Self.long(0xAA21), found)
    for kind in [BLESubscription.notifications, .indications] {
      check(
        outcome(.subscribe(link, handle: handle, kind)) == .success(.nothing),
        "subscribing to \(kind)")
      check(
        wait { peripheralEvents.contains(.subscribed(other, characteristic: 1, kind)) },
        "the peripheral is notified of the subscription to \(kind)", peripheralEvents)
      peripheral.send(.notify([7, UInt8(kind.rawValue)], characteristic: 1))
      let expected = BLEEvent.Kind.notified(
        [7, UInt8(kind.rawValue)], link, handle: handle, isIndication: kind == .indications)
      check(wait { centralEvents.contains(expected) }, "\(kind)", centralEvents)
    }
    check(outcome(.subscribe(link, handle: handle, .off)) == .success(.nothing), "unsubscribing")
    centralEvents = []
    peripheral.send(.notify([0], characteristic: 1))
    let isQuiet = !wait(500_000_000) { centralEvents.contains { $0.isNotified } }
    check(isQuiet, "no notification without a subscription", centralEvents)
    let static0 = found.characteristic(BLEUUID(0x2A24))?.handle ?? 0
    if case .failure = outcome(.subscribe(link, handle: static0)) {
    } else {
      check(false, "a characteristic without notifications rejects a subscription")
    }
  }

  private func ends(
    _ found: [GATTService], _ link: BLEConnection, _ other: BLEConnection
  ) {
    check(outcome(.disconnect(link)) == .success(.nothing), "disconnection by the central")
    check(
      wait { peripheralEvents.contains(.disconnected(other, reason: 0x13)) },
      "the peripheral is notified of the disconnection", peripheralEvents
    )
    let late = outcome(.read(link, handle: 3))
    check(late == .failure(.disconnected), "a read after the disconnection fails", late as Any)
    let again = outcome(.advertise(Self.advertising), peripheral: true)
    check(again == .success(.nothing), "advertising again", again as Any)
    guard let (second, its) = connect("second connection") else { return }
    check(second != link, "the second connection has a new number", second)
    let data = handle(Self.long(0xAA21), found)
    let known = outcome(.subscribe(second, handle: data, .notifications))
    check(
      known == .success(.nothing), "discovered handles are valid in the next connection",
      known as Any)
    let read = requestWithoutResponse(found, second)
    check(
      outcome(.disconnect(its), peripheral: true) == .success(.nothing),
      "disconnection by the peripheral")
    check(
      wait { centralEvents.contains(.disconnected(second, reason: 0x13)) },
      "the central is notified of the disconnection", centralEvents
    )
    check(
      wait { centralEvents.contains(.failed(command: read, .disconnected)) },
      "a pending request fails when the connection ends", centralEvents)
  }

  /// Requests a value without a response; returns the number of the command.
  private func requestWithoutResponse(_ found: [GATTService], _ link: BLEConnection) -> Int {
    isMute = true
    peripheralEvents = []
    let read = central.send(.read(link, handle: handle(Self.long(0xAA21), found)))
    let isRequested = wait { peripheralEvents.contains { $0.isReadRequest } }
    check(isRequested, "the read request at the peripheral", peripheralEvents)
    return read
  }
}

extension BLEEvent.Kind {
  fileprivate var isNotified: Bool {
    if case .notified = self { true } else { false }
  }
  fileprivate var isReadRequest: Bool {
    if case .readRequested = self { true } else { false }
  }
}
