import Glibc
import I2C

/// A /dev/i2c-N that a client has opened: the state that all copies of its descriptor share.
final class OpenDevice {
  let bus: InterposedBus
  let file: I2CDeviceFile
  let worker: BusWorker
  private let accessMode: Int32

  init(_ bus: InterposedBus, _ worker: BusWorker, flags: Int32) {
    self.bus = bus
    self.worker = worker
    accessMode = flags & O_ACCMODE
    file = I2CDeviceFile(bus.node)
  }

  /// Whether it was opened for a direction.
  func allows(_ direction: Supervisor.Direction) -> Bool {
    accessMode == O_RDWR || accessMode == (direction == .read ? O_RDONLY : O_WRONLY)
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
