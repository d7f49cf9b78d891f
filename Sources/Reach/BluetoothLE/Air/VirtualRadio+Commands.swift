extension VirtualRadio {
  /// Carries out a command.
  func perform(_ command: BLECommand, _ number: Int) {
    guard isOn else { return failed(number, .other("the radio is off")) }
    switch command {
    case .scan(let isActive):
      scan = (isActive, number)
      air.beginScan(self)
      done(number)
    case .stopScanning:
      scan = nil
      air.scanners.removeAll { $0 === self }
      done(number)
    case .connect(let peer, let timeOut):
      initiations.append(Initiation(command: number, peer: peer, timeOut: timeOut))
      if initiations.count == 1 { air.initiate(self) }
    case .serve(let services):
      // Each attribute needs a number of 16 bits; a characteristic has four at most.
      let most = services.reduce(0) { $0 + 1 + $1.characteristics.count * 4 }
      guard most < 0xFFFF else { return failed(number, .other("more attributes than handles")) }
      serve(services)
      done(number, .services(self.services))
    case .advertise(let settings): advertise(settings, number)
    case .stopAdvertising:
      advertising = nil
      done(number)
    case .notify(let value, let characteristic, let connection):
      notify(value, characteristic, connection, number)
    case .respond(let request, let response):
      guard let (link, command) = requests.removeValue(forKey: request) else {
        return failed(number, .noSuchThing)
      }
      link.answer(command, response)
    case .disconnect(let connection), .exchangeMTU(let connection, _), .discover(let connection),
      .read(let connection, _), .write(_, let connection, _, _), .subscribe(let connection, _, _),
      .readRSSI(let connection):
      guard let link = links[connection.rawValue] else { return failed(number, .disconnected) }
      link.perform(command, number, of: self)
    }
  }

  /// Gives each attribute its handle: the declaration, the value, then descriptors.
  private func serve(_ services: [GATTService]) {
    self.services = services
    places = []
    var handle: UInt16 = 1
    for (index, service) in services.enumerated() {
      self.services[index].handle = handle
      for (place, characteristic) in service.characteristics.enumerated() {
        places.append(CharacteristicPlace(service: index, characteristic: place))
        self.services[index].characteristics[place].handle = handle + 2
        handle += 2
        if characteristic.canBeSubscribed { handle += 1 }
        if characteristic.name != nil { handle += 1 }
      }
      handle += 1
    }
  }

  /// The place of a characteristic whose value has a handle.
  func place(of handle: UInt16) -> Int? {
    places.firstIndex {
      services[$0.service].characteristics[$0.characteristic].handle == handle
    }
  }

  /// The characteristic with a number.
  func characteristic(_ place: Int) -> GATTCharacteristic? {
    guard places.indices.contains(place) else { return nil }
    return services[places[place].service].characteristics[places[place].characteristic]
  }

  private func advertise(_ settings: BLEAdvertising, _ number: Int) {
    guard settings.data.count <= BLEAdvertising.longest,
      settings.scanResponse.count <= BLEAdvertising.longest
    else { return failed(number, .valueTooLong) }
    advertising = (settings, air.nanoseconds, number)
    air.beginAdvertising(self)
    done(number)
  }

  private func notify(
    _ value: [UInt8], _ place: Int, _ connection: BLEConnection?, _ number: Int
  ) {
    guard let characteristic = characteristic(place), characteristic.canBeSubscribed else {
      return failed(number, .noSuchThing)
    }
    if let connection {
      guard let link = links[connection.rawValue], link.peripheral === self else {
        return failed(number, .disconnected)
      }
      link.notify(value, place, characteristic.handle)
      return
    }
    for link in links.sorted(by: { $0.key < $1.key }).map(\.value) where link.peripheral === self {
      link.notify(value, place, characteristic.handle)
    }
  }
}
