import Glibc
import I2C

/// A /dev/i2c-N that a client has opened: the state that all copies of its descriptor share.
final class OpenDevice {
  let bus: InterposedBus
  let file: I2CDeviceFile
  let worker: BusWorker
  /// How often the file behind it is open; copies count once.
  var opens = 0
  private let flags: Int32

  init(_ bus: InterposedBus, _ worker: BusWorker, flags: Int32) {
    self.bus = bus
    self.worker = worker
    self.flags = flags
    file = I2CDeviceFile(bus.node)
  }

  /// The same open device behind another file.
  init(sharing device: OpenDevice) {
    (bus, worker, file, flags) = (device.bus, device.worker, device.file, device.flags)
  }

  /// Whether it was opened with O_PATH: only to be named.
  var isPathOnly: Bool { flags & Self.pathOnly != 0 }

  /// O_PATH, which the C library hides.
  static let pathOnly: Int32 = 0x20_0000

  /// Whether it was opened for a direction.
  func allows(_ direction: Supervisor.Direction) -> Bool {
    let accessMode = flags & O_ACCMODE
    return !isPathOnly
      && (accessMode == O_RDWR || accessMode == (direction == .read ? O_RDONLY : O_WRONLY))
  }

  /// Reads or writes some bytes.
  func transfer(
    _ direction: Supervisor.Direction, _ count: UInt64, _ place: UInt64, _ memory: ProcessMemory
  ) throws(I2CErrno) -> Int {
    switch direction {
    case .read: try file.read(count, to: place, memory)
    case .write: try file.write(count, from: place, memory)
    }
  }
}
