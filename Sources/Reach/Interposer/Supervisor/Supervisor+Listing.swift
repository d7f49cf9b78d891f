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
    let names = tree.names(in: path)
    guard !names.isEmpty, interposer_is_at_start(call.thread, descriptor) else { return .pass }
    let process = identity(of: call).process
    defer { gate.has_listings = !listings.isEmpty }
    var given = listings[process, descriptor]
    var buffer = EntryBuffer(capacity: call[2])
    while given < names.count {
      if let entry = added(names[given], to: path, descriptor, call),
        !buffer.append(names[given], entry, at: Int64.max)
      {
        break
      }
      given += 1
    }
    guard given < names.count || !buffer.bytes.isEmpty else {
      listings[process, descriptor] = 0
      return .pass
    }
    listings[process, descriptor] = given
    return give(buffer, call)
  }

  /// What is added under a name to a folder of the machine; `nil` where the machine has it too.
  private func added(
    _ name: String, to path: String, _ descriptor: Int32, _ call: Call
  ) -> SyntheticTree.Entry? {
    let entry = tree.entry(name, in: path)
    if case .folder(isShared: true) = entry { return nil }
    return interposer_folder_has(call.thread, descriptor, name) ? nil : entry
  }

  private func entries(of place: OpenPlace, _ call: Call) -> Answer {
    guard case .folder = place.entry else { return .failure(ENOTDIR) }
    let folder = SyntheticTree.Entry.folder(isShared: false)
    let names = tree.names(in: place.path)
    let ways = [".", ".."]
    guard place.position < ways.count + names.count else { return .value(0) }
    var buffer = EntryBuffer(capacity: call[2])
    while place.position < ways.count + names.count {
      let isWay = place.position < ways.count
      let name = isWay ? ways[place.position] : names[place.position - ways.count]
      let entry = isWay ? folder : tree.entry(name, in: place.path) ?? folder
      guard buffer.append(name, entry, at: Int64(place.position + 1)) else { break }
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
