import CInterposer
import Glibc
import I2C

/// The files of the open nodes: made and given, and what reaches them without a call that a filter sees.
extension Supervisor {
  /// Opens a node and gives it to the caller, under a number of ours.
  ///
  /// Where the caller has none left, it is the lowest that it has.
  func give(_ device: OpenDevice, _ call: Call, flags: Int32) -> Answer {
    guard let files = nodeFiles() else { return .failure(ENXIO) }
    let file = files.number()
    let descriptor = files.open(bus: device.bus.number, file: file, flags: flags)
    guard descriptor >= 0 else { return .failure(-descriptor) }
    device.opens = files.isServed ? 1 : 0
    slots.add(file, device)
    return give(descriptor, call, above: 0, closesOnExec: flags & O_CLOEXEC != 0)
  }

  /// Gives the caller a descriptor of a node under the first free number of ours that is not below another,
  /// and keeps none.
  func give(_ descriptor: Int32, _ call: Call, above least: Int32, closesOnExec: Bool) -> Answer {
    let number = lowestNumber(from: max(Int(least), slots.numbers.lowerBound), call)
    let isServed = files?.isServed == true
    var given = -EBADF
    if let number {
      given = listener.install(
        descriptor, for: call.id, number: Int32(number), closesOnExec: closesOnExec)
    }
    // EBADF says that the client may have no such number: it has given up some since it was started.
    if given == -EBADF, isServed {
      given = listener.install(descriptor, for: call.id, number: nil, closesOnExec: closesOnExec)
    }
    // Locks last as long as somebody holds the file: nobody else does from here on. Where the caller has
    // got no copy, this was the last, and all is forgotten.
    Glibc.close(descriptor)
    if given == -EBADF || given == -EMFILE { tellFull(call) }
    return given == -EBADF ? .failure(EMFILE) : given < 0 ? .failure(-given) : .value(Int64(given))
  }

  private func tellFull(_ call: Call) {
    tell(
      "a program could not open /dev/i2c-N (process \(call.thread)): it has as many files open as it may "
        + "(ulimit -n)", about: -4)
  }

  private func lowestNumber(from least: Int, _ call: Call) -> Int? {
    func isFree(_ number: Int) -> Bool { !interposer_is_open(call.thread, Int32(number)) }
    let numbers = slots.numbers
    guard numbers.contains(least) else { return nil }
    // Behind the first 64 the search goes on where the last one ended: who opens thousands is not to look
    // at thousands each time.
    let end = min(max(least, numbers.lowerBound + 64), numbers.upperBound)
    let hint = min(max(nextNumber, end), numbers.upperBound)
    let found =
      (least..<end).first(where: isFree) ?? (hint..<numbers.upperBound).first(where: isFree)
      ?? (end..<hint).first(where: isFree)
    if let found, found >= end { nextNumber = found + 1 }
    return found
  }

  /// The files; made now if nobody has opened a node before, nothing where that is not possible.
  func nodeFiles() -> NodeFiles? {
    if let files { return files }
    var errno: Int32 = 0
    guard let made = NodeFiles(&errno) else {
      tell("/dev/i2c-N cannot be opened: \(String(cString: strerror(errno)))", about: -3)
      return nil
    }
    files = made
    watch(made)
    if made.folder >= 0 { lifetime.leave(INTERPOSER_REMOVE_FOLDER, made.folder) }
    waitingRoom?.isIdle = { [unowned made] in made.isIdle }
    return made
  }

  /// Takes what happened to files of nodes.
  func takeFileEvents() {
    while let files, let event = files.next() {
      switch event {
      case .read(let request, let count): serve(request, .read, [], count, files)
      case .write(let request, let bytes): serve(request, .write, bytes, bytes.count, files)
      case .opened(let file): slots.devices[file]?.opens += 1
      case .closed(let file): forget(file)
      case .lost(let file): tellLost(file)
      }
    }
  }

  private func forget(_ file: UInt64) {
    guard let device = slots.devices[file] else { return }
    device.opens -= 1
    if device.opens <= 0 { slots.remove(file) }
    updateGate()
  }

  private func tellLost(_ file: UInt64) {
    guard let device = slots.devices[file] else { return }
    tell(
      "a write to a copy of /dev/i2c-\(device.bus.number) with a low number has not reached the bus; "
        + "only ioctl works there, as this machine lets nobody serve files (/dev/fuse)", about: -1)
  }

  /// A read or a write that no filter has seen: under a low number, or by another way than a system call.
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
    waitingRoom?.readings.show()
    guard let moment = device.bus.freeMoment?(), moment > HeldAnswers.now else { return answer() }
    held.hold(until: moment, answer)
  }

  /// Makes the transfer; what is left is to tell its outcome.
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
