import CInterposer
import Glibc
import I2C

/// `dup`, `dup2`, `dup3`, `fcntl` and `lseek` on synthetic descriptors.
extension Supervisor {
  /// Returns the open device behind a descriptor of the caller, whatever its number.
  func device(_ descriptor: Int32, _ call: Call) -> OpenDevice? {
    guard descriptor >= 0, !slots.devices.isEmpty else { return nil }
    return slots.devices[interposer_node(call.thread, descriptor)]
  }

  /// Answers `dup`, and `fcntl` with F_DUPFD: the kernel assigns the lowest free number.
  ///
  /// Without FUSE the copy is installed in the reserved range, because only there `read` and `write` can be
  /// intercepted.
  func copy(_ call: Call, above least: Int32 = 0, closesOnExec: Bool) -> Answer {
    guard least < slots.numbers.lowerBound else { return .pass }
    guard let device = device(call.int(0), call) else {
      return openEntry(call.int(0), call).map { install($0, call, closesOnExec ? O_CLOEXEC : 0) }
        ?? .pass
    }
    if files?.isServed == true { return .pass }
    let copy = interposer_copy_descriptor(call.thread, call.int(0))
    if copy >= 0 { return install(copy, call, above: least, closesOnExec: closesOnExec) }
    // The caller's descriptors cannot be duplicated here, so the node is opened again.
    return install(OpenDevice(sharing: device), call, flags: closesOnExec ? O_CLOEXEC : 0)
  }

  /// Answers `dup2` and `dup3`, where the caller chooses the number.
  ///
  /// Without FUSE, `read` and `write` of descriptors below the reserved range are not intercepted. On a duplicate with
  /// such a number they therefore fail, instead of having no effect.
  func duplicateTo(_ call: Call) -> Answer {
    let (old, new) = (call.int(0), call.int(1))
    guard let files, !files.isServed, old != new, !slots.numbers.contains(Int(new)),
      let device = device(old, call)
    else { return .pass }
    report(
      "descriptor \(new) is a copy of /dev/i2c-\(device.bus.number) whose number is too low to be "
        + "intercepted, and FUSE is not available on this machine (/dev/fuse): ioctl works on it, read and "
        + "write do not",
      about: new)
    let file = interposer_node(call.thread, old)
    let copy = files.open(bus: device.bus.number, file: file, flags: O_ACCMODE)
    guard copy >= 0 else { return .pass }
    let closesOnExec = call.system == .dup3 && call.int(2) & O_CLOEXEC != 0
    let given = listener.install(copy, for: call.id, number: new, closesOnExec: closesOnExec)
    close(copy)
    return given < 0 ? .failure(-given) : .value(Int64(given))
  }

  /// Answers `fcntl`: the commands that copy a descriptor are handled here, all others pass to the kernel.
  func controlDescriptor(_ call: Call) -> Answer {
    switch call.int(1) {
    case F_DUPFD: copy(call, above: call.int(2), closesOnExec: false)
    case F_DUPFD_CLOEXEC: copy(call, above: call.int(2), closesOnExec: true)
    default: .pass
    }
  }

  /// Answers `lseek`: ESPIPE for a bus, a new position for a directory.
  func seek(_ call: Call) -> Answer {
    if device(call.int(0), call) != nil { return .failure(ESPIPE) }
    return openEntry(call.int(0), call).map { seek($0, call) } ?? .pass
  }
}

/// Creates the files of open nodes, installs them in clients, and handles their events, which bypass the seccomp
/// filter.
extension Supervisor {
  /// Opens a node and installs it in the caller with a number from the reserved range.
  ///
  /// If no such number is free, the lowest free number is used.
  func install(_ device: OpenDevice, _ call: Call, flags: Int32) -> Answer {
    guard let files = nodeFiles() else { return .failure(ENXIO) }
    let file = files.number()
    let descriptor = files.open(bus: device.bus.number, file: file, flags: flags)
    guard descriptor >= 0 else { return .failure(-descriptor) }
    device.opens = files.isServed ? 1 : 0
    slots.add(file, device)
    return install(descriptor, call, above: 0, closesOnExec: flags & O_CLOEXEC != 0)
  }

