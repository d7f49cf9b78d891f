import CInterposer
import Glibc
import I2C
import Support

extension Supervisor {
  /// Answers `open` and `openat`: opens a node or a synthetic file, directory or link.
  func open(_ call: Call, directory: Int32, path: UInt64, flags: Int32) -> Answer {
    if flags & O_DIRECTORY != 0, !listings.isEmpty {
      listings.forget(process: identity(of: call).process) {
        interposer_is_open(call.thread, $0)
      }
      prefilter.has_listings = !listings.isEmpty
    }
    let creates = flags & O_CREAT != 0
    let follows = flags & O_NOFOLLOW == 0 && flags & (O_CREAT | O_EXCL) != O_CREAT | O_EXCL
    var resolved = find(call, directory: directory, path: path, follows: follows)
    if creates, follows {
      resolved = resolveCreationInDev(call, directory: directory, path: path, resolved) ?? resolved
    }
    guard let resolved else { return .pass }
    switch resolved {
    case .machine(let text):
      if SyntheticTree.isOfBoard(text) { hasReadBoardFile = true }
      mention(text)
      mentionBypass(text)
      // The bus does not exist: root must not create a regular file in /dev with the name of its
      // node.
      return creates && ClientPath.deviceNumber(text) != nil ? .failure(ENOENT) : .pass
    case .beyond(let text): return rejectUnreachable(to: text)
    case .failure(let errno): return .failure(errno)
    case .free: return .failure(creates ? EACCES : ENOENT)
    case .entry(let path, let entry):
      if creates && flags & O_EXCL != 0 { return .failure(EEXIST) }
      return open(path, entry, flags, call)
    }
  }

  /// Reports the first open of an adapter of this machine that is no bus of the bench.
  private func mentionBypass(_ path: String) {
    guard let number = ClientPath.deviceNumber(path), Glibc.access(path, F_OK) == 0 else { return }
    let nodes = buses.keys.sorted().lazy.map { "/dev/i2c-\($0)" }.shortened
    report(
      "a program opened this machine's own /dev/i2c-\(number); the bench has \(nodes)", about: -50)
  }

  /// Reports the first use of an interface that neither the bench nor this machine has.
  private func mention(_ path: String) {
    guard
      let (index, interface) = OtherInterface.allCases.enumerated().first(where: {
        $1.includes(path)
      }), !interface.isOnThisMachine(path)
    else { return }
    report(
      "a program tried to open \(path.visible): \(interface.rawValue)", about: -30 - Int32(index))
  }

  /// Opens a synthetic entry as the kernel opens a file of its type.
  private func open(
    _ path: String, _ entry: SyntheticTree.Entry, _ flags: Int32, _ call: Call
  ) -> Answer {
    let isNameOnly = flags & OpenDevice.pathOnly != 0
    let reads = isNameOnly || flags & O_ACCMODE == O_RDONLY
    if case .folder = entry {
      guard reads, flags & O_CREAT == 0 else { return .failure(EISDIR) }
      return install(OpenEntry(path: path, entry: entry), call, flags)
    }
    if flags & O_DIRECTORY != 0 { return .failure(ENOTDIR) }
    switch entry {
    case .link:
      return isNameOnly
        ? install(OpenEntry(path: path, entry: entry), call, flags) : .failure(ELOOP)
    case .file(let bytes):
      return reads ? install(fileAt: path, bytes, flags, call) : .failure(EACCES)
    case .device(let number):
      // Root may create a node whose adapter is unplugged.
      guard let (bus, worker) = buses[number], bus.connection?.isPluggedIn ?? true
      else { return .failure(ENXIO) }
      guard isNameOnly || mayAccess(number, Self.access(of: flags), call) else {
        return .failure(EACCES)
      }
      prefilter.has_sockets = true
      hasOpenedNode = true
      return install(OpenDevice(bus, worker, flags: flags), call, flags: flags)
    case .folder: return .failure(EISDIR)
    }
  }

  /// The permission bits that an open requests: 4 to read, 2 to write.
  private static func access(of flags: Int32) -> UInt32 {
    switch flags & O_ACCMODE {
    case O_RDONLY: 4
    case O_WRONLY: 2
    default: 6
    }
  }

  /// Returns `true` if the caller has the requested permissions on a node.
  func mayAccess(_ number: Int, _ access: UInt32, _ call: Call) -> Bool {
    guard let metadata = nodes[number], metadata.hasRestrictedAccess else { return true }
    return metadata.allows(access, identity(of: call))
  }

