import CInterposer
import Glibc

/// `stat`, `access`, `readlink`, `statfs` and extended attributes.
extension Supervisor {
  func status(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool, to address: UInt64
  ) -> Answer {
    withEntry(call, directory: directory, path: path, follows: follows) { path, entry in
      copyOut(metadata(of: path, entry), call, to: address)
    }
  }

  /// Answers `newfstatat`; with an empty path it applies to the descriptor.
  func statusAt(_ call: Call) -> Answer {
    let flags = call.int(3)
    if isAboutDescriptor(call, flags) {
      return statusOfDescriptor(call.int(0), call, to: call[2])
    }
    return status(
      call, directory: call.int(0), path: call[1], follows: flags & AT_SYMLINK_NOFOLLOW == 0,
      to: call[2])
  }

  func statusOfDescriptor(_ descriptor: Int32, _ call: Call, to address: UInt64) -> Answer {
    guard let metadata = metadata(of: descriptor, call) else { return .pass }
    return copyOut(metadata, call, to: address)
  }

  func extendedStatus(_ call: Call) -> Answer {
    let flags = call.int(2)
    if isAboutDescriptor(call, flags) {
      guard let metadata = metadata(of: call.int(0), call) else { return .pass }
      return copyOut(metadata, call, to: call[4], isExtended: true)
    }
    return withEntry(
      call, directory: call.int(0), path: call[1], follows: flags & AT_SYMLINK_NOFOLLOW == 0
    ) { path, entry in
      copyOut(metadata(of: path, entry), call, to: call[4], isExtended: true)
    }
  }

  func access(
    _ call: Call, directory: Int32, path: UInt64, mode: Int32, flags: Int32 = 0
  ) -> Answer {
    withEntry(
      call, directory: directory, path: path, follows: flags & AT_SYMLINK_NOFOLLOW == 0
    ) { _, entry in
      switch entry {
      case .device(let number):
        guard mode & X_OK == 0, mayAccess(number, UInt32(mode) & 6, call) else {
          return .failure(EACCES)
        }
      case .folder: if mode & W_OK != 0 { return .failure(EACCES) }
      case .file: if mode & (W_OK | X_OK) != 0 { return .failure(EACCES) }
      case .link: break
      }
      return .value(0)
    }
  }

  /// Answers `readlink`; with an empty path it applies to an open link.
  func readLink(
    _ call: Call, directory: Int32, path: UInt64, to address: UInt64, _ size: UInt64
  ) -> Answer {
    guard size > 0, size <= UInt64(Int32.max) else { return .pass }
    let memory = ProcessMemory(of: call, listener)
    guard let bytes = memory.path(path) else { return .pass }
    func copyOut(_ target: String) -> Answer {
      let part = Array(target.utf8.prefix(Int(size)))
      return memory.write(part, to: address) ? .value(Int64(part.count)) : .failure(EFAULT)
    }
    if bytes.isEmpty {
      guard let open = openEntry(directory, call) else { return .pass }
      if case .link(let target) = open.entry { return copyOut(target) }
      return .failure(ENOENT)
    }
    if let text = String(validating: bytes, as: UTF8.self),
      let target = descriptorTarget(text, call)
    {
      return copyOut(target)
    }
    return withEntry(call, directory: directory, path: path, follows: false) { _, entry in
      if case .link(let target) = entry { return copyOut(target) }
      return .failure(EINVAL)
    }
  }

  /// Answers calls that read extended attributes with `none`, because synthetic files have no such attributes.
  func attributes(_ call: Call, _ none: Answer, follows: Bool) -> Answer {
    withEntry(call, directory: AT_FDCWD, path: call[0], follows: follows) { _, _ in none }
  }

  /// Answers `statfs`: a node is on the file system of /dev, all other synthetic files are on sysfs.
  func fileSystem(_ call: Call) -> Answer {
    withEntry(call, directory: AT_FDCWD, path: call[0], follows: true) { _, entry in
      fileSystem(of: entry, call)
    }
  }

  /// Answers `fstatfs` for synthetic descriptors.
  func fileSystemOfDescriptor(_ call: Call) -> Answer {
    if let device = device(call.int(0), call) {
      return fileSystem(of: .device(device.bus.number), call)
    }
    return openEntry(call.int(0), call).map { fileSystem(of: $0.entry, call) } ?? .pass
  }

