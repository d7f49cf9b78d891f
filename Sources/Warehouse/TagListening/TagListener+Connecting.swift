import BluetoothLE
import Warehouse

/// Who is looked for, who is connected, and whose turn it is.
extension TagListener {
  var members: Range<Int> { rota.members(ofTurn: turn) }

  /// How long a turn takes.
  private var turnTime: UInt64 { UInt64(rota.round / Int64(max(rota.turns, 1))) }

  /// The members of this turn are wanted from now on.
  func beginTurn(at time: UInt64) {
    turnEnds = rota.rotates ? time + turnTime : .max
    for place in members where tags[place].connection == nil && connecting != place {
      // Who waits goes on waiting.
      if tags[place].contact.phase != .waiting || tags[place].wake == .max { want(place) }
    }
  }

  /// The turn is over: its members make room for the next.
  func nextTurn(at time: UInt64) {
    for place in members {
      seeking.remove(place)
      switch tags[place].contact.phase {
      case .settling, .listening: end(place)
      case .seeking, .ready: tags[place].contact.phase = .resting
      case .resting, .waiting, .connecting, .leaving: break
      }
    }
    ready.removeAll()
    firstReady = 0
    turn += 1
    beginTurn(at: time)
    if scanEnds != nil, seeking.isEmpty { endScan() }
  }

  /// A tag is to be connected: at once where it was heard, else it is looked for.
  func want(_ place: Int) {
    guard members.contains(place), tags[place].connection == nil, connecting != place else {
      return
    }
    if tags[place].peer != nil {
      seeking.remove(place)
      tags[place].contact.phase = .ready
      ready.append(place)
    } else {
      tags[place].contact.phase = .seeking
      tags[place].soughtSince = radio.nanoseconds
      seeking.insert(place)
    }
  }

  /// Connects to one that is ready, or looks for those that are not heard.
  func decide() {
    guard isGone == nil, scanEnds == nil, connecting == nil else { return }
    while byConnection.count < rota.connections, firstReady < ready.count {
      let place = ready[firstReady]
      firstReady += 1
      guard tags[place].contact.phase == .ready, let peer = tags[place].peer else { continue }
      connecting = place
      tags[place].contact.phase = .connecting
      send(.connect(peer, timeOut: plan.patience), .connect, of: place)
      wakeUp(place, at: radio.nanoseconds + plan.patience + ListeningPlan.leaving)
      return
    }
    if firstReady == ready.count {
      ready.removeAll(keepingCapacity: true)
      firstReady = 0
    }
    guard ready.isEmpty, !seeking.isEmpty else { return }
    scanEnds = radio.nanoseconds + plan.scan
    for place in seeking { tags[place].soughtSince = radio.nanoseconds }
    radio.send(.scan(isActive: true))
  }

  /// Looks no longer: who was not heard is looked for again later, and at once who has just begun to be.
  func endScan() {
    scanEnds = nil
    radio.send(.stopScanning)
    let now = radio.nanoseconds
    for place in seeking.sorted() where now - tags[place].soughtSince >= plan.scan / 2 {
      fail(place, .unheard)
    }
  }

  func hear(_ heard: BLEAdvertisement, at time: UInt64) {
    guard let place = places[heard.address.value] else { return }
    tags[place].contact.rssi = heard.rssi
    tags[place].contact.lastSeen = epoch + Int64(time)
    // Who was not heard and is there again waits no longer; what failed otherwise does.
    let isBack =
      tags[place].contact.phase == .waiting && tags[place].isUnheard && members.contains(place)
    guard heard.isConnectable, seeking.contains(place) || isBack else { return }
    tags[place].peer = heard.address
    want(place)
    if seeking.isEmpty { endScan() }
  }

  // MARK: Connections

  func connected(_ link: BLELink, _ place: Int) {
    if connecting == place { connecting = nil }
    byConnection[link.connection] = place
    counts.connections += 1
    guard tags[place].connection == nil else {
      // A second one, of a command that had counted as failed.
      byConnection[link.connection] = nil
      radio.send(.disconnect(link.connection))
      return
    }
    tags[place].connection = link.connection
    guard members.contains(place), tags[place].contact.phase == .connecting else {
      return end(place)
    }
    tags[place].contact.phase = .settling
    settle(place)
  }

