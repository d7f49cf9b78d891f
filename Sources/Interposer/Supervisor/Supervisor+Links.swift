import CInterposer

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
      let place = matteringPlace(of: path, relativeTo: directory, call)
      switch place {
      case nil: break
      case .machine:
        if let node = node(of: path, relativeTo: directory, call) { return node }
      default: return place
      }
      let target = text(of: path, directory, call, interposer_link)
      guard !target.isEmpty else { return place }
      path = target
    }
    return nil
  }

  /// The node that a path names by another name of /dev.
  private func node(
    of path: [UInt8], relativeTo directory: Int32, _ call: Call
  ) -> SyntheticTree.Place? {
    let name = String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    guard let entry = tree["/dev/" + name], case .device = entry else { return nil }
    let folder = String(
      decoding: text(of: path, directory, call, interposer_folder_of), as: UTF8.self)
    guard ClientPath.inside(folder, rootOf: call.thread) == "/dev" else { return nil }
    return .entry("/dev/" + name, entry)
  }

  /// `chroot` and `pivot_root`: from now on paths of this process need not be those of clients.
  func changeRoot() -> Answer {
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
