import BluetoothLE

extension RadioConformance {
  /// The whole conversation.
  func run() {
    guard case .success(.services(let served)) = outcome(.serve(Self.services), peripheral: true)
    else { return check(false, "services are served") }
    check(served.characteristic(Self.long(0xAA22))?.handle ?? 0 > 0, "what is served has handles")
    advertisements()
    let nobody = outcome(.connect(BLEAddress(0xC0DE_0000_0001), timeOut: 500_000_000))
    check(nobody == .failure(.timeOut), "nobody cannot be connected with", nobody as Any)
    guard let (link, other) = connect("a connection") else { return }
    messages(of: link, other)
    guard case .success(.services(let found)) = outcome(.discover(link)) else {
      return check(false, "services are found")
    }
    discovered(found)
    reads(found, link)
    writes(found, link)
    notifications(found, link, other)
    ends(found, link, other)
  }

  private func advertisements() {
    let tooLong = BLEAdvertising(data: [UInt8](repeating: 0, count: 32))
    let refused = outcome(.advertise(tooLong), peripheral: true)
    check(refused == .failure(.valueTooLong), "32 bytes are too long to advertise", refused as Any)
    check(
      outcome(.advertise(Self.advertising), peripheral: true) == .success(.nothing), "advertising")
    for isActive in [false, true] {
      heard = []
      check(outcome(.scan(isActive: isActive)) == .success(.nothing), "a scan")
      wait { advertisement(isScanResponse: false) != nil }
      wait(isActive ? nil : 1_000_000_000) { advertisement(isScanResponse: true) != nil }
      let first = advertisement(isScanResponse: false)
      check(first?.data == Self.advertising.data, "the advertisement", first as Any)
      check(first?.isConnectable == true, "it is connectable", first as Any)
      check((first?.rssi ?? 1) < 21, "it has a strength", first as Any)
      let response = advertisement(isScanResponse: true)
      check(
        response?.data == (isActive ? Self.advertising.scanResponse : nil),
        "a scan response comes to those who ask alone", response as Any)
      check(outcome(.stopScanning) == .success(.nothing), "an end of the scan")
    }
  }

  private func advertisement(isScanResponse: Bool) -> BLEAdvertisement? {
    for case .advertisement(let advertisement) in heard
    where advertisement.address == peripheral.address
      && advertisement.isScanResponse == isScanResponse
    { return advertisement }
    return nil
  }

  /// Connects and gives the connection as both sides name it.
  private func connect(_ title: String) -> (BLEConnection, BLEConnection)? {
    told = []
    let found = outcome(.connect(peripheral.address, timeOut: patience))
    guard case .success(.connected(let link)) = found else {
      check(false, title, found as Any)
      return nil
    }
    check(link.peer == peripheral.address, "\(title): with whom", link.peer)
    var other: BLELink?
    wait {
      for case .connected(let link) in told { other = link }
      return other != nil
    }
    check(other?.peer == central.address, "\(title): the peripheral knows with whom", other as Any)
    return other.map { (link.connection, $0.connection) }
  }

  private func messages(of link: BLEConnection, _ other: BLEConnection) {
    let long = outcome(.write([UInt8](repeating: 0, count: 21), link, handle: 1))
    check(long == .failure(.valueTooLong), "21 bytes are too long at first", long as Any)
    guard case .success(.mtu(let mtu)) = outcome(.exchangeMTU(link, 64)) else {
      return check(false, "longer messages")
    }
    check(mtu == 64, "longer messages", mtu)
    check(wait { told.contains(.mtuChanged(other, 64)) }, "the peripheral knows of them", told)
    switch outcome(.readRSSI(link)) {
    // A virtual controller knows no strength, and must say so.
    case .success(.rssi), .failure(.other): break
    case let rssi: check(false, "a strength, or that there is none", rssi as Any)
    }
  }