  /// Ends the connection of a tag; nothing is asked of it any more.
  func end(_ place: Int) {
    guard let connection = tags[place].connection else { return }
    tags[place].contact.phase = .leaving
    if let current = tags[place].current { commands[current.command] = nil }
    (tags[place].steps, tags[place].current) = ([], nil)
    radio.send(.disconnect(connection))
    wakeUp(place, at: radio.nanoseconds + ListeningPlan.leaving)
  }

  func disconnected(_ connection: BLEConnection, _ reason: UInt8) {
    guard let place = byConnection.removeValue(forKey: connection),
      tags[place].connection == connection
    else { return }
    let wasLeaving = tags[place].contact.phase == .leaving
    if let current = tags[place].current { commands[current.command] = nil }
    tags[place].leave()
    if wasLeaving { return rest(place) }
    tags[place].peer = nil
    fail(place, .disconnected(reason))
  }

  /// A connection that was to be ended is over: the tag rests, unless it is wanted again.
  private func rest(_ place: Int) {
    tags[place].contact.phase = .resting
    tags[place].wake = .max
    if tags[place].contact.failures > 0 {
      wait(place)
    } else {
      want(place)
    }
  }

  /// Something about a tag has failed: it is tried again after a while, longer each time.
  func fail(_ place: Int, _ reason: ListeningNews.Reason) {
    counts.failures += 1
    tags[place].contact.failures += 1
    seeking.remove(place)
    tags[place].isUnheard = reason == .unheard
    tell(.lost(tag: tags[place].contact.address, reason))
    if tags[place].connection == nil { wait(place) } else { end(place) }
  }

  private func wait(_ place: Int) {
    tags[place].contact.phase = .waiting
    let wait = tags[place].pause.wait(chance: draw())
    wakeUp(place, at: radio.nanoseconds + UInt64(max(wait, 0)))
  }

  /// A try to connect has failed.
  func notConnected(_ place: Int, _ error: BLEError) {
    if connecting == place { connecting = nil }
    guard tags[place].contact.phase == .connecting else { return }
    if error == .tooManyConnections, !byConnection.isEmpty {
      return holdFewer(place)
    }
    if case .other = error {} else { tags[place].peer = nil }
    fail(place, .unreachable)
  }

  /// The dongle holds fewer connections than the plan says: tags take turns on those.
  private func holdFewer(_ place: Int) {
    let held = byConnection.count
    tags[place].contact.phase = .resting
    // Some that are being ended may still count.
    guard held < rota.connections else { return want(place) }
    rota = ConnectionRota(
      tags: tags.count, connections: held, stay: plan.stay, connecting: plan.connecting)
    tell(.fewerConnections(held))
    tell(.round(tags: rota.tags, connections: rota.connections, time: rota.round))
    turn = 0
    (ready, firstReady, seeking) = ([], 0, [])
    for place in tags.indices where !members.contains(place) {
      if tags[place].connection != nil {
        end(place)
      } else {
        tags[place].contact.phase = .resting
      }
    }
    beginTurn(at: radio.nanoseconds)
  }

  // MARK: Plans

  func send(_ command: BLECommand, _ step: HeardTag.Step, of place: Int) {
    let number = radio.send(command)
    commands[number] = (place, step)
    if step != .connect { tags[place].current = (step, number) }
  }

  /// A tag is looked after at a time, and not before.
  func wakeUp(_ place: Int, at time: UInt64) {
    tags[place].wake = time
    agenda.plan(place, at: Int64(clamping: time))
  }

  /// The time of a tag has come.
  func lookAfter(_ place: Int) {
    switch tags[place].contact.phase {
    case .waiting:
      if members.contains(place) { want(place) } else { tags[place].contact.phase = .resting }
    case .connecting:
      // The radio has forgotten the command.
      tags[place].peer = nil
      connecting = nil
      fail(place, .unreachable)
    case .leaving:
      // The radio has forgotten the connection.
      if let connection = tags[place].connection { byConnection[connection] = nil }
      tags[place].leave()
      rest(place)
    case .settling, .listening: attend(place)
    case .resting, .seeking, .ready: break
    }
  }
}
