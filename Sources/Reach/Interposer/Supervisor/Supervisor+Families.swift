import CInterposer
import Glibc

/// Which call of the families that change files is answered how.
extension Supervisor {
  /// Answers a call that changes files.
  func change(_ call: Call) -> Answer {
    let (here, at) = (AT_FDCWD, call.int(0))
    switch call.system {
    case .chmod: return changeMode(call, directory: here, path: call[0], mode: call[1])
    case .fchmodat: return changeMode(call, directory: at, path: call[1], mode: call[2])
    case .fchmodat2:
      if isAboutDescriptor(call, call.int(3)) {
        return changeDescriptor(call) { changeMode(of: $0, call[2], call) }
      }
      return changeMode(call, directory: at, path: call[1], mode: call[2])
    case .fchmod: return changeDescriptor(call) { changeMode(of: $0, call[1], call) }
    case .chown, .lchown:
      return changeOwner(
        call, directory: here, path: call[0], user: call[1], group: call[2],
        follows: call.system == .chown)
    case .fchown: return changeDescriptor(call) { changeOwner(of: $0, call[1], call[2], call) }
    case .fchownat: return changeOwnerAt(call)
    case .utime: return changeTimes(call, directory: here, path: call[0], times: call[1], .seconds)
    case .utimes:
      return changeTimes(call, directory: here, path: call[0], times: call[1], .microseconds)
    case .futimesat:
      return changeTimes(call, directory: at, path: call[1], times: call[2], .microseconds)
    case .utimensat: return changeTimesAt(call)
    case .truncate: return truncate(call)
    case .setxattr, .removexattr: return changeAttributes(call, follows: true)
    case .lsetxattr, .lremovexattr: return changeAttributes(call, follows: false)
    default: return changeName(call)
    }
  }

  /// Answers a call that makes, removes or renames.
  private func changeName(_ call: Call) -> Answer {
    let (here, at) = (AT_FDCWD, call.int(0))
    switch call.system {
    case .creat:
      return open(call, directory: here, path: call[0], flags: O_CREAT | O_WRONLY | O_TRUNC)
    case .mkdir: return make(call, directory: here, path: call[0])
    case .mkdirat: return make(call, directory: at, path: call[1])
    case .symlink: return make(call, directory: here, path: call[1])
    case .symlinkat: return make(call, directory: call.int(1), path: call[2])
    case .mknod:
      return makeNode(call, directory: here, path: call[0], mode: call[1], device: call[2])
    case .mknodat:
      return makeNode(call, directory: at, path: call[1], mode: call[2], device: call[3])
    case .rmdir: return remove(call, directory: here, path: call[0], isFolder: true)
    case .unlink: return remove(call, directory: here, path: call[0], isFolder: false)
    case .unlinkat:
      let removesFolder: Int32 = 0x200
      return remove(
        call, directory: at, path: call[1], isFolder: call.int(2) & removesFolder != 0)
    case .rename: return rename(call, from: (here, call[0]), to: (here, call[1]))
    case .renameat, .renameat2:
      return rename(call, from: (at, call[1]), to: (call.int(2), call[3]))
    case .link: return makeLink(call, from: (here, call[0]), to: (here, call[1]), follows: false)
    case .linkat:
      let followsLinks: Int32 = 0x400
      return makeLink(
        call, from: (at, call[1]), to: (call.int(2), call[3]),
        follows: call.int(4) & followsLinks != 0)
    case .bind: return bind(call)
    default: return isAstray(call) ? .failure(ENOENT) : .pass
    }
  }

  /// Tells the gate what there is.
  static func prepare(_ gate: inout interposer_gate, _ tree: SyntheticTree, _ slots: Range<Int>) {
    gate.first_number = UInt32(slots.lowerBound)
    let words = SyntheticTree.wordsOfBoards
    gate.word_count = Int32(words.count)
    withUnsafeMutableBytes(of: &gate.words) {
      let places = $0.bindMemory(to: UnsafePointer<CChar>?.self)
      for (index, word) in words.enumerated() { places[index] = UnsafePointer(strdup(word)) }
    }
    let folders = tree.foldersWithAdditions
    gate.folder_count = Int32(min(folders.count, 16))
    withUnsafeMutableBytes(of: &gate.folders) {
      let places = $0.bindMemory(to: UnsafePointer<CChar>?.self)
      // They stay for as long as this process.
      for (index, folder) in folders.prefix(16).enumerated() {
        places[index] = UnsafePointer(strdup(folder))
      }
    }
  }
}

extension SyntheticTree {
  /// The folders of the machine that have names of ours in them.
  var foldersWithAdditions: [String] {
    [
      "/dev", "/sys/class", "/sys/bus", "/sys/dev/char", "/sys/devices/platform", "/proc",
      "/sys/firmware",
    ].filter { self[$0] != nil }
  }
}
