import CInterposer
import Glibc

/// The entries of folders: those of our own, and those that are added to the machine's.
extension Supervisor {
  /// `getdents64`.
  func entries(_ call: Call) -> Answer {
    let descriptor = call.int(0)
    if let place = openPlace(descriptor, call) { return entries(of: place, call) }
    guard let path = ClientPath.path(of: descriptor, call.thread),
      tree[path] == .folder(isShared: true)
    else { return .pass }
    let names = tree.children(of: path).filter { child in
      if case .folder(isShared: true) = child.entry { return false }
      return !interposer_folder_has(call.thread, descriptor, child.name)
    }
    guard !names.isEmpty, interposer_is_at_start(call.thread, descriptor) else { return .pass }
    let process = identity(of: call).process
    defer { gate.has_listings = !listings.isEmpty }
    let given = listings[process, descriptor]
    guard given < names.count else {
      listings[process, descriptor] = 0
      return .pass
    }
    var buffer = EntryBuffer(capacity: call[2])
    for name in names[given...] where buffer.append(name.name, name.entry, at: Int64.max) {
      listings[process, descriptor] += 1
    }
    return give(buffer, call)
  }

  private func entries(of place: OpenPlace, _ call: Call) -> Answer {
    guard case .folder = place.entry else { return .failure(ENOTDIR) }
    let folder = SyntheticTree.Entry.folder(isShared: false)
    let all =
      [(name: ".", entry: folder), (name: "..", entry: folder)]
      + tree.children(of: place.path)
    guard place.position < all.count else { return .value(0) }
    var buffer = EntryBuffer(capacity: call[2])
    for child in all[place.position...] {
      guard buffer.append(child.name, child.entry, at: Int64(place.position + 1)) else { break }
      place.position += 1
    }
    return give(buffer, call)
  }

  private func give(_ buffer: EntryBuffer, _ call: Call) -> Answer {
    guard !buffer.bytes.isEmpty else { return .failure(EINVAL) }
    let isGiven = ProcessMemory(of: call, listener).write(buffer.bytes, to: call[1])
    return isGiven ? .value(Int64(buffer.bytes.count)) : .failure(EFAULT)
  }

  /// `lseek` on one of our folders: back to the start, or to where an entry said.
  func seek(_ place: OpenPlace, _ call: Call) -> Answer {
    let offset = Int64(bitPattern: call[1])
    guard case .folder = place.entry else { return .failure(EBADF) }
    guard call.int(2) == SEEK_SET, offset >= 0 else { return .failure(EINVAL) }
    place.position = Int(min(offset, 1 << 20))
    return .value(offset)
  }
}

/// Entries of a folder as `getdents64` gives them, as many as a caller has room for.
struct EntryBuffer {
  private(set) var bytes: [UInt8] = []
  private let capacity: Int
  private var isFull = false

  init(capacity: UInt64) { self.capacity = Int(min(capacity, 65_536)) }

  /// Adds a `struct linux_dirent64`: inode, offset, length, type, name with its end, to a multiple of 8.
  mutating func append(_ name: String, _ entry: SyntheticTree.Entry, at offset: Int64) -> Bool {
    let length = (19 + name.utf8.count + 1 + 7) / 8 * 8
    guard !isFull, bytes.count + length <= capacity else {
      isFull = true
      return false
    }
    let end = bytes.count + length
    bytes += [1, 0, 0, 0, 0, 0, 0, 0]
    bytes += withUnsafeBytes(of: offset.littleEndian) { Array($0) }
    bytes += [UInt8(length & 0xFF), UInt8(length >> 8), Self.type(of: entry)]
    bytes += Array(name.utf8)
    bytes += repeatElement(0, count: end - bytes.count)
    return true
  }

  private static func type(of entry: SyntheticTree.Entry) -> UInt8 {
    switch entry {
    case .file: UInt8(DT_REG)
    case .link: UInt8(DT_LNK)
    case .folder: UInt8(DT_DIR)
    case .device: UInt8(DT_CHR)
    }
  }
}