  /// Answers `openat2`, whose flags are in the caller's memory.
  func openat2(_ call: Call) -> Answer {
    let memory = ProcessMemory(of: call, listener)
    guard call[3] >= 24 else { return .failure(EINVAL) }
    guard let flags = memory.word(call[2]), let mode = memory.word(call[2] &+ 8),
      let resolveFlags = memory.word(call[2] &+ 16), let path = memory.path(call[1])
    else { return .pass }
    // O_CREAT and the bit of O_TMPFILE; a mode is allowed only with one of them.
    let recordCreation = flags & (UInt64(O_CREAT) | 0x40_0000) != 0
    guard flags >> 32 == 0, mode & ~(recordCreation ? 0o7777 : 0) == 0,
      resolveFlags & ~ResolveFlags.all == 0,
      resolveFlags & ResolveFlags.scopes != ResolveFlags.scopes
    else { return .failure(EINVAL) }
    if resolveFlags & ResolveFlags.beneath != 0, path.first == UInt8(ascii: "/") {
      return .failure(EXDEV)
    }
    let directory = call.int(0)
    if resolveFlags & ResolveFlags.noLinks != 0, flags & UInt64(O_NOFOLLOW) == 0,
      let resolved = find(call, directory: directory, path: call[1]), case .entry = resolved,
      resolved != resolveIfRelevant(of: path, relativeTo: directory, call, follows: false)
    {
      return .failure(ELOOP)
    }
    return open(
      call, directory: directory, path: call[1], flags: Int32(truncatingIfNeeded: flags))
  }

  /// The RESOLVE_* flags of `openat2`.
  private enum ResolveFlags {
    static let noLinks: UInt64 = 4
    static let beneath: UInt64 = 8
    /// RESOLVE_BENEATH and RESOLVE_IN_ROOT, which exclude each other.
    static let scopes: UInt64 = 0x18
    static let all: UInt64 = 0x3F
  }

  /// Installs a newly opened synthetic file in the caller.
  private func install(fileAt path: String, _ bytes: [UInt8], _ flags: Int32, _ call: Call)
    -> Answer
  {
    let file = syntheticFiles.file(at: path, bytes)
    let descriptor = file < 0 ? file : interposer_reopen(file)
    guard descriptor >= 0 else {
      report(
        "cannot create a file of /sys in memory: \(String(cString: strerror(-descriptor)))",
        about: -6)
      return .failure(-descriptor)
    }
    defer { close(descriptor) }
    let errno = listener.installAndAnswer(
      descriptor, for: call.id, number: nil, closesOnExec: flags & O_CLOEXEC != 0)
    // EBADF: the client has lowered its RLIMIT_NOFILE.
    return errno.map { .failure($0 == EBADF ? EMFILE : $0) } ?? .elsewhere
  }
}

/// An open /dev/i2c-N of a client: the state shared by all copies of its descriptor.
final class OpenDevice {
  let bus: InterposedBus
  let file: I2CDeviceFile
  let worker: BusWorker
  /// The number of opens of the underlying file; copies of a descriptor count once.
  var opens = 0
  private let flags: Int32

  init(_ bus: InterposedBus, _ worker: BusWorker, flags: Int32) {
    self.bus = bus
    self.worker = worker
    self.flags = flags
    file = I2CDeviceFile(bus.node)
  }

  /// Creates an open device with its own file that shares the bus and the state of another open device.
  init(sharing device: OpenDevice) {
    (bus, worker, file, flags) = (device.bus, device.worker, device.file, device.flags)
  }

  /// `true` if the node was opened with O_PATH and allows no I/O.
  var isPathOnly: Bool { flags & Self.pathOnly != 0 }

  /// O_PATH, which Glibc's Swift overlay does not export.
  static let pathOnly: Int32 = 0x20_0000

  /// Returns `true` if the access mode permits transfers in a direction.
  func allows(_ direction: Supervisor.Direction) -> Bool {
    let accessMode = flags & O_ACCMODE
    return !isPathOnly
      && (accessMode == O_RDWR || accessMode == (direction == .read ? O_RDONLY : O_WRONLY))
  }

  /// Reads or writes `count` bytes at an address in the client's memory.
  func transfer(
    _ direction: Supervisor.Direction, _ count: UInt64, _ address: UInt64, _ memory: ProcessMemory
  ) throws(I2CErrno) -> Int {
    switch direction {
    case .read: try file.read(count, to: address, memory)
    case .write: try file.write(count, from: address, memory)
    }
  }
}

/// The open nodes and the descriptor numbers reserved for synthetic files.
///
/// The seccomp filter recognizes synthetic descriptors by their numbers. Different processes may use the same number
/// for different nodes, because the supervisor identifies an open node by the file or socket behind the number.
struct DeviceSlots {
  /// The reserved descriptor numbers.
  let numbers: Range<Int>
  /// The open nodes by file number.
  private(set) var devices: [UInt64: OpenDevice] = [:]

  init(numbers: Range<Int>) { self.numbers = numbers }

  /// Registers an open node.
  mutating func add(_ file: UInt64, _ device: OpenDevice) {
    devices[file] = device
  }

  /// Removes an open node after its last close.
  mutating func remove(_ file: UInt64) {
    devices[file] = nil
  }
}

/// An open synthetic directory or link.
///
/// The client's descriptor is a socket.
final class OpenEntry {
  let path: String
  let entry: SyntheticTree.Entry
  /// The number of directory entries already returned.
  var position = 0

  init(path: String, entry: SyntheticTree.Entry) {
    self.path = path
    self.entry = entry
  }
}