  /// Installs a node's descriptor in the caller at the first free reserved number from `least` on, and closes the
  /// supervisor's copy.
  func install(_ descriptor: Int32, _ call: Call, above least: Int32, closesOnExec: Bool) -> Answer
  {
    let number = lowestNumber(from: max(Int(least), slots.numbers.lowerBound), call)
    let isServed = files?.isServed == true
    var given = -EBADF
    if let number {
      given = listener.install(
        descriptor, for: call.id, number: Int32(number), closesOnExec: closesOnExec)
    }
    // EBADF: the number exceeds the client's RLIMIT_NOFILE, which the client has lowered.
    if given == -EBADF, isServed {
      given = listener.install(descriptor, for: call.id, number: nil, closesOnExec: closesOnExec)
    }
    // File locks last as long as any descriptor of the file, so the supervisor must not keep one. If the caller
    // received no copy, this descriptor was the last one, and the node is removed.
    Glibc.close(descriptor)
    if given == -EBADF || given == -EMFILE { reportDescriptorLimit(call) }
    return given == -EBADF ? .failure(EMFILE) : given < 0 ? .failure(-given) : .value(Int64(given))
  }

  private func reportDescriptorLimit(_ call: Call) {
    report(
      "a program could not open /dev/i2c-N (process \(call.thread)): it has reached its limit of open files "
        + "(ulimit -n)", about: -4)
  }

  private func lowestNumber(from least: Int, _ call: Call) -> Int? {
    func isFree(_ number: Int) -> Bool { !interposer_is_open(call.thread, Int32(number)) }
    let numbers = slots.numbers
    guard numbers.contains(least) else { return nil }
    // Above the first 64 numbers the search continues after the last hit, so that a client with thousands of open files
    // does not cause a full scan each time.
    let end = min(max(least, numbers.lowerBound + 64), numbers.upperBound)
    let hint = min(max(nextNumber, end), numbers.upperBound)
    let found =
      (least..<end).first(where: isFree) ?? (hint..<numbers.upperBound).first(where: isFree)
      ?? (end..<hint).first(where: isFree)
    if let found, found >= end { nextNumber = found + 1 }
    return found
  }

  /// Returns the node files, creating them for the first open; `nil` if that is impossible.
  func nodeFiles() -> NodeFiles? {
    if let files { return files }
    var errno: Int32 = 0
    guard let made = NodeFiles(&errno) else {
      report("/dev/i2c-N cannot be opened: \(String(cString: strerror(errno)))", about: -3)
      return nil
    }
    files = made
    watch(made)
    if made.folder >= 0 { lifetime.handOver(INTERPOSER_REMOVE_FOLDER, made.folder) }
    scheduler?.isIdle = { [unowned made] in made.isIdle }
    return made
  }

  /// Adds or removes the nodes of adapters that were plugged in or unplugged since the last call.
  ///
  /// The open files of an adapter that was unplugged fail from then on.
  func updateConnections() {
    for (bus, connection) in connections {
      while let change = connection.next() {
        if change.isPluggedIn { tree.add(bus) } else { unplug(bus) }
        nodes[bus.number] = NodeMetadata(moment: interposer_realtime())
        report("/dev/i2c-\(bus.number) \(change.predicate)", .connection, at: change.time)
      }
    }
  }

  private func unplug(_ bus: InterposedBus) {
    for device in slots.devices.values where device.bus.number == bus.number {
      let file = device.file
      buses[bus.number]?.worker.perform { file.detach() }
    }
    tree.remove(bus)
  }

