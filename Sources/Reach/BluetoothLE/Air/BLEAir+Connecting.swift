extension BLEAir {
  /// A radio begins with the first connection that it wants.
  func initiate(_ central: VirtualRadio) {
    guard let wanted = central.initiations.first else { return }
    guard central.links.count < central.capabilities.maximumConnections else {
      return finish(central, .failure(.tooManyConnections))
    }
    let (end, isTooMuch) = nanoseconds.addingReportingOverflow(wanted.timeOut)
    if !isTooMuch {
      schedule(at: end) { [unowned self] in
        guard central.initiations.first?.command == wanted.command else { return }
        finish(central, .failure(.timeOut))
      }
    }
    attempt(central, after: nanoseconds)
  }

  /// Tries at the next advertisement of the device that is wanted; where there is none it is tried when it begins.
  func attempt(_ central: VirtualRadio, after time: UInt64) {
    guard let wanted = central.initiations.first, let peripheral = byAddress[wanted.peer],
      let next = nextAdvertisement(of: peripheral, after: time)
    else { return }
    let number = peripheral.advertising?.number
    schedule(at: next) { [unowned self] in
      guard central.initiations.first?.command == wanted.command,
        peripheral.advertising?.number == number
      else { return }
      if let signal = signal(from: peripheral, to: central), central !== peripheral,
        arrives(at: signal), arrives(at: signal)
      {
        connect(central, peripheral)
      } else {
        attempt(central, after: next)
      }
    }
  }

  private func connect(_ central: VirtualRadio, _ peripheral: VirtualRadio) {
    peripheral.advertising = nil
    let link = AirLink(central, peripheral, in: self)
    peripheral.links[link.peripheralNumber] = link
    central.links[link.centralNumber] = link
    peripheral.tell(
      .connected(
        BLELink(
          BLEConnection(rawValue: link.peripheralNumber), peer: central.address,
          interval: link.interval)))
    finish(
      central,
      .success(
        BLELink(
          BLEConnection(rawValue: link.centralNumber), peer: peripheral.address,
          interval: link.interval)))
  }

  /// A wanted connection is there, or will not be; the next has its turn.
  private func finish(_ central: VirtualRadio, _ result: Result<BLELink, BLEError>) {
    guard !central.initiations.isEmpty else { return }
    let command = central.initiations.removeFirst().command
    switch result {
    case .success(let link): central.done(command, .connected(link))
    case .failure(let error): central.failed(command, error)
    }
    initiate(central)
  }

  /// A radio has moved, or has got or lost its power.
  func reachChanged(of radio: VirtualRadio) {
    for link in radio.links.values { link.reachChanged() }
  }

  /// Ends a connection of a radio as a disturbance does: both sides hear nothing of each other until their time is over.
  public func cut(_ connection: BLEConnection, of radio: VirtualRadio) {
    radio.links[connection.rawValue]?.isDisturbed = true
  }
}
