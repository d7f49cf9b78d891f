import CInterposer
import Glibc

/// `chdir`, `fchdir` and `getcwd` for synthetic directories.
///
/// The kernel cannot enter synthetic directories, so the supervisor records the working directory of each process that
/// has changed to one.
extension Supervisor {
  /// Answers `chdir`.
  func changeDirectory(_ call: Call) -> Answer {
    guard let bytes = ProcessMemory(of: call, listener).path(call[0]), !bytes.isEmpty else {
      return .pass
    }
    guard let resolved = find(call, directory: AT_FDCWD, path: call[0]) else {
      return leaveSyntheticDirectory(String(decoding: bytes, as: UTF8.self), call)
    }
    switch resolved {
    case .machine(let text): return leaveSyntheticDirectory(text, call)
    case .beyond(let text): return rejectUnreachable(to: text)
    case .free: return .failure(ENOENT)
    case .failure(let errno): return .failure(errno)
    case .entry(let path, .folder): return enter(path, call)
    case .entry: return .failure(ENOTDIR)
    }
  }

  /// Answers `fchdir`.
  func changeDirectoryToDescriptor(_ call: Call) -> Answer {
    if let open = openEntry(call.int(0), call) {
      guard case .folder = open.entry else { return .failure(ENOTDIR) }
      return enter(open.path, call)
    }
    if device(call.int(0), call) != nil { return .failure(ENOTDIR) }
    guard !workingDirectories.isEmpty, interposer_is_directory(call.thread, call.int(0)) else {
      return .pass
    }
    workingDirectories.set(nil, of: call.thread)
    prefilter.has_folders = !workingDirectories.isEmpty
    return .pass
  }

  /// Returns `true` if a call uses a path relative to a synthetic working directory, which the kernel would resolve
  /// from the process's last host directory.
  func isRelativeInSyntheticDirectory(_ call: Call) -> Bool {
    guard !workingDirectories.isEmpty, workingDirectories.folder(of: call.thread) != nil else {
      return false
    }
    return relativePaths(of: call).contains { argument in
      guard argument.directory < 0, let path = ProcessMemory(of: call, listener).path(argument.path)
      else {
        return false
      }
      return !path.isEmpty && path.first != UInt8(ascii: "/")
    }
  }

  /// The path arguments of a call, for those calls that are not served for synthetic files.
  private func relativePaths(of call: Call) -> [(directory: Int32, path: UInt64)] {
    let here = AT_FDCWD
    switch call.system {
    case .chroot, .umount2, .swapon, .swapoff, .acct, .execve: return [(here, call[0])]
    case .inotifyAddWatch, .quotactl: return [(here, call[1])]
    case .pivotRoot: return [(here, call[0]), (here, call[1])]
    case .nameToHandleAt, .openTree, .fspick, .mountSetattr, .execveat:
      return [(call.int(0), call[1])]
    case .fanotifyMark: return [(call.int(3), call[4])]
    case .moveMount: return [(call.int(0), call[1]), (call.int(2), call[3])]
    case .mount:
      // The source is a path only for MS_BIND and MS_MOVE.
      let isPath = call[3] & (4096 | 8192) != 0
      return [(here, call[1])] + (isPath ? [(here, call[0])] : [])
    default: return []
    }
  }

  /// Answers `getcwd` with the length including the terminating zero, as the kernel does.
  func getWorkingDirectory(_ call: Call) -> Answer {
    guard let folder = workingDirectories.folder(of: call.thread) else { return .pass }
    let bytes = Array(folder.utf8) + [0]
    guard UInt64(bytes.count) <= call[1] else { return .failure(ERANGE) }
    return ProcessMemory(of: call, listener).write(bytes, to: call[0])
      ? .value(Int64(bytes.count)) : .failure(EFAULT)
  }

  private func enter(_ path: String, _ call: Call) -> Answer {
    workingDirectories.set(path, of: call.thread)
    prefilter.has_folders = true
    return .value(0)
  }

  /// Handles a change to a host directory, after which the kernel's working directory is valid again.
  private func leaveSyntheticDirectory(_ text: String, _ call: Call) -> Answer {
    guard !workingDirectories.isEmpty else { return .pass }
    if interposer_has_directory(call.thread, text) { workingDirectories.set(nil, of: call.thread) }
    prefilter.has_folders = !workingDirectories.isEmpty
    return .pass
  }
}

