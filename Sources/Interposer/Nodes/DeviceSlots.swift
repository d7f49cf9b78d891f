/// The descriptors by which clients hold what the interposer gave them.
///
/// A filter tells them by their numbers: none is below the range. A node is known by its file, whatever
/// its number, so that each process has numbers of its own; directories, which are the machine's, are
/// known by number and path, and each number is given to one process only, so that copies by `fork` mean
/// the same.
struct DeviceSlots {
  /// What stands behind a number.
  enum Slot {
    case directory(OpenDirectory)
  }

  /// The numbers.
  let numbers: Range<Int>
  /// Where numbers of directories begin: behind those that nodes get first.
  private let start: Int
  private var slots: [Int: Slot] = [:]
  private var next: Int
  /// The open nodes by the numbers of their files.
  private(set) var devices: [UInt64: OpenDevice] = [:]

  init(numbers: Range<Int>) {
    self.numbers = numbers
    start = numbers.lowerBound + min(numbers.count / 2, 64)
    next = start
  }

  /// A free number for a directory, not one that was free only just now if there is another.
  mutating func free() -> Int? {
    for _ in start..<numbers.upperBound {
      if next >= numbers.upperBound { next = start }
      defer { next += 1 }
      if slots[next] == nil { return next }
    }
    return nil
  }

  /// What stands behind a number, or nothing.
  subscript(_ number: Int) -> Slot? {
    get { slots[number] }
    set { slots[number] = newValue }
  }

  /// Remembers an open node.
  mutating func add(_ file: UInt64, _ device: OpenDevice) {
    devices[file] = device
  }

  /// Forgets a node whose last copy has been closed.
  mutating func remove(_ file: UInt64) {
    devices[file] = nil
  }

  /// The directories and their numbers.
  var directories: [(number: Int, directory: OpenDirectory)] {
    slots.compactMap { number, slot in
      guard case .directory(let directory) = slot else { return nil }
      return (number, directory)
    }
  }
}
