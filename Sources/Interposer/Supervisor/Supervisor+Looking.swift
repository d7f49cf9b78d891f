import CInterposer
import Glibc

/// Questions about files that a client does not open.
extension Supervisor {
  func status(
    _ call: Call, directory: Int32, path: UInt64, follows: Bool, to place: UInt64
  ) -> Answer {
    guard let path = find(call, directory: directory, path: path) else { return .pass }
    return give(path, call, to: place) { number, bytes in
      interposer_device_stat(number, bytes)
    } file: { location, bytes in
      interposer_stat(location, follows, bytes)
    }
  }

  /// `newfstatat`: with an empty path it asks about a descriptor.
  func statusAt(_ call: Call) -> Answer {
    let (flags, memory) = (call.int(3), ProcessMemory(of: call, listener))
    if flags & Self.emptyPath != 0, memory.path(call[1])?.isEmpty == true {
      return statusOfDescriptor(call.int(0), call, to: call[2])
    }
    return status(
      call, directory: call.int(0), path: call[1], follows: flags & AT_SYMLINK_NOFOLLOW == 0,
      to: call[2])
  }

  func statusOfDescriptor(_ descriptor: Int32, _ call: Call, to place: UInt64) -> Answer {
    guard let device = device(descriptor, call) else { return .pass }
    return give(call, to: place) { interposer_device_stat(UInt32(device.bus.number), $0) }
  }

  func extendedStatus(_ call: Call) -> Answer {
    let (flags, mask) = (call.int(2), UInt32(truncatingIfNeeded: call[3]))
    let isEmpty =
      flags & Self.emptyPath != 0
      && ProcessMemory(of: call, listener).path(call[1])?.isEmpty == true
    if isEmpty {
      guard let device = device(call.int(0), call) else { return .pass }
      return give(call, to: call[4]) { interposer_device_statx(UInt32(device.bus.number), $0) }
    }
    guard let path = find(call, directory: call.int(0), path: call[1]) else { return .pass }
    return give(path, call, to: call[4]) { number, bytes in
      interposer_device_statx(number, bytes)
    } file: { location, bytes in
      interposer_statx(location, flags, mask, bytes)
    }
  }

  func access(_ call: Call, directory: Int32, path: UInt64, mode: Int32) -> Answer {
    guard let path = find(call, directory: directory, path: path) else { return .pass }
    if let number = path.deviceNumber {
      guard buses[number] != nil else { return .pass }
      return mode & X_OK == 0 ? .value(0) : .failure(EACCES)
    }
    guard let location = tree.location(of: path) else { return .pass }
    return Glibc.access(location, mode) == 0 ? .value(0) : .failure(errno)
  }

  func link(
    _ call: Call, directory: Int32, path: UInt64, to place: UInt64, _ size: UInt64
  ) -> Answer {
    guard let path = find(call, directory: directory, path: path) else { return .pass }
    if let number = path.deviceNumber { return buses[number] == nil ? .pass : .failure(EINVAL) }
    guard let location = tree.location(of: path) else { return .pass }
    // Nothing in the tree is a link.
    return Glibc.access(location, F_OK) == 0 ? .failure(EINVAL) : .failure(ENOENT)
  }

  /// Extended attributes: nothing of ours has any.
  func attributes(_ call: Call, _ none: Answer) -> Answer {
    guard let path = find(call, directory: AT_FDCWD, path: call[0]) else { return .pass }
    if let number = path.deviceNumber { return buses[number] == nil ? .pass : none }
    return tree.location(of: path) == nil ? .pass : none
  }

  /// AT_EMPTY_PATH, which the C library hides.
  private static let emptyPath: Int32 = 0x1000

  /// Gives what a path is: a device, or a file of the tree.
  private func give(
    _ path: ClientPath, _ call: Call, to place: UInt64,
    device: (UInt32, UnsafeMutableRawPointer?) -> Int32,
    file: (String, UnsafeMutableRawPointer?) -> Int32
  ) -> Answer {
    if let number = path.deviceNumber {
      guard buses[number] != nil else { return .pass }
      return give(call, to: place) { device(UInt32(number), $0) }
    }
    guard let location = tree.location(of: path) else { return .pass }
    return give(call, to: place) { file(location, $0) }
  }

  /// Fills a structure and gives it to the caller.
  private func give(
    _ call: Call, to place: UInt64, _ fill: (UnsafeMutableRawPointer?) -> Int32
  ) -> Answer {
    var bytes = [UInt8](repeating: 0, count: 256)
    let size = bytes.withUnsafeMutableBytes { fill($0.baseAddress) }
    guard size >= 0 else { return .failure(-size) }
    let isGiven = ProcessMemory(of: call, listener).write(Array(bytes.prefix(Int(size))), to: place)
    return isGiven ? .value(0) : .failure(EFAULT)
  }
}
