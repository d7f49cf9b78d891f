import CInterposer
import Glibc

/// Calls about descriptors of ours: copies, positions, directory entries.
extension Supervisor {
  /// The device behind a descriptor of the caller, whatever its number.
  func device(_ descriptor: Int32, _ call: Call) -> OpenDevice? {
    guard descriptor >= 0, !slots.devices.isEmpty else { return nil }
    return slots.devices[interposer_node(call.thread, descriptor)]
  }

  /// `dup`, and `fcntl` with F_DUPFD: the kernel gives a copy the lowest number, as it gives every copy.
  ///
  /// Where files are not served a copy gets a number of ours too: only there it can be read and written.
  func copy(_ call: Call, above least: Int32 = 0, closesOnExec: Bool) -> Answer {
    guard least < slots.numbers.lowerBound else { return .pass }
    guard let device = device(call.int(0), call) else {
      return openPlace(call.int(0), call).map { give($0, call, closesOnExec ? O_CLOEXEC : 0) }
        ?? .pass
    }
    if files?.isServed == true { return .pass }
    let copy = interposer_fetch(call.thread, call.int(0))
    if copy >= 0 { return give(copy, call, above: least, closesOnExec: closesOnExec) }
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

  /// `lseek`: a bus has no positions, a folder has.
  func seek(_ call: Call) -> Answer {
    if device(call.int(0), call) != nil { return .failure(ESPIPE) }
    return openPlace(call.int(0), call).map { seek($0, call) } ?? .pass
  }
}