/// `getdents64`: entries of synthetic directories, and synthetic entries in host directories.
extension Supervisor {
  /// Answers `getdents64`.
  func entries(_ call: Call) -> Answer {
    let descriptor = call.int(0)
    if let open = openEntry(descriptor, call) { return entries(of: open, call) }
    guard let path = ClientPath.path(of: descriptor, call.thread),
      tree[path] == .folder(isShared: true)
    else { return .pass }
    let names = tree.names(in: path)
    guard !names.isEmpty, interposer_is_at_offset_zero(call.thread, descriptor) else {
      return .pass
    }
    let process = identity(of: call).process
    defer { prefilter.has_listings = !listings.isEmpty }
    var given = listings[process, descriptor]
    var buffer = EntryBuffer(capacity: call[2])
    while given < names.count {
      if let entry = added(names[given], to: path, descriptor, call),
        !buffer.append(names[given], entry, at: Int64.max)
      {
        break
      }
      given += 1
    }
    guard given < names.count || !buffer.bytes.isEmpty else {
      listings[process, descriptor] = 0
      return .pass
    }
    listings[process, descriptor] = given
    return copyOut(buffer, call)
  }

  /// The synthetic entry to add to a host directory; `nil` if the host has an entry of that name.
  private func added(
    _ name: String, to path: String, _ descriptor: Int32, _ call: Call
  ) -> SyntheticTree.Entry? {
    let entry = tree.entry(name, in: path)
    if case .folder(isShared: true) = entry { return nil }
    return interposer_directory_has(call.thread, descriptor, name) ? nil : entry
  }

  private func entries(of open: OpenEntry, _ call: Call) -> Answer {
    guard case .folder = open.entry else { return .failure(ENOTDIR) }
    let folder = SyntheticTree.Entry.folder(isShared: false)
    let names = tree.names(in: open.path)
    let dotEntries = [".", ".."]
    guard open.position < dotEntries.count + names.count else { return .value(0) }
    var buffer = EntryBuffer(capacity: call[2])
    while open.position < dotEntries.count + names.count {
      let isDotEntry = open.position < dotEntries.count
      let name = isDotEntry ? dotEntries[open.position] : names[open.position - dotEntries.count]
      let entry = isDotEntry ? folder : tree.entry(name, in: open.path) ?? folder
      guard buffer.append(name, entry, at: Int64(open.position + 1)) else { break }
      open.position += 1
    }
    return copyOut(buffer, call)
  }

  private func copyOut(_ buffer: EntryBuffer, _ call: Call) -> Answer {
    guard !buffer.bytes.isEmpty else { return .failure(EINVAL) }
    let isGiven = ProcessMemory(of: call, listener).write(buffer.bytes, to: call[1])
    return isGiven ? .value(Int64(buffer.bytes.count)) : .failure(EFAULT)
  }

  /// Answers `lseek` on a synthetic directory, to its start or to the offset of an entry.
  func seek(_ open: OpenEntry, _ call: Call) -> Answer {
    let offset = Int64(bitPattern: call[1])
    guard case .folder = open.entry else { return .failure(EBADF) }
    guard call.int(2) == SEEK_SET, offset >= 0 else { return .failure(EINVAL) }
    open.position = Int(min(offset, 1 << 20))
    return .value(offset)
  }
}

/// A buffer of directory entries in the format of `getdents64`, limited to the caller's buffer size.
struct EntryBuffer {
  private(set) var bytes: [UInt8] = []
  private let capacity: Int
  private var isFull = false

  init(capacity: UInt64) { self.capacity = Int(min(capacity, 65_536)) }

  /// Appends a `struct linux_dirent64` (inode, offset, length, type, zero-terminated name), padded to a multiple of 8
  /// bytes.
  ///
  /// - Returns: `false` if the buffer is full.
  mutating func append(_ name: String, _ entry: SyntheticTree.Entry, at offset: Int64) -> Bool {
    let length = (19 + name.utf8.count + 1 + 7) / 8 * 8
    guard !isFull, bytes.count + length <= capacity else {
      isFull = true
      return false
    }
    let end = bytes.count + length
    bytes += [1, 0, 0, 0, 0, 0, 0, 0]
    bytes += withUnsafeBytes(of: offset.littleEndian) { Array($0) }
    bytes += [UInt8(length & 0xFF), UInt8(length >> 8), Self.type(of: entry)]
    bytes += Array(name.utf8)
    bytes += repeatElement(0, count: end - bytes.count)
    return true
  }

  private static func type(of entry: SyntheticTree.Entry) -> UInt8 {
    switch entry {
    case .file: UInt8(DT_REG)
    case .link: UInt8(DT_LNK)
    case .folder: UInt8(DT_DIR)
    case .device: UInt8(DT_CHR)
    }
  }
}
