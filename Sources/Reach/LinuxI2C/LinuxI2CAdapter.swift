import CLinuxI2C
import Glibc
public import I2C

/// A real adapter: /dev/i2c-N through the kernel.
///
/// Combined transfers go as `I2C_RDWR`. An adapter that can only SMBus gets those transfers that are
/// SMBus transactions as `I2C_SMBUS`, and refuses the others.
public final class LinuxI2CAdapter: I2CAdapter {
  /// The path of the node.
  public let path: String
  /// What the adapter can do, as the kernel says.
  public let functionality: I2CFunctionality
  /// The limits that every program has; the kernel does not tell those of the adapter, but refuses
  /// what is beyond them (`EOPNOTSUPP`).
  public let quirks = I2CQuirks(
    maxReadLength: I2CDeviceFile.maxLength, maxWriteLength: I2CDeviceFile.maxLength,
    maxMessages: I2CDeviceFile.maxMessages)

  /// The way of SMBus transactions to the kernel.
  public let smbusInterface: SMBusInterface

  let descriptor: Int32

  /// Opens a node.
  ///
  /// - Parameters:
  ///   - path: The path of the node, such as `/dev/i2c-1`.
  ///   - smbusInterface: The way of SMBus transactions to the kernel. Default: the first of
  ///     ``SMBusInterface/available``, which also replaces an interface that is not available.
  /// - Throws: ``LinuxI2CError`` when it is missing, not accessible or no I2C adapter.
  public init(
    path: String, smbusInterface: SMBusInterface? = nil
  ) throws(LinuxI2CError) {
    self.path = path
    let available = SMBusInterface.available
    self.smbusInterface =
      smbusInterface.flatMap { available.contains($0) ? $0 : nil } ?? available[0]
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.openFailure(path, errno) }
    let functions = linux_i2c_functionality(descriptor)
    guard functions >= 0 else {
      close(descriptor)
      throw LinuxI2CError(
        path: path, operation: "asked for its functionality",
        errno: I2CErrno(rawValue: Int32(-functions)),
        explanation: "this is no I2C adapter (\(String(cString: strerror(Int32(-functions)))))")
    }
    functionality = I2CFunctionality(rawValue: UInt32(truncatingIfNeeded: functions))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func openFailure(_ path: String, _ errno: Int32) -> LinuxI2CError {
    let explanation =
      switch errno {
      case ENOENT:
        "no such node; is the adapter there and the module i2c-dev loaded (modprobe i2c-dev)?"
      case EACCES, EPERM:
        "permission denied; the group of the node (often i2c) has access: usermod -aG i2c USER"
      case EBUSY: "another program uses it alone"
      default: String(cString: strerror(errno))
      }
    return LinuxI2CError(
      path: path, operation: "opened", errno: I2CErrno(rawValue: errno), explanation: explanation)
  }

  /// Makes one combined transfer.
  ///
  /// - Throws: `I2CError` with the kernel's errno; in which message and byte it happened, no kernel tells.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard functionality.contains(.i2c) else {
      return try smbusTransfer(segments, writing: writing, reading: &reading)
    }
    guard !segments.isEmpty, segments.count <= I2CDeviceFile.maxMessages else {
      throw I2CError(kernel: EINVAL)
    }
    let status = writing.withUnsafeBufferPointer { writing in
      reading.withUnsafeMutableBufferPointer { reading in
        transfer(segments, writing, reading)
      }
    }
    if status != 0 { throw I2CError(kernel: -status) }
  }

  private func transfer(
    _ segments: Span<I2CSegment>, _ writing: UnsafeBufferPointer<UInt8>,
    _ reading: UnsafeMutableBufferPointer<UInt8>
  ) -> Int32 {
    var messages = InlineArray<42, i2c_msg>(repeating: i2c_msg())
    var (written, read) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      guard segment.count <= I2CDeviceFile.maxLength else { return -EINVAL }
      messages[index].addr = segment.address.rawValue
      messages[index].flags = segment.flags.rawValue
      messages[index].len = UInt16(segment.count)
      switch segment.direction {
      case .write:
        guard written + segment.count <= writing.count else { return -EINVAL }
        messages[index].buf = writing.baseAddress.map {
          UnsafeMutablePointer(mutating: $0 + written)
        }
        written += segment.count
      case .read:
        guard read + segment.count <= reading.count else { return -EINVAL }
        messages[index].flags |= UInt16(I2C_M_RD)
        messages[index].buf = reading.baseAddress.map { $0 + read }
        read += segment.count
      }
    }
    let count = UInt32(segments.count)
    var span = messages.mutableSpan
    return span.withUnsafeMutableBufferPointer {
      linux_i2c_transfer(descriptor, $0.baseAddress, count)
    }
  }
}
