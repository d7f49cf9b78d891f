import CInterposer
import Glibc

/// Working in folders of ours: the kernel cannot go there, so we remember who does.
extension Supervisor {
  /// `chdir`.
  func changeFolder(_ call: Call) -> Answer {
    guard let bytes = ProcessMemory(of: call, listener).path(call[0]), !bytes.isEmpty else {
      return .pass
    }
    guard let place = find(call, directory: AT_FDCWD, path: call[0]) else {
      return leaveFolder(String(decoding: bytes, as: UTF8.self), call)
    }
    switch place {
    case .machine(let text): return leaveFolder(text, call)
    case .beyond(let text): return noWay(to: text)
    case .free: return .failure(ENOENT)
    case .failure(let errno): return .failure(errno)
    case .entry(let path, .folder): return work(in: path, call)
    case .entry: return .failure(ENOTDIR)
    }
  }

  /// `fchdir`.
  func changeFolderToDescriptor(_ call: Call) -> Answer {
    if let place = openPlace(call.int(0), call) {
      guard case .folder = place.entry else { return .failure(ENOTDIR) }
      return work(in: place.path, call)
    }
    if device(call.int(0), call) != nil { return .failure(ENOTDIR) }
    guard !workingFolders.isEmpty, interposer_is_folder(call.thread, call.int(0)) else {
      return .pass
    }
    workingFolders.set(nil, of: call.thread)
    gate.has_folders = !workingFolders.isEmpty
    return .pass
  }

  /// Whether a call goes by a relative path out of a folder of ours: the kernel would go it out of the folder in
  /// which it holds the program.
  func isAstray(_ call: Call) -> Bool {
    guard !workingFolders.isEmpty, workingFolders.folder(of: call.thread) != nil else {
      return false
    }
    return relativePaths(of: call).contains { way in
      guard way.directory < 0, let path = ProcessMemory(of: call, listener).path(way.path) else {
        return false
      }
      return !path.isEmpty && path.first != UInt8(ascii: "/")
    }
  }

  /// The paths of calls that are not served where they lead to something of ours.
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
      // A source is a path for MS_BIND and MS_MOVE; else it can be any word.
      let isPath = call[3] & (4096 | 8192) != 0
      return [(here, call[1])] + (isPath ? [(here, call[0])] : [])
    default: return []
    }
  }

  /// `getcwd`: the length with the end, as the kernel gives it.
  func tellFolder(_ call: Call) -> Answer {
    guard let folder = workingFolders.folder(of: call.thread) else { return .pass }
    let bytes = Array(folder.utf8) + [0]
    guard UInt64(bytes.count) <= call[1] else { return .failure(ERANGE) }
    return ProcessMemory(of: call, listener).write(bytes, to: call[0])
      ? .value(Int64(bytes.count)) : .failure(EFAULT)
  }

  private func work(in path: String, _ call: Call) -> Answer {
    workingFolders.set(path, of: call.thread)
    gate.has_folders = true
    return .value(0)
  }

  /// Lets a process go to a folder of the machine: from then on the kernel knows where it is.
  private func leaveFolder(_ text: String, _ call: Call) -> Answer {
    guard !workingFolders.isEmpty else { return .pass }
    if interposer_has_folder(call.thread, text) { workingFolders.set(nil, of: call.thread) }
    gate.has_folders = !workingFolders.isEmpty
    return .pass
  }
}
