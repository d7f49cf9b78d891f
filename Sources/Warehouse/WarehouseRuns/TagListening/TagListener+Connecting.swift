import BluetoothLE
import Warehouse

/// Scanning, connecting, and the schedule of slots.
extension TagListener {
  var members: Range<Int> { roundRobin.members(ofSlot: slot) }

  /// The duration of a slot, in which one group of tags is connected, in nanoseconds.
  private var slotTime: UInt64 { UInt64(roundRobin.round / Int64(max(roundRobin.slots, 1))) }

  /// Starts a slot, in which its tags are to be connected.
  func beginSlot(at time: UInt64) {
    slotEnds = roundRobin.sharesConnections ? time + slotTime : .max
    for tagIndex in members where tags[tagIndex].connection == nil && connecting != tagIndex {
      // A tag that is waiting out a retry delay keeps waiting.
      if tags[tagIndex].contact.phase != .waiting || tags[tagIndex].wake == .max { want(tagIndex) }
    }
  }

  /// Ends a slot and disconnects its tags.
  func nextSlot(at time: UInt64) {
    for tagIndex in members {
      seeking.remove(tagIndex)
      switch tags[tagIndex].contact.phase {
      case .settling, .listening: end(tagIndex)
      case .seeking, .ready: tags[tagIndex].contact.phase = .resting
      case .resting, .waiting, .connecting, .leaving: break
      }
    }
    ready.removeAll()
    firstReady = 0
    slot += 1
    beginSlot(at: time)
    if scanEnds != nil, seeking.isEmpty { endScan() }
  }

  /// Requests a connection to a tag, which starts at once if an advertisement has been received,
  /// and otherwise after a scan.
  func want(_ tagIndex: Int) {
    guard members.contains(tagIndex), tags[tagIndex].connection == nil, connecting != tagIndex
    else {
      return
    }
    if tags[tagIndex].peer != nil {
      seeking.remove(tagIndex)
      tags[tagIndex].contact.phase = .ready
      ready.append(tagIndex)
    } else {
      tags[tagIndex].contact.phase = .seeking
      tags[tagIndex].soughtSince = radio.nanoseconds
      seeking.insert(tagIndex)
    }
  }

  /// Connects to the next tag whose advertisement was received; if there is none, scans for the
  /// tags still sought.
  func decide() {
    guard isGone == nil, scanEnds == nil, connecting == nil else { return }
    while byConnection.count < roundRobin.connections, firstReady < ready.count {
      let tagIndex = ready[firstReady]
      firstReady += 1
      guard tags[tagIndex].contact.phase == .ready, let peer = tags[tagIndex].peer else { continue }
      connecting = tagIndex
      tags[tagIndex].contact.phase = .connecting
      send(.connect(peer, timeOut: options.connectTimeout), .connect, of: tagIndex)
      wakeUp(tagIndex, at: radio.nanoseconds + options.connectTimeout + ListenerOptions.leaving)
      return
    }
    if firstReady == ready.count {
      ready.removeAll(keepingCapacity: true)
      firstReady = 0
    }
    guard ready.isEmpty, !seeking.isEmpty else { return }
    scanEnds = radio.nanoseconds + options.scan
    for tagIndex in seeking { tags[tagIndex].soughtSince = radio.nanoseconds }
    radio.send(.scan(isActive: true))
  }

  /// Ends a scan.
  ///
  /// A tag that did not advertise is sought again after a delay; a tag added too late in the scan
  /// is sought again immediately.
  func endScan() {
    scanEnds = nil
    radio.send(.stopScanning)
    let now = radio.nanoseconds
    for tagIndex in seeking.sorted() where now - tags[tagIndex].soughtSince >= options.scan / 2 {
      fail(tagIndex, .unheard)
    }
  }

  func hear(_ heard: BLEAdvertisement, at time: UInt64) {
    guard let tagIndex = tagIndices[heard.address.value] else { return }
    tags[tagIndex].contact.rssi = heard.rssi
    tags[tagIndex].contact.lastSeen = epoch + Int64(time)
    // If a tag failed because it did not advertise, an advertisement ends its retry delay; after
    // other failures, the delay continues.
    let isBack =
      tags[tagIndex].contact.phase == .waiting && tags[tagIndex].isUnheard
      && members.contains(tagIndex)
    guard heard.isConnectable, seeking.contains(tagIndex) || isBack else { return }
    tags[tagIndex].peer = heard.address
    want(tagIndex)
    if seeking.isEmpty { endScan() }
  }

  // MARK: Connections

  func connected(_ link: BLELink, _ tagIndex: Int) {
    if connecting == tagIndex { connecting = nil }
    byConnection[link.connection] = tagIndex
    counts.connections += 1
    guard tags[tagIndex].connection == nil else {
      // This attempt had already timed out when it succeeded.
      byConnection[link.connection] = nil
      radio.send(.disconnect(link.connection))
      return
    }
    tags[tagIndex].connection = link.connection
    guard members.contains(tagIndex), tags[tagIndex].contact.phase == .connecting else {
      return end(tagIndex)
    }
    tags[tagIndex].contact.phase = .settling
    settle(tagIndex)
  }

