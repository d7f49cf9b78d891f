import CInterposer
import Glibc

/// Calls that make, remove and rename names.
extension Supervisor {
  /// `mkdir`, `symlink`, and the new name of a `link`: what is there already is there, and what is not
  /// cannot be made in folders of ours.
  func make(_ call: Call, directory: Int32, path: UInt64) -> Answer {
    switch find(call, directory: directory, path: path, follows: false) {
    case nil: return .pass
    case .machine(let text): return ClientPath.deviceNumber(text) == nil ? .pass : .failure(EPERM)
    case .beyond(let text): return noWay(to: text)
    case .failure(ENOTDIR) where isEntryWithSlash(call, directory, path): return .failure(EEXIST)
    case .failure(let errno): return .failure(errno)
    case .entry: return .failure(EEXIST)
    case .free(let text):
      guard ClientPath.deviceNumber(text) != nil else { return .failure(EROFS) }
      return .failure(identity(of: call).may(.overrideAccess) ? EPERM : EACCES)
    }
  }

  /// Whether a folder would be made over something of ours, by a name with a slash behind it.
  private func isEntryWithSlash(_ call: Call, _ directory: Int32, _ path: UInt64) -> Bool {
    guard call.system == .mkdir || call.system == .mkdirat,
      var bytes = ProcessMemory(of: call, listener).path(path)
    else { return false }
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let place = namedPlace(of: bytes, relativeTo: directory, call, follows: false)
    if case .entry? = place { return true }
    return false
  }

  /// `mknod`: a node that was removed can be made again.
  func makeNode(
    _ call: Call, directory: Int32, path: UInt64, mode: UInt64, device: UInt64
  ) -> Answer {
    guard case .free(let text)? = find(call, directory: directory, path: path, follows: false),
      let number = ClientPath.deviceNumber(text)
    else { return make(call, directory: directory, path: path) }
    let client = identity(of: call)
    guard client.may(.overrideAccess) else { return .failure(EACCES) }
    let isThisNode =
      UInt32(truncatingIfNeeded: mode) & S_IFMT == S_IFCHR && device == 89 << 8 | UInt64(number)
    guard client.may(.makeNodes), isThisNode else { return .failure(EPERM) }
    var facts = NodeFacts(moment: interposer_moment())
    facts.mode = UInt32(truncatingIfNeeded: mode) & 0o7777 & ~client.mask
    (facts.user, facts.group, facts.isGuarded) = (client.user, client.group, true)
    nodes[number] = facts
    tree.add(text, .device(number))
    return .value(0)
  }

  /// `unlink` and `rmdir`.
  func remove(_ call: Call, directory: Int32, path: UInt64, isFolder: Bool) -> Answer {
    look(call, directory: directory, path: path, follows: false) { path, entry in
      guard case .device = entry else { return .failure(EROFS) }
      guard identity(of: call).may(.overrideAccess) else { return .failure(EACCES) }
      if isFolder { return .failure(ENOTDIR) }
      tree.remove(path)
      return .value(0)
    }
  }

  /// `rename`: from and to a node's name; other file systems are another device.
  func rename(
    _ call: Call, from: (directory: Int32, path: UInt64), to: (directory: Int32, path: UInt64)
  ) -> Answer {
    let old = find(call, directory: from.directory, path: from.path, follows: false)
    let new = find(call, directory: to.directory, path: to.path, follows: false)
    for place in [old, new] {
      if case .failure(let errno) = place { return .failure(errno) }
      if case .beyond(let text) = place { return noWay(to: text) }
    }
    guard old.isOurs || new.isOurs || new.isNodeName else { return .pass }
    if case .free = old { return .failure(ENOENT) }
    if let old, old == new { return .value(0) }
    return leave(call, (old, from), (new, to))
  }

  /// `link`: a node stays the only one of its kind.
  func makeLink(
    _ call: Call, from: (directory: Int32, path: UInt64), to: (directory: Int32, path: UInt64),
    follows: Bool
  ) -> Answer {
    let old = find(call, directory: from.directory, path: from.path, follows: follows)
    let new = find(call, directory: to.directory, path: to.path, follows: false)
    if case .free = old { return .failure(ENOENT) }
    if new.isOurs || new.isNodeName { return make(call, directory: to.directory, path: to.path) }
    switch old {
    case nil, .machine: return .pass
    case .beyond(let text): return noWay(to: text)
    case .failure(let errno): return .failure(errno)
    default: break
    }
    return leave(call, (old, from), (new, to), isLink: true)
  }

  private typealias Named = (
    place: SyntheticTree.Place?, name: (directory: Int32, path: UInt64)
  )

  /// The refusal of a name that would leave its folder, or come into it.
  private func leave(_ call: Call, _ old: Named, _ new: Named, isLink: Bool = false) -> Answer {
    let texts = [old, new].map { text(of: $0.place, $0.name, call) }
    guard texts.allSatisfy({ $0.hasPrefix("/dev/") }) else {
      return .failure(texts.contains { $0.hasPrefix("/sys/") } ? EROFS : EXDEV)
    }
    if isLink || identity(of: call).may(.overrideAccess) { return .failure(EPERM) }
    return .failure(EACCES)
  }

  private func text(
    of place: SyntheticTree.Place?, _ name: (directory: Int32, path: UInt64), _ call: Call
  ) -> String {
    if let text = place?.text { return text }
    guard let bytes = ProcessMemory(of: call, listener).path(name.path),
      let path = ClientPath(
        bytes, relativeTo: { ClientPath.path(of: name.directory, call.thread) })
    else { return "" }
    return tree.place(of: path.text, follows: false).text ?? ""
  }

  /// `bind` of a socket to a path, which would make a file.
  func bind(_ call: Call) -> Answer {
    let count = Int(min(call[2], 110))
    guard count > 3, let address = ProcessMemory(of: call, listener).bytes(call[1], count: count),
      UInt16(address[0]) | UInt16(address[1]) << 8 == UInt16(AF_UNIX), address[2] != 0
    else { return .pass }
    let path = Array(address[2...].prefix { $0 != 0 })
    switch namedPlace(of: path, relativeTo: AT_FDCWD, call, follows: false) {
    case nil: return .pass
    case .machine(let text): return ClientPath.deviceNumber(text) == nil ? .pass : .failure(EACCES)
    case .beyond(let text): return noWay(to: text)
    case .failure(let errno): return .failure(errno)
    case .entry: return .failure(EADDRINUSE)
    case .free: return .failure(EACCES)
    }
  }
}

extension SyntheticTree.Place {
  /// The path, where there is one.
  var text: String? {
    switch self {
    case .entry(let text, _), .free(let text), .machine(let text), .beyond(let text): text
    case .failure: nil
    }
  }
}

extension SyntheticTree.Place? {
  /// Whether it is a place of ours.
  fileprivate var isOurs: Bool {
    switch self {
    case .entry, .free: true
    default: false
    }
  }

  /// Whether it has the name of a node, of ours or not.
  fileprivate var isNodeName: Bool { self?.text.flatMap(ClientPath.deviceNumber) != nil }
}
