import CInterposer
import Glibc

/// Calls about descriptors of ours: copies, positions, directory entries.
extension Supervisor {
  /// The device behind a descriptor of the caller, whatever its number.
  func device(_ descriptor: Int32, _ call: Call) -> OpenDevice? {
    guard descriptor >= 0, !slots.devices.isEmpty else { return nil }
    return slots.devices[interposer_socket(call.thread, descriptor)]
  }

  /// `dup`: a copy gets a number of ours, so that its reads and writes are seen too.
  func copy(_ call: Call, closesOnExec: Bool) -> Answer {
    guard let device = device(call.int(0), call) else { return .pass }
    return give(device, call, closesOnExec: closesOnExec ? O_CLOEXEC : 0)
  }

  /// `dup2` and `dup3`: the caller chooses the number.
  func copyTo(_ call: Call) -> Answer {
    let (old, new) = (call.int(0), call.int(1))
    guard let device = device(old, call), old != new else { return .pass }
    if slots.numbers.contains(Int(new)) {
      let flags = call.system == .dup3 ? call.int(2) : 0
      return give(device, call, closesOnExec: flags, at: Int(new))
    }
    tell(
      "descriptor \(new) is a copy of /dev/i2c-\(device.bus.number) whose number is too low to be "
        + "watched: ioctl works on it, read and write do not",
      about: new)
    return .pass
  }

  /// `fcntl`: copies, everything else is the kernel's.
  func controlDescriptor(_ call: Call) -> Answer {
    switch call.int(1) {
    case F_DUPFD: copy(call, closesOnExec: false)
    case F_DUPFD_CLOEXEC: copy(call, closesOnExec: true)
    default: .pass
    }
  }

  /// `lseek`: a bus has no positions; a directory that is rewound shows all its entries again.
  func seek(_ call: Call) -> Answer {
    if device(call.int(0), call) != nil { return .failure(ESPIPE) }
    directory(call)?.isComplete = false
    return .pass
  }

  /// `getdents64`: what the kernel gives, and behind it what is added.
  func entries(_ call: Call) -> Answer {
    guard let directory = directory(call) else { return .pass }
    var bytes = [UInt8](repeating: 0, count: Int(min(call[2], 65_536)))
    let count = interposer_directory_entries(directory.descriptor, &bytes, bytes.count)
    guard count >= 0 else { return .failure(Int32(-count)) }
    var found = Array(bytes.prefix(count))
    if count == 0, !directory.isComplete {
      found = directory.additions.flatMap(Self.entry)
      guard found.count <= bytes.count else { return .failure(EINVAL) }
      directory.isComplete = true
    }
    let isGiven = ProcessMemory(of: call, listener).write(found, to: call[1])
    return isGiven ? .value(Int64(found.count)) : .failure(EFAULT)
  }

  /// A `struct linux_dirent64`: inode, offset, length, type, name with its end, to a multiple of 8.
  private static func entry(_ addition: SyntheticTree.Addition) -> [UInt8] {
    let name = Array(addition.name.utf8)
    let length = (19 + name.count + 1 + 7) / 8 * 8
    let type = addition.isDevice ? DT_CHR : DT_DIR
    var bytes: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    bytes += [255, 255, 255, 255, 255, 255, 255, 127]
    bytes += [UInt8(length), 0, UInt8(type)]
    bytes += name
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  private func directory(_ call: Call) -> OpenDirectory? {
    guard case .directory(let directory) = slots[Int(call.int(0))],
      ClientPath.path(of: call.int(0), call.thread) == directory.path
    else { return nil }
    return directory
  }
}