  private func fileSystem(of entry: SyntheticTree.Entry, _ call: Call) -> Answer {
    let type: Int64
    if case .device = entry { type = 0 } else { type = 0x6265_6572 }
    return fill(call, to: call[1]) { interposer_statfs("/dev", type, $0) }
  }

  /// AT_EMPTY_PATH, which Glibc's Swift overlay does not export.
  static let emptyPath: Int32 = 0x1000

  /// Returns `true` if a call with AT_EMPTY_PATH has an empty path and therefore applies to its descriptor.
  func isAboutDescriptor(_ call: Call, _ flags: Int32) -> Bool {
    guard flags & Self.emptyPath != 0 else { return false }
    return call[1] == 0 || ProcessMemory(of: call, listener).path(call[1])?.isEmpty == true
  }

  /// Resolves a path and calls `answer` for a synthetic entry; other paths pass to the kernel or fail.
  func withEntry(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool,
    _ answer: (String, SyntheticTree.Entry) -> Answer
  ) -> Answer {
    switch find(call, directory: directory, path: path, follows: follows) {
    case nil, .machine: .pass
    case .beyond(let text): rejectUnreachable(to: text)
    case .free: .failure(ENOENT)
    case .failure(let errno): .failure(errno)
    case .entry(let path, let entry): answer(path, entry)
    }
  }

  /// The metadata of a synthetic descriptor.
  private func metadata(of descriptor: Int32, _ call: Call) -> interposer_metadata? {
    if let device = device(descriptor, call) {
      return metadata(of: "/dev/i2c-\(device.bus.number)", .device(device.bus.number))
    }
    return openEntry(descriptor, call).map { metadata(of: $0.path, $0.entry) }
  }

  /// The device number of the file system that `stat` reports for nodes, directories and links; for files in /sys it
  /// reports the device number of their memfd.
  private static let fileSystem: UInt64 = 5

  /// The metadata of an entry for `stat`.
  private func metadata(of path: String, _ entry: SyntheticTree.Entry) -> interposer_metadata {
    // The inode number is a hash of the path (FNV-1a), so that it is stable.
    let inode = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    var metadata = interposer_metadata()
    (metadata.file_system, metadata.inode, metadata.links) = (Self.fileSystem, inode >> 16 | 1, 1)
    (metadata.read, metadata.written, metadata.changed) = (start, start, start)
    switch entry {
    case .file(let bytes):
      (metadata.mode, metadata.size) = (S_IFREG | 0o444, UInt64(bytes.count))
      _ = interposer_file_metadata(syntheticFiles.file(at: path, bytes), &metadata)
    case .link(let target):
      (metadata.mode, metadata.size) = (S_IFLNK | 0o777, UInt64(target.utf8.count))
    case .folder: (metadata.mode, metadata.links) = (S_IFDIR | 0o755, 2)
    case .device(let number):
      let node = nodes[number] ?? NodeMetadata(moment: start)
      (metadata.mode, metadata.user, metadata.group) = (S_IFCHR | node.mode, node.user, node.group)
      (metadata.device_major, metadata.device_minor) = (89, UInt32(number))
      (metadata.read, metadata.written, metadata.changed) = node.times
    }
    return metadata
  }

  private func copyOut(
    _ metadata: interposer_metadata, _ call: Call, to address: UInt64, isExtended: Bool = false
  ) -> Answer {
    var metadata = metadata
    return fill(call, to: address) {
      isExtended ? interposer_statx(&metadata, $0) : interposer_stat(&metadata, $0)
    }
  }

  /// Fills a structure and copies it to the caller's memory.
  private func fill(
    _ call: Call, to address: UInt64, _ fill: (UnsafeMutableRawPointer?) -> Int32
  ) -> Answer {
    var bytes = [UInt8](repeating: 0, count: 256)
    let size = bytes.withUnsafeMutableBytes { fill($0.baseAddress) }
    guard size >= 0 else { return .failure(-size) }
    let isGiven = ProcessMemory(of: call, listener).write(
      Array(bytes.prefix(Int(size))), to: address)
    return isGiven ? .value(0) : .failure(EFAULT)
  }
}
