import CInterposer
import Glibc

/// `mkdir`, `mknod`, `unlink`, `rename`, `link`, `symlink` and `bind`.
extension Supervisor {
  /// Answers `mkdir` and `symlink`, and checks the new name of a `link` or `mknod`.
  ///
  /// An existing entry gives EEXIST, and nothing can be created in synthetic directories.
  func createEntry(_ call: Call, directory: Int32, path: UInt64) -> Answer {
    switch find(call, directory: directory, path: path, follows: false) {
    case nil: return .pass
    case .machine(let text): return ClientPath.deviceNumber(text) == nil ? .pass : .failure(EPERM)
    case .beyond(let text): return rejectUnreachable(to: text)
    case .failure(ENOTDIR) where isEntryWithSlash(call, directory, path): return .failure(EEXIST)
    case .failure(let errno): return .failure(errno)
    case .entry: return .failure(EEXIST)
    case .free(let text):
      guard ClientPath.deviceNumber(text) != nil else { return .failure(EROFS) }
      return .failure(identity(of: call).may(.overrideAccess) ? EPERM : EACCES)
    }
  }

  /// Returns `true` if a call is a `mkdir` whose path is that of a synthetic entry with a trailing slash.
  private func isEntryWithSlash(_ call: Call, _ directory: Int32, _ path: UInt64) -> Bool {
    guard call.system == .mkdir || call.system == .mkdirat,
      var bytes = ProcessMemory(of: call, listener).path(path)
    else { return false }
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let resolved = resolveNodeName(of: bytes, relativeTo: directory, call, follows: false)
    if case .entry? = resolved { return true }
    return false
  }

  /// Answers `mknod`, by which a removed node can be created again.
  func createNode(
    _ call: Call, directory: Int32, path: UInt64, mode: UInt64, device: UInt64
  ) -> Answer {
    guard case .free(let text)? = find(call, directory: directory, path: path, follows: false),
      let number = ClientPath.deviceNumber(text)
    else { return createEntry(call, directory: directory, path: path) }
    let client = identity(of: call)
    guard client.may(.overrideAccess) else { return .failure(EACCES) }
    let isThisNode =
      UInt32(truncatingIfNeeded: mode) & S_IFMT == S_IFCHR && device == 89 << 8 | UInt64(number)
    guard client.may(.makeNodes), isThisNode else { return .failure(EPERM) }
    var metadata = NodeMetadata(moment: interposer_realtime())
    metadata.mode = UInt32(truncatingIfNeeded: mode) & 0o7777 & ~client.mask
    (metadata.user, metadata.group, metadata.hasRestrictedAccess) = (
      client.user, client.group, true
    )
    nodes[number] = metadata
    tree.add(text, .device(number))
    return .value(0)
  }

  /// Answers `unlink` and `rmdir`.
  func remove(_ call: Call, directory: Int32, path: UInt64, isFolder: Bool) -> Answer {
    withEntry(call, directory: directory, path: path, follows: false) { path, entry in
      guard case .device = entry else { return .failure(EROFS) }
      guard identity(of: call).may(.overrideAccess) else { return .failure(EACCES) }
      if isFolder { return .failure(ENOTDIR) }
      tree.remove(path)
      return .value(0)
    }
  }

  /// Answers a `rename` whose old or new name is that of a node; moving a node to another file system returns EXDEV.
  func rename(
    _ call: Call, from: (directory: Int32, path: UInt64), to: (directory: Int32, path: UInt64)
  ) -> Answer {
    let old = find(call, directory: from.directory, path: from.path, follows: false)
    let new = find(call, directory: to.directory, path: to.path, follows: false)
    for resolved in [old, new] {
      if case .failure(let errno) = resolved { return .failure(errno) }
      if case .beyond(let text) = resolved { return rejectUnreachable(to: text) }
    }
    guard old.isSynthetic || new.isSynthetic || new.isNodeName else { return .pass }
    if case .free = old { return .failure(ENOENT) }
    if let old, old == new { return .value(0) }
    return rejectMove(call, (old, from), (new, to))
  }

  /// Answers `link`: a node cannot have a second name.
  func createLink(
    _ call: Call, from: (directory: Int32, path: UInt64), to: (directory: Int32, path: UInt64),
    follows: Bool
  ) -> Answer {
    let old = find(call, directory: from.directory, path: from.path, follows: follows)
    let new = find(call, directory: to.directory, path: to.path, follows: false)
    if case .free = old { return .failure(ENOENT) }
    if new.isSynthetic || new.isNodeName {
      return createEntry(call, directory: to.directory, path: to.path)
    }
    switch old {
    case nil, .machine: return .pass
    case .beyond(let text): return rejectUnreachable(to: text)
    case .failure(let errno): return .failure(errno)
    default: break
    }
    return rejectMove(call, (old, from), (new, to), isLink: true)
  }

  private typealias Named = (
    resolved: SyntheticTree.Resolution?, name: (directory: Int32, path: UInt64)
  )

  /// The failure of a `rename` or `link` of a node, whose errno depends on the directories of the two names.
  private func rejectMove(_ call: Call, _ old: Named, _ new: Named, isLink: Bool = false) -> Answer
  {
    let texts = [old, new].map { text(of: $0.resolved, $0.name, call) }
    guard texts.allSatisfy({ $0.hasPrefix("/dev/") }) else {
      return .failure(texts.contains { $0.hasPrefix("/sys/") } ? EROFS : EXDEV)
    }
    if isLink || identity(of: call).may(.overrideAccess) { return .failure(EPERM) }
    return .failure(EACCES)
  }

  private func text(
    of resolved: SyntheticTree.Resolution?, _ name: (directory: Int32, path: UInt64), _ call: Call
  ) -> String {
    if let text = resolved?.text { return text }
    guard let bytes = ProcessMemory(of: call, listener).path(name.path),
      let path = ClientPath(
        bytes, relativeTo: { ClientPath.path(of: name.directory, call.thread) })
    else { return "" }
    return tree.resolve(path.text, follows: false).text ?? ""
  }

  /// Answers `bind` of a Unix socket to a path, which would create a file.
  func bind(_ call: Call) -> Answer {
    let count = Int(min(call[2], 110))
    guard count > 3, let address = ProcessMemory(of: call, listener).bytes(call[1], count: count),
      UInt16(address[0]) | UInt16(address[1]) << 8 == UInt16(AF_UNIX), address[2] != 0
    else { return .pass }
    let path = Array(address[2...].prefix { $0 != 0 })
    switch resolveNodeName(of: path, relativeTo: AT_FDCWD, call, follows: false) {
    case nil: return .pass
    case .machine(let text): return ClientPath.deviceNumber(text) == nil ? .pass : .failure(EACCES)
    case .beyond(let text): return rejectUnreachable(to: text)
    case .failure(let errno): return .failure(errno)
    case .entry: return .failure(EADDRINUSE)
    case .free: return .failure(EACCES)
    }
  }
}

extension SyntheticTree.Resolution {
  /// The resolved path; `nil` after a failure.
  var text: String? {
    switch self {
    case .entry(let text, _), .free(let text), .machine(let text), .beyond(let text): text
    case .failure: nil
    }
  }
}

extension SyntheticTree.Resolution? {
  /// `true` for a synthetic entry or a free name in a synthetic directory.
  fileprivate var isSynthetic: Bool {
    switch self {
    case .entry, .free: true
    default: false
    }
  }

  /// `true` for the name of an I2C node, synthetic or not.
  fileprivate var isNodeName: Bool { self?.text.flatMap(ClientPath.deviceNumber) != nil }
}
