import CInterposer
import Glibc

/// Links that clients keep on the machine and that lead to what only we know.
extension Supervisor {
  /// How many links a way may have, as for the kernel.
  private static let mostLinks = 40

  /// Where a path leads, the links of the machine at its end followed.
  ///
  /// - Returns: the place, or nothing if it cannot concern us.
  func placeBehindLinks(
    of path: [UInt8], relativeTo directory: Int32, _ call: Call
  ) -> SyntheticTree.Place? {
    var path = path
    for _ in 0..<Self.mostLinks {
      let place = namedPlace(of: path, relativeTo: directory, call)
      switch place {
      case nil, .machine: break
      default: return place
      }
      let target = text(of: path, directory, call, interposer_link)
      guard !target.isEmpty else { return place }
      path = target
    }
    return nil
  }

  /// Where a path leads whose last part may be the name of a node by another way to /dev than its text tells:
  /// through links, /proc/self/root, or another place where /dev is mounted.
  func namedPlace(
    of path: [UInt8], relativeTo directory: Int32, _ call: Call, follows: Bool = true
  ) -> SyntheticTree.Place? {
    let place = matteringPlace(of: path, relativeTo: directory, call, follows: follows)
    switch place {
    case .machine(let text) where ClientPath.deviceNumber(text) != nil: return place
    case nil, .machine: break
    default: return place
    }
    let slash = UInt8(ascii: "/")
    let slashes = path.reversed().prefix { $0 == slash }.count
    let name = path.dropLast(slashes).split(separator: slash).last ?? []
    guard name.starts(with: Array("i2c-".utf8)) else { return place }
    let text = "/dev/" + String(decoding: name, as: UTF8.self)
    let isInDevices = (path + [0]).withUnsafeBytes {
      interposer_is_in_devices(
        call.thread, directory, $0.bindMemory(to: CChar.self).baseAddress)
    }
    guard ClientPath.deviceNumber(text) != nil, isInDevices else { return place }
    return self.place(
      of: Array(text.utf8) + path.suffix(slashes), relativeTo: AT_FDCWD, call, follows: follows)
  }

  /// The place in /dev of what an open would make there, although nothing else tells that its path leads there: by
  /// links where none to nodes are looked for.
  func placeMadeInDevices(
    _ call: Call, directory: Int32, path: UInt64, _ known: SyntheticTree.Place?
  ) -> SyntheticTree.Place? {
    switch known {
    case nil, .machine: break
    default: return nil
    }
    guard let path = ProcessMemory(of: call, listener).path(path) else { return nil }
    let name = text(of: path, directory, call, interposer_made_in_devices)
    let text = "/dev/" + String(decoding: name, as: UTF8.self)
    guard ClientPath.deviceNumber(text) != nil else { return nil }
    return place(of: Array(text.utf8), relativeTo: AT_FDCWD, call)
  }

  /// `chroot` and `pivot_root`: from now on paths of this process need not be those of clients.
  func changeRoot(_ call: Call) -> Answer {
    if isAstray(call) { return .failure(ENOENT) }
    gate.has_jails = true
    return .pass
  }

  private typealias Fill = (
    Int32, Int32, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int
  ) -> Int

  /// The text with which a function fills a buffer for a path.
  private func text(of path: [UInt8], _ directory: Int32, _ call: Call, _ fill: Fill) -> [UInt8] {
    let path = (path + [0]).map { CChar(bitPattern: $0) }
    return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) {
        max(fill(call.thread, directory, path, $0.baseAddress, $0.count), 0)
      }
    }
  }
}
