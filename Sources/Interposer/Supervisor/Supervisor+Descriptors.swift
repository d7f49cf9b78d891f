import CInterposer
import Glibc

/// Calls about descriptors of ours: copies, positions, directory entries.
extension Supervisor {
  /// The device behind a descriptor of the caller, whatever its number.
  func device(_ descriptor: Int32, _ call: Call) -> OpenDevice? {
    guard descriptor >= 0, !slots.devices.isEmpty else { return nil }
    return slots.devices[interposer_node(call.thread, descriptor)]
  }

  /// `dup`, and `fcntl` with F_DUPFD: a copy gets a number of ours too, as only there it has all that a
  /// device has.
  func copy(_ call: Call, above least: Int32 = 0, closesOnExec: Bool) -> Answer {
    guard least < slots.numbers.lowerBound, let device = device(call.int(0), call) else {
      return .pass
    }
    let copy = interposer_fetch(call.thread, call.int(0))
    if copy >= 0 { return give(copy, call, above: least, closesOnExec: closesOnExec) }
    if files?.isServed == true { return .pass }
    // Nobody may look into the caller's descriptors here: it is opened once more.
    return give(OpenDevice(sharing: device), call, flags: closesOnExec ? O_CLOEXEC : 0)
  }

  /// `dup2` and `dup3`: the caller chooses the number.
  ///
  /// Where files are not served, a copy under a low number refuses reads and writes, which would be lost.
  func copyTo(_ call: Call) -> Answer {
    let (old, new) = (call.int(0), call.int(1))
    guard let files, !files.isServed, old != new, !slots.numbers.contains(Int(new)),
      let device = device(old, call)
    else { return .pass }
    tell(
      "descriptor \(new) is a copy of /dev/i2c-\(device.bus.number) whose number is too low to be "
        + "watched, and this machine lets nobody serve files (/dev/fuse): ioctl works on it, read and "
        + "write do not",
      about: new)
    let file = interposer_node(call.thread, old)
    let copy = files.open(bus: device.bus.number, file: file, flags: O_ACCMODE)
    guard copy >= 0 else { return .pass }
    let closesOnExec = call.system == .dup3 && call.int(2) & O_CLOEXEC != 0
    let given = listener.install(copy, for: call.id, number: new, closesOnExec: closesOnExec)
    close(copy)
    return given < 0 ? .failure(-given) : .value(Int64(given))
  }

  /// `fcntl`: copies, everything else is the kernel's.
  func controlDescriptor(_ call: Call) -> Answer {
    switch call.int(1) {
    case F_DUPFD: copy(call, above: call.int(2), closesOnExec: false)
    case F_DUPFD_CLOEXEC: copy(call, above: call.int(2), closesOnExec: true)
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
