import CInterposer
import Glibc

/// Questions about files that a client does not open.
extension Supervisor {
  func status(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool, to place: UInt64
  ) -> Answer {
    look(call, directory: directory, path: path, follows: follows) { path, entry in
      give(facts(of: path, entry), call, to: place)
    }
  }

  /// `newfstatat`: with an empty path it asks about a descriptor.
  func statusAt(_ call: Call) -> Answer {
    let flags = call.int(3)
    if isAboutDescriptor(call, flags) {
      return statusOfDescriptor(call.int(0), call, to: call[2])
    }
    return status(
      call, directory: call.int(0), path: call[1], follows: flags & AT_SYMLINK_NOFOLLOW == 0,
      to: call[2])
  }

  func statusOfDescriptor(_ descriptor: Int32, _ call: Call, to place: UInt64) -> Answer {
    guard let facts = facts(of: descriptor, call) else { return .pass }
    return give(facts, call, to: place)
  }

  func extendedStatus(_ call: Call) -> Answer {
    let flags = call.int(2)
    if isAboutDescriptor(call, flags) {
      guard let facts = facts(of: call.int(0), call) else { return .pass }
      return give(facts, call, to: call[4], isExtended: true)
    }
    return look(
      call, directory: call.int(0), path: call[1], follows: flags & AT_SYMLINK_NOFOLLOW == 0
    ) { path, entry in
      give(facts(of: path, entry), call, to: call[4], isExtended: true)
    }
  }

  func access(
    _ call: Call, directory: Int32, path: UInt64, mode: Int32, flags: Int32 = 0
  ) -> Answer {
    look(
      call, directory: directory, path: path, follows: flags & AT_SYMLINK_NOFOLLOW == 0
    ) { _, entry in
      switch entry {
      case .device(let number):
        guard mode & X_OK == 0, mayUse(number, UInt32(mode) & 6, call) else {
          return .failure(EACCES)
        }
      case .folder: if mode & W_OK != 0 { return .failure(EACCES) }
      case .file: if mode & (W_OK | X_OK) != 0 { return .failure(EACCES) }
      case .link: break
      }
      return .value(0)
    }
  }

  /// `readlink`, and with an empty path about a link that is open.
  func link(
    _ call: Call, directory: Int32, path: UInt64, to place: UInt64, _ size: UInt64
  ) -> Answer {
    guard size > 0, size <= UInt64(Int32.max) else { return .pass }
    let memory = ProcessMemory(of: call, listener)
    guard let bytes = memory.path(path) else { return .pass }
    func give(_ target: String) -> Answer {
      let part = Array(target.utf8.prefix(Int(size)))
      return memory.write(part, to: place) ? .value(Int64(part.count)) : .failure(EFAULT)
    }
    if bytes.isEmpty {
      guard let open = openPlace(directory, call) else { return .pass }
      if case .link(let target) = open.entry { return give(target) }
      return .failure(ENOENT)
    }
    if let text = String(validating: bytes, as: UTF8.self),
      let target = descriptorTarget(text, call)
    {
      return give(target)
    }
    return look(call, directory: directory, path: path, follows: false) { _, entry in
      if case .link(let target) = entry { return give(target) }
      return .failure(EINVAL)
    }
  }

  /// Extended attributes: nothing of ours has any.
  func attributes(_ call: Call, _ none: Answer, follows: Bool) -> Answer {
    look(call, directory: AT_FDCWD, path: call[0], follows: follows) { _, _ in none }
  }

  /// `statfs`: a node lies where /dev does, the rest in a sysfs.
  func fileSystem(_ call: Call) -> Answer {
    look(call, directory: AT_FDCWD, path: call[0], follows: true) { _, entry in
      fileSystem(of: entry, call)
    }
  }

  /// `fstatfs`, of descriptors of ours.
  func fileSystemOfDescriptor(_ call: Call) -> Answer {
    if let device = device(call.int(0), call) {
      return fileSystem(of: .device(device.bus.number), call)
    }
    return openPlace(call.int(0), call).map { fileSystem(of: $0.entry, call) } ?? .pass
  }