  /// Disconnects a tag and drops its pending requests.
  func end(_ tagIndex: Int) {
    guard let connection = tags[tagIndex].connection else { return }
    tags[tagIndex].contact.phase = .leaving
    if let current = tags[tagIndex].current { commands[current.command] = nil }
    (tags[tagIndex].steps, tags[tagIndex].current) = ([], nil)
    radio.send(.disconnect(connection))
    wakeUp(tagIndex, at: radio.nanoseconds + ListenerOptions.leaving)
  }

  func disconnected(_ connection: BLEConnection, _ reason: UInt8) {
    guard let tagIndex = byConnection.removeValue(forKey: connection),
      tags[tagIndex].connection == connection
    else { return }
    let wasLeaving = tags[tagIndex].contact.phase == .leaving
    if let current = tags[tagIndex].current { commands[current.command] = nil }
    tags[tagIndex].leave()
    if wasLeaving { return rest(tagIndex) }
    tags[tagIndex].peer = nil
    fail(tagIndex, .disconnected(reason))
  }

  /// Handles the end of a disconnection that the listener requested: the tag waits for its next
  /// slot, unless it is to be connected again in this one.
  private func rest(_ tagIndex: Int) {
    tags[tagIndex].contact.phase = .resting
    tags[tagIndex].wake = .max
    if tags[tagIndex].contact.failures > 0 {
      wait(tagIndex)
    } else {
      want(tagIndex)
    }
  }

  /// Handles the failure of a tag, which is tried again after a delay that grows with each failure.
  func fail(_ tagIndex: Int, _ reason: ListenerEvent.Reason) {
    counts.failures += 1
    tags[tagIndex].contact.failures += 1
    seeking.remove(tagIndex)
    tags[tagIndex].isUnheard = reason == .unheard
    report(.lost(tag: tags[tagIndex].contact.address, reason))
    if tags[tagIndex].connection == nil { wait(tagIndex) } else { end(tagIndex) }
  }

  private func wait(_ tagIndex: Int) {
    tags[tagIndex].contact.phase = .waiting
    let wait = tags[tagIndex].pause.wait(chance: draw())
    wakeUp(tagIndex, at: radio.nanoseconds + UInt64(max(wait, 0)))
  }

  /// Handles a failed connection attempt.
  func notConnected(_ tagIndex: Int, _ error: BLEError) {
    if connecting == tagIndex { connecting = nil }
    guard tags[tagIndex].contact.phase == .connecting else { return }
    if error == .tooManyConnections, !byConnection.isEmpty {
      return holdFewer(tagIndex)
    }
    if case .other = error {} else { tags[tagIndex].peer = nil }
    fail(tagIndex, .unreachable)
  }

  /// Reduces the number of connections to what the dongle supports, after which the tags take
  /// turns.
  private func holdFewer(_ tagIndex: Int) {
    let held = byConnection.count
    tags[tagIndex].contact.phase = .resting
    // Connections that are being closed may still count toward the dongle's limit.
    guard held < roundRobin.connections else { return want(tagIndex) }
    roundRobin = RoundRobin(
      tags: tags.count, connections: held, stay: options.stay, connecting: options.connecting)
    report(.fewerConnections(held))
    report(
      .round(tags: roundRobin.tags, connections: roundRobin.connections, time: roundRobin.round))
    slot = 0
    (ready, firstReady, seeking) = ([], 0, [])
    for tagIndex in tags.indices where !members.contains(tagIndex) {
      if tags[tagIndex].connection != nil {
        end(tagIndex)
      } else {
        tags[tagIndex].contact.phase = .resting
      }
    }
    beginSlot(at: radio.nanoseconds)
  }

  // MARK: Scheduling

  func send(_ command: BLECommand, _ step: TagSession.Step, of tagIndex: Int) {
    let number = radio.send(command)
    commands[number] = (tagIndex, step)
    if step != .connect { tags[tagIndex].current = (step, number) }
  }

  /// Schedules the next check of a tag, replacing an earlier one.
  func wakeUp(_ tagIndex: Int, at time: UInt64) {
    tags[tagIndex].wake = time
    timers.schedule(tagIndex, at: Int64(clamping: time))
  }

  /// Performs the scheduled check of a tag.
  func lookAfter(_ tagIndex: Int) {
    switch tags[tagIndex].contact.phase {
    case .waiting:
      if members.contains(tagIndex) {
        want(tagIndex)
      } else {
        tags[tagIndex].contact.phase = .resting
      }
    case .connecting:
      // The radio did not report the end of the connection attempt in time.
      tags[tagIndex].peer = nil
      connecting = nil
      fail(tagIndex, .unreachable)
    case .leaving:
      // The radio did not report the end of the connection in time.
      if let connection = tags[tagIndex].connection { byConnection[connection] = nil }
      tags[tagIndex].leave()
      rest(tagIndex)
    case .settling, .listening: attend(tagIndex)
    case .resting, .seeking, .ready: break
    }
  }
}
