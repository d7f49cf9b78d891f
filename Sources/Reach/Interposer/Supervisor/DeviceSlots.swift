/// The open nodes, and the numbers under which clients hold what the interposer gave them.
///
/// A filter tells them by their numbers: none is below the range. What is behind a number, its file or its
/// socket tells, so that each process has numbers of its own.
struct DeviceSlots {
  /// The numbers.
  let numbers: Range<Int>
  /// The open nodes by the numbers of their files.
  private(set) var devices: [UInt64: OpenDevice] = [:]

  init(numbers: Range<Int>) { self.numbers = numbers }

  /// Remembers an open node.
  mutating func add(_ file: UInt64, _ device: OpenDevice) {
    devices[file] = device
  }

  /// Forgets a node whose last copy has been closed.
  mutating func remove(_ file: UInt64) {
    devices[file] = nil
  }
}
