import CInterposer
import Glibc
import I2C

extension Supervisor {
  /// Opens a node, a made-up file, or a directory in which more is to be seen.
  func open(_ call: Call, directory: Int32, path: UInt64, flags: Int32) -> Answer {
    let opensDirectory = flags & O_DIRECTORY != 0
    guard
      let path = find(call, directory: directory, path: path, opensDirectory: opensDirectory)
    else { return .pass }
    if let number = path.deviceNumber {
      guard let (bus, worker) = buses[number] else { return .pass }
      if opensDirectory || path.endsAsDirectory { return .failure(ENOTDIR) }
      if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL { return .failure(EEXIST) }
      return give(OpenDevice(bus, worker, flags: flags), call, flags: flags)
    }
    if let location = tree.location(of: path) {
      guard flags & O_ACCMODE == O_RDONLY else { return .failure(EACCES) }
      return giveFile(location, flags, call)
    }
    // Who only wants to name a directory (O_PATH) does not list it.
    guard flags & O_ACCMODE == O_RDONLY, flags & OpenDevice.pathOnly == 0,
      let additions = tree.additions(to: path),
      !additions.isEmpty
    else { return .pass }
    return giveDirectory(path.text, additions, flags, call)
  }

  /// `openat2`: the flags lie in memory.
  func openHow(_ call: Call) -> Answer {
    let memory = ProcessMemory(of: call, listener)
    guard let flags = memory.word(call[2]) else { return .pass }
    return open(
      call, directory: call.int(0), path: call[1], flags: Int32(truncatingIfNeeded: flags))
  }

  /// The path of a call, if it can matter.
  func find(
    _ call: Call, directory: Int32, path: UInt64, opensDirectory: Bool = false
  ) -> ClientPath? {
    guard let text = ProcessMemory(of: call, listener).path(path) else {
      tellIfClosed(call, path)
      return nil
    }
    guard !text.isEmpty, ClientPath.mayMatter(text, opensDirectory: opensDirectory)
    else { return nil }
    return ClientPath(text, relativeTo: directory, of: call.thread)
  }

  private func giveFile(_ path: String, _ flags: Int32, _ call: Call) -> Answer {
    // A descriptor that only names a file (O_PATH) cannot be given away; one that reads it can more.
    let descriptor = interposer_open(path, flags & ~OpenDevice.pathOnly)
    guard descriptor >= 0 else { return .failure(-descriptor) }
    defer { close(descriptor) }
    let errno = listener.give(
      descriptor, for: call.id, number: nil, closesOnExec: flags & O_CLOEXEC != 0)
    return errno.map(refusal) ?? .elsewhere
  }

  private func giveDirectory(
    _ path: String, _ additions: [SyntheticTree.Addition], _ flags: Int32, _ call: Call
  ) -> Answer {
    let descriptor = interposer_open(path, flags | O_DIRECTORY)
    guard descriptor >= 0, let number = freeNumber(for: call) else {
      if descriptor >= 0 { close(descriptor) }
      return .pass
    }
    let errno = listener.give(
      descriptor, for: call.id, number: Int32(number), closesOnExec: flags & O_CLOEXEC != 0)
    guard errno == nil else {
      close(descriptor)
      return errno.map(refusal) ?? .pass
    }
    slots[number] = .directory(
      OpenDirectory(path: path, descriptor: descriptor, additions: additions))
    return .elsewhere
  }

  /// The answer when a descriptor could not be given: EBADF says that the client has lowered its limit.
  private func refusal(_ errno: Int32) -> Answer { .failure(errno == EBADF ? EMFILE : errno) }

  /// A number that nobody uses: not in our table, and not the client's own.
  private func freeNumber(for call: Call) -> Int? {
    // Those that are forgotten make room long before there is none left.
    if slots.directories.count % 64 == 63 { collectDirectories() }
    for _ in 0..<256 {
      guard let number = slots.free() else { break }
      if !interposer_is_open(call.thread, Int32(number)) { return number }
    }
    return nil
  }

  /// Forgets the directories that no process has open any more: they do not hang up.
  private func collectDirectories() {
    let processes = ClientProcesses.all()
    for (number, directory) in slots.directories {
      let isOpen = processes.contains {
        ClientPath.path(of: Int32(number), $0) == directory.path
      }
      guard !isOpen else { continue }
      close(directory.descriptor)
      slots[number] = nil
    }
  }
}
