import CInterposer
import Glibc

/// Resolution of client paths to synthetic or host files.
extension Supervisor {
  /// Resolves a path of a call.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - directory: the descriptor that the path is relative to, or AT_FDCWD.
  ///   - path: the address of the path in the client's memory.
  ///   - follows: `true` to follow a link at the end of the path.
  /// - Returns: the result; `nil` if the path cannot concern the interposer.
  func find(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool = true
  ) -> SyntheticTree.Resolution? {
    guard let bytes = ProcessMemory(of: call, listener).path(path) else {
      reportIfUnreadable(call, path)
      return nil
    }
    guard !bytes.isEmpty else { return nil }
    return follows
      ? resolveFollowingLinks(of: bytes, relativeTo: directory, call)
      : resolveNodeName(of: bytes, relativeTo: directory, call, follows: false)
  }

  /// Resolves a path; returns `nil` if its text alone shows that it cannot lead to a synthetic file.
  func resolveIfRelevant(
    of bytes: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Resolution? {
    let isRelevant = bytes.withUnsafeBytes {
      interposer_is_relevant_path(
        &prefilter, directory, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
    return isRelevant ? resolve(bytes, relativeTo: directory, call, follows: follows) : nil
  }

  /// Resolves a path that a client passed.
  func resolve(
    _ bytes: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Resolution? {
    var startsInSynthetic = false
    let path = ClientPath(bytes) {
      if directory < 0 {
        let folder = workingDirectories.folder(of: call.thread)
        startsInSynthetic = folder != nil
        return folder ?? ClientPath.path(of: directory, call.thread)
      }
      if let open = openEntry(directory, call) {
        startsInSynthetic = true
        return open.path
      }
      return ClientPath.path(of: directory, call.thread)
    }
    guard let path = path?.withoutOwnRoot else { return nil }
    if follows, let target = descriptorTarget(path.text, call) {
      return tree.resolve(target)
    }
    let resolved = tree.resolve(path.text, follows: follows)
    guard case .machine(let text) = resolved else { return resolved }
    if let number = ClientPath.deviceNumber(text), buses[number] != nil { return .free(text) }
    guard startsInSynthetic else { return resolved }
    return tree[text].map { .entry(text, $0) } ?? .beyond(text)
  }

  /// Returns the path behind a name such as /proc/self/fd/3 if that descriptor is synthetic.
  func descriptorTarget(_ text: String, _ call: Call) -> String? {
    for folder in ["/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"]
    where text.hasPrefix(folder) {
      guard let descriptor = Int32(text.dropFirst(folder.count)) else { return nil }
      if let device = device(descriptor, call) { return "/dev/i2c-\(device.bus.number)" }
      return openEntry(descriptor, call)?.path
    }
    return nil
  }

  /// Returns the synthetic directory or link behind a descriptor of the caller.
  func openEntry(_ descriptor: Int32, _ call: Call) -> OpenEntry? {
    guard descriptor >= 0, !openEntries.isEmpty else { return nil }
    return openEntries[interposer_socket(call.thread, descriptor)]
  }

  /// Rejects a path that reaches a host file through a synthetic directory or link, because the kernel cannot follow
  /// the path and the supervisor must not open host files for the client.
  func rejectUnreachable(to text: String) -> Answer {
    report(
      "\(text) was not found by a relative path from a synthetic directory; use its absolute path",
      about: -7)
    return .failure(ENOENT)
  }

  /// The credentials of the caller.
  func identity(of call: Call) -> interposer_credentials {
    var client = interposer_credentials()
    _ = interposer_read_credentials(call.thread, &client)
    return client
  }
}

/// Symbolic links on the host that lead to synthetic files.
extension Supervisor {
  /// The maximum number of links in a path, as in the kernel.
  private static let mostLinks = 40

  /// Resolves a path and follows host links at its end.
  ///
  /// - Returns: the result; `nil` if the path cannot concern the interposer.
  func resolveFollowingLinks(
    of path: [UInt8], relativeTo directory: Int32, _ call: Call
  ) -> SyntheticTree.Resolution? {
    var path = path
    for _ in 0..<Self.mostLinks {
      let resolved = resolveNodeName(of: path, relativeTo: directory, call)
      switch resolved {
      case nil, .machine: break
      default: return resolved
      }
      let target = text(of: path, directory, call, interposer_link)
      guard !target.isEmpty else { return resolved }
      path = target
    }
    return nil
  }

  /// Resolves a path whose last component may name a node in /dev although its text does not start with /dev, because
  /// it leads there through links, /proc/self/root or another mount of /dev.
  func resolveNodeName(
    of path: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Resolution? {
    let resolved = resolveIfRelevant(of: path, relativeTo: directory, call, follows: follows)
    switch resolved {
    case .machine(let text) where ClientPath.deviceNumber(text) != nil: return resolved
    case nil, .machine: break
    default: return resolved
    }
    let slash = UInt8(ascii: "/")
    let slashes = path.reversed().prefix { $0 == slash }.count
    let name = path.dropLast(slashes).split(separator: slash).last ?? []
    guard name.starts(with: Array("i2c-".utf8)) else { return resolved }
    let text = "/dev/" + String(decoding: name, as: UTF8.self)
    let isInDevices = (path + [0]).withUnsafeBytes {
      interposer_is_in_dev(
        call.thread, directory, $0.bindMemory(to: CChar.self).baseAddress)
    }
    guard ClientPath.deviceNumber(text) != nil, isInDevices else { return resolved }
    return resolve(
      Array(text.utf8) + path.suffix(slashes), relativeTo: AT_FDCWD, call, follows: follows)
  }

  /// Resolves the path of a file that `open` with O_CREAT would create in /dev, even if it leads there through links
  /// that are otherwise not followed.
  func resolveCreationInDev(
    _ call: Call, directory: Int32, path: UInt64, _ known: SyntheticTree.Resolution?
  ) -> SyntheticTree.Resolution? {
    switch known {
    case nil, .machine: break
    default: return nil
    }
    guard let path = ProcessMemory(of: call, listener).path(path) else { return nil }
    let name = text(of: path, directory, call, interposer_created_in_dev)
    let text = "/dev/" + String(decoding: name, as: UTF8.self)
    guard ClientPath.deviceNumber(text) != nil else { return nil }
    return resolve(Array(text.utf8), relativeTo: AT_FDCWD, call)
  }

  /// Handles `chroot` and `pivot_root`, after which the same path may name different files for this process and for
  /// clients.
  func changeRoot(_ call: Call) -> Answer {
    if isRelativeInSyntheticDirectory(call) { return .failure(ENOENT) }
    prefilter.has_chroots = true
    return .pass
  }

  private typealias Fill = (
    Int32, Int32, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int
  ) -> Int

  /// Calls a C function that derives a text from a path, such as the target of a link, and returns this text.
  private func text(of path: [UInt8], _ directory: Int32, _ call: Call, _ fill: Fill) -> [UInt8] {
    let path = (path + [0]).map { CChar(bitPattern: $0) }
    return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) {
        max(fill(call.thread, directory, path, $0.baseAddress, $0.count), 0)
      }
    }
  }
}
