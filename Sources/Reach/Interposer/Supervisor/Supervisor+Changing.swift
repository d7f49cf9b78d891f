import CInterposer
import Glibc

/// Calls that change files: a node is changed in memory alone, and nothing of its name ever reaches the
/// folders of the machine. What /sys shows cannot be changed, as where it is mounted for reading only.
extension Supervisor {
  /// `chmod` and its kin.
  func changeMode(_ call: Call, directory: Int32, path: UInt64, mode: UInt64) -> Answer {
    change(call, directory: directory, path: path) { number in
      changeMode(of: number, mode, call)
    }
  }

  /// `chown` and its kin.
  func changeOwner(
    _ call: Call, directory: Int32, path: UInt64, user: UInt64, group: UInt64,
    follows: Bool = true
  ) -> Answer {
    change(call, directory: directory, path: path, follows: follows) { number in
      changeOwner(of: number, user, group, call)
    }
  }

  /// `fchownat`: with an empty path it is about the descriptor.
  func changeOwnerAt(_ call: Call) -> Answer {
    let flags = call.int(4)
    if isAboutDescriptor(call, flags) {
      return changeDescriptor(call) { changeOwner(of: $0, call[2], call[3], call) }
    }
    return changeOwner(
      call, directory: call.int(0), path: call[1], user: call[2], group: call[3],
      follows: flags & AT_SYMLINK_NOFOLLOW == 0)
  }

  /// What a change of an open node does; other descriptors are the kernel's.
  func changeDescriptor(_ call: Call, _ body: (Int) -> Answer) -> Answer {
    if let device = device(call.int(0), call) { return body(device.bus.number) }
    return openPlace(call.int(0), call) == nil ? .pass : .failure(EROFS)
  }

  func changeMode(of number: Int, _ mode: UInt64, _ call: Call) -> Answer {
    let client = identity(of: call)
    guard let node = nodes[number], client.user == node.user || client.may(.actAsOwner) else {
      return .failure(EPERM)
    }
    nodes[number]?.mode = UInt32(truncatingIfNeeded: mode) & 0o7777
    return changed(number)
  }

  func changeOwner(of number: Int, _ user: UInt64, _ group: UInt64, _ call: Call) -> Answer {
    let client = identity(of: call)
    guard let node = nodes[number] else { return .failure(EPERM) }
    let (user, group) = (UInt32(truncatingIfNeeded: user), UInt32(truncatingIfNeeded: group))
    let keeps = UInt32.max
    if !client.may(.changeOwner) {
      let isOwner = client.user == node.user
      guard user == keeps || (isOwner && user == node.user),
        group == keeps || (isOwner && (group == node.group || client.isIn(group: group)))
      else { return .failure(EPERM) }
    }
    guard user != keeps || group != keeps else { return .value(0) }
    if user != keeps { nodes[number]?.user = user }
    if group != keeps { nodes[number]?.group = group }
    return changed(number)
  }

  private func changed(_ number: Int) -> Answer {
    nodes[number]?.isGuarded = true
    nodes[number]?.times.changed = interposer_moment()
    return .value(0)
  }

  /// `truncate`: a device has no length.
  func truncate(_ call: Call) -> Answer {
    if Int64(bitPattern: call[1]) < 0 { return .failure(EINVAL) }
    return look(call, directory: AT_FDCWD, path: call[0], follows: true) { _, entry in
      switch entry {
      case .device: .failure(EINVAL)
      case .folder: .failure(EISDIR)
      case .file, .link: .failure(EROFS)
      }
    }
  }

  /// `setxattr` and `removexattr`: a device takes none of a user's, and ours none at all.
  func changeAttributes(_ call: Call, follows: Bool) -> Answer {
    change(call, directory: AT_FDCWD, path: call[0], follows: follows) { _ in
      let name = ProcessMemory(of: call, listener).path(call[1]) ?? []
      let isUsers = name.starts(with: Array("user.".utf8))
      return .failure(isUsers || !identity(of: call).may(.administer) ? EPERM : EOPNOTSUPP)
    }
  }

  /// Changes a node; the rest of ours cannot be changed.
  func change(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool = true, _ body: (Int) -> Answer
  ) -> Answer {
    look(call, directory: directory, path: path, follows: follows) { _, entry in
      if case .device(let number) = entry { return body(number) }
      return .failure(EROFS)
    }
  }
}