  private func discovered(_ found: [GATTService]) {
    for service in Self.services {
      guard let other = found.first(where: { $0.uuid == service.uuid }) else {
        check(false, "service \(service.uuid) is found", found.map(\.uuid))
        continue
      }
      let pairs = (service.characteristics.map(\.uuid), other.characteristics.map(\.uuid))
      check(pairs.0 == pairs.1, "what \(service.uuid) holds", pairs.1)
      for (one, two) in zip(service.characteristics, other.characteristics) {
        check(one.properties == two.properties, "what may be done with \(one.uuid)", two.properties)
        check(two.value == nil, "a value is not found, it is read", two)
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
    check(model == .success(.value([0x43, 0x43])), "a value that never changes", model as Any)
    let data = handle(Self.long(0xAA21), found)
    let short = read(data)
    check(short == .success(.value([1, 2, 3])), "a value that is asked for", short as Any)
    let long = read(handle(Self.long(0xAA22), found))
    check(long == .success(.value([UInt8](0..<100))), "a value of several messages", long as Any)
    values[1] = []
    check(read(data) == .success(.value([])), "a value without bytes")
    values[1] = nil
    check(read(data) == .failure(.refused(code: 0x80)), "a read that the server refuses")
    check(read(0x0FFF) == .failure(.refused(code: 0x01)), "a handle that is not there")
    let unreadable = read(handle(Self.long(0xAA23), found))
    check(unreadable == .failure(.refused(code: 0x02)), "not to be read", unreadable as Any)
  }

  private func writes(_ found: [GATTService], _ link: BLEConnection) {
    func write(
      _ value: [UInt8], _ number: UInt64, needsResponse: Bool = true
    ) -> Result<BLEResult, BLEError>? {
      let handle = handle(Self.long(number), found)
      return outcome(.write(value, link, handle: handle, needsResponse: needsResponse))
    }
    check(write([9, 8], 0xAA22) == .success(.nothing), "a write is answered")
    check(values[2] == [9, 8], "a write arrives", values[2] as Any)
    let refused = write([1, 2, 3, 4, 5], 0xAA22)
    check(refused == .failure(.refused(code: 0x0D)), "a write is refused", refused as Any)
    let denied = write([1], 0xAA21)
    check(denied == .failure(.refused(code: 0x03)), "not to be written", denied as Any)
    check(
      write([5, 5], 0xAA23, needsResponse: false) == .success(.nothing), "a write without answer")
    check(wait { values[3] == [5, 5] }, "it arrives too", values[3] as Any)
  }

  private func notifications(
    _ found: [GATTService], _ link: BLEConnection, _ other: BLEConnection
  ) {
    let handle = handle(Self.long(0xAA21), found)
    for kind in [BLESubscription.notifications, .indications] {
      check(
        outcome(.subscribe(link, handle: handle, kind)) == .success(.nothing), "asking for \(kind)")
      check(
        wait { told.contains(.subscribed(other, characteristic: 1, kind)) },
        "the peripheral knows of \(kind)", told)
      peripheral.send(.notify([7, UInt8(kind.rawValue)], characteristic: 1))
      let expected = BLEEvent.Kind.notified(
        [7, UInt8(kind.rawValue)], link, handle: handle, isIndication: kind == .indications)
      check(wait { heard.contains(expected) }, "\(kind)", heard)
    }
    check(outcome(.subscribe(link, handle: handle, .off)) == .success(.nothing), "asking no longer")
    heard = []
    peripheral.send(.notify([0], characteristic: 1))
    let isQuiet = !wait(500_000_000) { heard.contains { $0.isNotified } }
    check(isQuiet, "nobody is told who has not asked", heard)
    let static0 = found.characteristic(BLEUUID(0x2A24))?.handle ?? 0
    if case .failure = outcome(.subscribe(link, handle: static0)) {
    } else {
      check(false, "what tells nothing cannot be asked to")
    }
  }

  private func ends(
    _ found: [GATTService], _ link: BLEConnection, _ other: BLEConnection
  ) {
    check(outcome(.disconnect(link)) == .success(.nothing), "an end by the central")
    check(
      wait { told.contains(.disconnected(other, reason: 0x13)) }, "the peripheral knows of it", told
    )
    let late = outcome(.read(link, handle: 3))
    check(late == .failure(.disconnected), "nothing is read afterwards", late as Any)
    let again = outcome(.advertise(Self.advertising), peripheral: true)
    check(again == .success(.nothing), "advertising again", again as Any)
    guard let (second, its) = connect("a second connection") else { return }
    check(second != link, "its number is new", second)
    let data = handle(Self.long(0xAA21), found)
    let known = outcome(.subscribe(second, handle: data, .notifications))
    check(known == .success(.nothing), "what was found before holds for the next", known as Any)
    let read = mute(found, second)
    check(
      outcome(.disconnect(its), peripheral: true) == .success(.nothing), "an end by the peripheral")
    check(
      wait { heard.contains(.disconnected(second, reason: 0x13)) }, "the central knows of it", heard
    )
    check(
      wait { heard.contains(.failed(command: read, .disconnected)) },
      "what is asked when the connection ends fails with it", heard)
  }

  /// Asks for a value that never comes; gives the number of the command.
  private func mute(_ found: [GATTService], _ link: BLEConnection) -> Int {
    isMute = true
    told = []
    let read = central.send(.read(link, handle: handle(Self.long(0xAA21), found)))
    let isAsked = wait { told.contains { $0.isReadRequest } }
    check(isAsked, "the peripheral is asked for a value", told)
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
