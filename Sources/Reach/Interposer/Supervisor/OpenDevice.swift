import Glibc
import I2C

/// An open /dev/i2c-N of a client: the state shared by all copies of its descriptor.
final class OpenDevice {
  let bus: InterposedBus
  let file: I2CDeviceFile
  let worker: BusWorker
  /// The number of opens of the underlying file; copies of a descriptor count once.
  var opens = 0
  private let flags: Int32

  init(_ bus: InterposedBus, _ worker: BusWorker, flags: Int32) {
    self.bus = bus
    self.worker = worker
    self.flags = flags
    file = I2CDeviceFile(bus.node)
  }

  /// Creates an open device with its own file that shares the bus and the state of another open device.
  init(sharing device: OpenDevice) {
    (bus, worker, file, flags) = (device.bus, device.worker, device.file, device.flags)
  }

  /// `true` if the node was opened with O_PATH and allows no I/O.
  var isPathOnly: Bool { flags & Self.pathOnly != 0 }

  /// O_PATH, which Glibc's Swift overlay does not export.
  static let pathOnly: Int32 = 0x20_0000

  /// Returns `true` if the access mode permits transfers in a direction.
  func allows(_ direction: Supervisor.Direction) -> Bool {
    let accessMode = flags & O_ACCMODE
    return !isPathOnly
      && (accessMode == O_RDWR || accessMode == (direction == .read ? O_RDONLY : O_WRONLY))
  }

  /// Reads or writes `count` bytes at an address in the client's memory.
  func transfer(
    _ direction: Supervisor.Direction, _ count: UInt64, _ address: UInt64, _ memory: ProcessMemory
  ) throws(I2CErrno) -> Int {
    switch direction {
    case .read: try file.read(count, to: address, memory)
    case .write: try file.write(count, from: address, memory)
    }
  }
}

/// The open nodes and the descriptor numbers reserved for synthetic files.
///
/// The seccomp filter recognizes synthetic descriptors by their numbers. Different processes may use the same number
/// for different nodes, because the supervisor identifies an open node by the file or socket behind the number.
struct DeviceSlots {
  /// The reserved descriptor numbers.
  let numbers: Range<Int>
  /// The open nodes by file number.
  private(set) var devices: [UInt64: OpenDevice] = [:]

  init(numbers: Range<Int>) { self.numbers = numbers }

  /// Registers an open node.
  mutating func add(_ file: UInt64, _ device: OpenDevice) {
    devices[file] = device
  }

  /// Removes an open node after its last close.
  mutating func remove(_ file: UInt64) {
    devices[file] = nil
  }
}

/// An open synthetic directory or link.
///
/// The client's descriptor is a socket.
final class OpenEntry {
  let path: String
  let entry: SyntheticTree.Entry
  /// The number of directory entries already returned.
  var position = 0

  init(path: String, entry: SyntheticTree.Entry) {
    self.path = path
    self.entry = entry
  }
}
