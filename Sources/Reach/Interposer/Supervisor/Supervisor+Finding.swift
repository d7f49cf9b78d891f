import CInterposer
import Glibc

/// Where the paths of clients lead.
extension Supervisor {
  /// Where a path of a call leads, or `nil` if it cannot concern us.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - directory: the descriptor that the path is relative to, or AT_FDCWD.
  ///   - path: where the path lies in the client's memory.
  ///   - follows: whether a link at its end is followed.
  /// - Returns: the place.
  func find(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool = true
  ) -> SyntheticTree.Place? {
    guard let bytes = ProcessMemory(of: call, listener).path(path) else {
      tellIfClosed(call, path)
      return nil
    }
    guard !bytes.isEmpty else { return nil }
    return follows
      ? placeBehindLinks(of: bytes, relativeTo: directory, call)
      : namedPlace(of: bytes, relativeTo: directory, call, follows: false)
  }

  /// Where a path leads, or `nil` if its text alone tells that it cannot concern us.
  func matteringPlace(
    of bytes: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Place? {
    let matters = bytes.withUnsafeBytes {
      interposer_matters(
        &gate, directory, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
    return matters ? place(of: bytes, relativeTo: directory, call, follows: follows) : nil
  }

  /// Where a path leads that a client has given.
  func place(
    of bytes: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Place? {
    var isFromOurs = false
    let path = ClientPath(bytes) {
      if directory < 0 {
        let folder = workingFolders.folder(of: call.thread)
        isFromOurs = folder != nil
        return folder ?? ClientPath.path(of: directory, call.thread)
      }
      if let place = openPlace(directory, call) {
        isFromOurs = true
        return place.path
      }
      return ClientPath.path(of: directory, call.thread)
    }
    guard let path = path?.behindOwnRoot else { return nil }
    if follows, let target = descriptorTarget(path.text, call) {
      return tree.place(of: target)
    }
    let place = tree.place(of: path.text, follows: follows)
    guard case .machine(let text) = place else { return place }
    if let number = ClientPath.deviceNumber(text), buses[number] != nil { return .free(text) }
    guard isFromOurs else { return place }
    return tree[text].map { .entry(text, $0) } ?? .beyond(text)
  }

  /// The path of what a name such as /proc/self/fd/3 stands for, where that is ours.
  func descriptorTarget(_ text: String, _ call: Call) -> String? {
    for folder in ["/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"]
    where text.hasPrefix(folder) {
      guard let descriptor = Int32(text.dropFirst(folder.count)) else { return nil }
      if let device = device(descriptor, call) { return "/dev/i2c-\(device.bus.number)" }
      return openPlace(descriptor, call)?.path
    }
    return nil
  }

  /// The folder or link of ours behind a descriptor of the caller.
  func openPlace(_ descriptor: Int32, _ call: Call) -> OpenPlace? {
    guard descriptor >= 0, !places.isEmpty else { return nil }
    return places[interposer_socket(call.thread, descriptor)]
  }

  /// The answer about something of the machine to which only we know the way: the kernel cannot go it,
  /// and we must not go it for the client.
  func noWay(to text: String) -> Answer {
    tell(
      "\(text) was not found by a relative path out of a made-up folder; its absolute path works",
      about: -7)
    return .failure(ENOENT)
  }

  /// Who a caller is.
  func identity(of call: Call) -> interposer_client {
    var client = interposer_client()
    _ = interposer_identify(call.thread, &client)
    return client
  }
}
