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
    workingFolders.set(nil, of: call.thread)
    gate.has_folders = !workingFolders.isEmpty
    return .pass
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
