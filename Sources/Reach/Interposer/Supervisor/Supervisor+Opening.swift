import CInterposer
import Glibc
import I2C

extension Supervisor {
  /// Opens a node, or a file, folder or link of ours.
  func open(_ call: Call, directory: Int32, path: UInt64, flags: Int32) -> Answer {
    if flags & O_DIRECTORY != 0, !listings.isEmpty {
      listings.forget(process: identity(of: call).process) {
        interposer_is_open(call.thread, $0)
      }
      gate.has_listings = !listings.isEmpty
    }
    let creates = flags & O_CREAT != 0
    let follows = flags & O_NOFOLLOW == 0 && flags & (O_CREAT | O_EXCL) != O_CREAT | O_EXCL
    var place = find(call, directory: directory, path: path, follows: follows)
    if creates, follows {
      place = placeMadeInDevices(call, directory: directory, path: path, place) ?? place
    }
    guard let place else { return .pass }
    switch place {
    case .machine(let text):
      if SyntheticTree.isOfBoard(text) { hasReadBoardFile = true }
      // A bus that there is not: root must not make a file of its name in /dev.
      return creates && ClientPath.deviceNumber(text) != nil ? .failure(ENOENT) : .pass
    case .beyond(let text): return noWay(to: text)
    case .failure(let errno): return .failure(errno)
    case .free: return .failure(creates ? EACCES : ENOENT)
    case .entry(let path, let entry):
      if creates && flags & O_EXCL != 0 { return .failure(EEXIST) }
      return open(path, entry, flags, call)
    }
  }

  /// Opens an entry as the kernel opens one of its kind.
  private func open(
    _ path: String, _ entry: SyntheticTree.Entry, _ flags: Int32, _ call: Call
  ) -> Answer {
    let isNameOnly = flags & OpenDevice.pathOnly != 0
    let reads = isNameOnly || flags & O_ACCMODE == O_RDONLY
    if case .folder = entry {
      guard reads, flags & O_CREAT == 0 else { return .failure(EISDIR) }
      return give(OpenPlace(path: path, entry: entry), call, flags)
    }
    if flags & O_DIRECTORY != 0 { return .failure(ENOTDIR) }
    switch entry {
    case .link:
      return isNameOnly
        ? give(OpenPlace(path: path, entry: entry), call, flags) : .failure(ELOOP)
    case .file(let bytes):
      return reads ? give(fileAt: path, bytes, flags, call) : .failure(EACCES)
    case .device(let number):
      guard let (bus, worker) = buses[number] else { return .failure(ENXIO) }
      guard isNameOnly || mayUse(number, Self.access(of: flags), call) else {
        return .failure(EACCES)
      }
      gate.has_sockets = true
      hasOpenedNode = true
      return give(OpenDevice(bus, worker, flags: flags), call, flags: flags)
    case .folder: return .failure(EISDIR)
    }
  }

  /// What an open asks for, as bits of a mode: 4 to read, 2 to write.
  private static func access(of flags: Int32) -> UInt32 {
    switch flags & O_ACCMODE {
    case O_RDONLY: 4
    case O_WRONLY: 2
    default: 6
    }
  }

  /// Whether a caller may use a node.
  func mayUse(_ number: Int, _ access: UInt32, _ call: Call) -> Bool {
    guard let facts = nodes[number], facts.isGuarded else { return true }
    return facts.allows(access, identity(of: call))
  }

  /// `openat2`: the flags lie in memory.
  func openHow(_ call: Call) -> Answer {
    let memory = ProcessMemory(of: call, listener)
    guard call[3] >= 24 else { return .failure(EINVAL) }
    guard let flags = memory.word(call[2]), let mode = memory.word(call[2] &+ 8),
      let ways = memory.word(call[2] &+ 16), let path = memory.path(call[1])
    else { return .pass }
    // O_CREAT and the bit of O_TMPFILE; only what is made has a mode.
    let makes = flags & (UInt64(O_CREAT) | 0x40_0000) != 0
    guard flags >> 32 == 0, mode & ~(makes ? 0o7777 : 0) == 0, ways & ~Way.all == 0,
      ways & Way.scopes != Way.scopes
    else { return .failure(EINVAL) }
    if ways & Way.beneath != 0, path.first == UInt8(ascii: "/") { return .failure(EXDEV) }
    let directory = call.int(0)
    if ways & Way.noLinks != 0, flags & UInt64(O_NOFOLLOW) == 0,
      let place = find(call, directory: directory, path: call[1]), case .entry = place,
      place != matteringPlace(of: path, relativeTo: directory, call, follows: false)
    {
      return .failure(ELOOP)
    }
    return open(
      call, directory: directory, path: call[1], flags: Int32(truncatingIfNeeded: flags))
  }

  /// What `openat2` may be told about the way (RESOLVE_*).
  private enum Way {
    static let noLinks: UInt64 = 4
    static let beneath: UInt64 = 8
    /// RESOLVE_BENEATH and RESOLVE_IN_ROOT, which exclude each other.
    static let scopes: UInt64 = 0x18
    static let all: UInt64 = 0x3F
  }

  /// Gives the caller a file of ours, opened for it alone.
  private func give(fileAt path: String, _ bytes: [UInt8], _ flags: Int32, _ call: Call) -> Answer {
    let file = syntheticFiles.file(at: path, bytes)
    let descriptor = file < 0 ? file : interposer_reopen(file)
    guard descriptor >= 0 else {
      tell(
        "a file of /sys cannot be shown: no file in memory: \(String(cString: strerror(-descriptor)))",
        about: -6)
      return .failure(-descriptor)
    }
    defer { close(descriptor) }
    let errno = listener.give(
      descriptor, for: call.id, number: nil, closesOnExec: flags & O_CLOEXEC != 0)
    // EBADF says that the client has lowered its limit.
    return errno.map { .failure($0 == EBADF ? EMFILE : $0) } ?? .elsewhere
  }
}