  /// Handles the pending events of the node files.
  func handleFileEvents() {
    updateConnections()
    while let files, let event = files.next() {
      switch event {
      case .read(let request, let count): serve(request, .read, [], count, files)
      case .write(let request, let bytes): serve(request, .write, bytes, bytes.count, files)
      case .opened(let file): slots.devices[file]?.opens += 1
      case .closed(let file): forget(file)
      case .lost(let file): reportLostWrite(file)
      }
    }
  }

  private func forget(_ file: UInt64) {
    guard let device = slots.devices[file] else { return }
    device.opens -= 1
    if device.opens <= 0 { slots.remove(file) }
    updatePrefilter()
  }

  private func reportLostWrite(_ file: UInt64) {
    guard let device = slots.devices[file] else { return }
    report(
      "a write to a copy of /dev/i2c-\(device.bus.number) with a low number did not reach the bus; "
        + "only ioctl works on it because FUSE is not available on this machine (/dev/fuse)",
      about: -1)
  }

  /// Serves a read or write that bypassed the seccomp filter because its descriptor number is low, or because no
  /// separate system call was made for it.
  private func serve(
    _ request: NodeFiles.Request, _ direction: Direction, _ bytes: [UInt8], _ count: Int,
    _ files: NodeFiles
  ) {
    guard let device = slots.devices[request.file] else {
      return files.answer(request, errno: EBADF)
    }
    if device.bus.isSlow {
      device.worker.perform {
        Self.transfer(request, direction, bytes, count, device, files)()
      }
      return
    }
    let answer = Self.transfer(request, direction, bytes, count, device, files)
    scheduler?.readings.show()
    guard let moment = device.bus.freeMoment?(), moment > DelayedAnswers.now else {
      return answer()
    }
    delayedAnswers.delay(until: moment, answer)
  }

  /// Performs the transfer that a read or write requests, and returns a closure that sends the result to the client.
  private static func transfer(
    _ request: NodeFiles.Request, _ direction: Direction, _ bytes: [UInt8], _ count: Int,
    _ device: OpenDevice, _ files: NodeFiles
  ) -> () -> Void {
    let memory = RequestMemory(
      direction == .read ? [UInt8](repeating: 0, count: count) : bytes)
    do throws(I2CErrno) {
      switch direction {
      case .read:
        let done = try device.file.read(UInt64(count), to: 0, memory)
        return { files.answer(request, Array(memory.bytes.prefix(done))) }
      case .write:
        let done = try device.file.write(UInt64(count), from: 0, memory)
        return { files.answer(request, count: done) }
      }
    } catch {
      let errno = error.rawValue
      return { files.answer(request, errno: errno) }
    }
  }
}

/// The sockets that represent open synthetic directories and links. A socket hangs up when its last copy is closed.
extension Supervisor {
  /// Installs a socket that represents a directory or link in the caller.
  func install(_ entry: OpenEntry, _ call: Call, _ flags: Int32) -> Answer {
    var (client, peer, socket): (Int32, Int32, UInt64) = (-1, -1, 0)
    let failure = interposer_sockets(&client, &peer, &socket)
    guard failure == 0 else { return .failure(-failure) }
    openEntries[socket] = entry
    prefilter.has_sockets = true
    let token = Token.firstPeer + nextPeer
    nextPeer += 1
    peers[token] = (peer, socket)
    eventLoop.add(peer, token)
    // If the caller received no copy, the socket hangs up immediately and the entry is removed.
    return install(client, call, above: 0, closesOnExec: flags & O_CLOEXEC != 0)
  }

  /// Handles an event of a socket: at a hang-up, which follows the last close, the directory or link is removed.
  func handlePeer(_ token: UInt64, isHangup: Bool) {
    guard isHangup, let peer = peers[token] else { return }
    close(peer.descriptor)
    peers[token] = nil
    openEntries[peer.socket] = nil
    updatePrefilter()
  }

  /// Updates the pre-filter's flag for whether clients have synthetic descriptors open.
  func updatePrefilter() { prefilter.has_sockets = !(slots.devices.isEmpty && openEntries.isEmpty) }
}