  private func fileSystem(of entry: SyntheticTree.Entry, _ call: Call) -> Answer {
    let type: Int64
    if case .device = entry { type = 0 } else { type = 0x6265_6572 }
    return fill(call, to: call[1]) { interposer_statfs("/dev", type, $0) }
  }

  /// AT_EMPTY_PATH, which the C library hides.
  static let emptyPath: Int32 = 0x1000

  /// Whether a call with a path that may be empty asks about the descriptor.
  func isAboutDescriptor(_ call: Call, _ flags: Int32) -> Bool {
    guard flags & Self.emptyPath != 0 else { return false }
    return call[1] == 0 || ProcessMemory(of: call, listener).path(call[1])?.isEmpty == true
  }

  /// Answers about an entry of ours; what is the kernel's passes, what is nowhere fails.
  func look(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool,
    _ answer: (String, SyntheticTree.Entry) -> Answer
  ) -> Answer {
    switch find(call, directory: directory, path: path, follows: follows) {
    case nil, .machine: .pass
    case .beyond(let text): noWay(to: text)
    case .free: .failure(ENOENT)
    case .failure(let errno): .failure(errno)
    case .entry(let path, let entry): answer(path, entry)
    }
  }

  /// What a descriptor of ours is.
  private func facts(of descriptor: Int32, _ call: Call) -> interposer_facts? {
    if let device = device(descriptor, call) {
      return facts(of: "/dev/i2c-\(device.bus.number)", .device(device.bus.number))
    }
    return openPlace(descriptor, call).map { facts(of: $0.path, $0.entry) }
  }

  /// The device number of what is made up; the contents of files lie in memory, on another.
  private static let fileSystem: UInt64 = 5

  /// What stat tells of an entry.
  private func facts(of path: String, _ entry: SyntheticTree.Entry) -> interposer_facts {
    // The inode is a number that stays the same for a path (FNV-1a).
    let inode = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    var facts = interposer_facts()
    (facts.file_system, facts.inode, facts.links) = (Self.fileSystem, inode >> 16 | 1, 1)
    (facts.read, facts.written, facts.changed) = (start, start, start)
    switch entry {
    case .file(let bytes):
      (facts.mode, facts.size) = (S_IFREG | 0o444, UInt64(bytes.count))
      _ = interposer_file_facts(syntheticFiles.file(at: path, bytes), &facts)
    case .link(let target): (facts.mode, facts.size) = (S_IFLNK | 0o777, UInt64(target.utf8.count))
    case .folder: (facts.mode, facts.links) = (S_IFDIR | 0o755, 2)
    case .device(let number):
      let node = nodes[number] ?? NodeFacts(moment: start)
      (facts.mode, facts.user, facts.group) = (S_IFCHR | node.mode, node.user, node.group)
      (facts.device_major, facts.device_minor) = (89, UInt32(number))
      (facts.read, facts.written, facts.changed) = node.times
    }
    return facts
  }

  private func give(
    _ facts: interposer_facts, _ call: Call, to place: UInt64, isExtended: Bool = false
  ) -> Answer {
    var facts = facts
    return fill(call, to: place) {
      isExtended ? interposer_statx(&facts, $0) : interposer_stat(&facts, $0)
    }
  }

  /// Fills a structure and gives it to the caller.
  private func fill(
    _ call: Call, to place: UInt64, _ fill: (UnsafeMutableRawPointer?) -> Int32
  ) -> Answer {
    var bytes = [UInt8](repeating: 0, count: 256)
    let size = bytes.withUnsafeMutableBytes { fill($0.baseAddress) }
    guard size >= 0 else { return .failure(-size) }
    let isGiven = ProcessMemory(of: call, listener).write(Array(bytes.prefix(Int(size))), to: place)
    return isGiven ? .value(0) : .failure(EFAULT)
  }
}
