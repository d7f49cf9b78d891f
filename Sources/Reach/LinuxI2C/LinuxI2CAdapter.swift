import CLinuxI2C
import Glibc
public import I2C
import Support

/// A hardware I2C adapter through the kernel's /dev/i2c-N.
///
/// Combined transfers are sent as `I2C_RDWR`. An adapter that supports only SMBus performs transfers that are SMBus
/// transactions as `I2C_SMBUS` and rejects all other transfers.
public final class LinuxI2CAdapter: I2CAdapter {
  /// The path of the device node.
  public let path: String
  /// The functionality bits reported by the kernel.
  public let functionality: I2CFunctionality
  /// The limits of i2c-dev.
  ///
  /// The kernel does not report the limits of the adapter, but rejects transfers that exceed them with `EOPNOTSUPP`.
  public let quirks = I2CQuirks(
    maxReadLength: I2CDeviceFile.maxLength, maxWriteLength: I2CDeviceFile.maxLength,
    maxMessages: I2CDeviceFile.maxMessages)

  /// The kernel interface for SMBus transactions.
  public let smbusInterface: SMBusInterface

  let descriptor: Int32

  /// Opens a device node.
  ///
  /// - Parameters:
  ///   - path: The path of the node, such as `/dev/i2c-1`.
  ///   - smbusInterface: The kernel interface for SMBus transactions. Default: the first of
  ///     ``SMBusInterface/available``, which also replaces an interface that is not available.
  /// - Throws: `LinuxI2CError` if the node is missing, not accessible or not an I2C adapter.
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
        path: path, operation: "reading its functionality failed",
        errno: I2CErrno(rawValue: Int32(-functions)),
        explanation: "not an I2C adapter (\(String(cString: strerror(Int32(-functions)))))")
    }
    functionality = I2CFunctionality(rawValue: UInt32(truncatingIfNeeded: functions))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func openFailure(_ path: String, _ errno: Int32) -> LinuxI2CError {
    let explanation =
      switch errno {
      case ENOENT:
        "the node does not exist; check that the adapter is connected "
          + "and the module i2c-dev is loaded (modprobe i2c-dev)"
      case EACCES, EPERM:
        "permission denied; members of the node's group (often i2c) have access: usermod -aG i2c USER"
      case EBUSY: "another program has exclusive access"
      default: String(cString: strerror(errno))
      }
    return LinuxI2CError(
      path: path, operation: "cannot be opened", errno: I2CErrno(rawValue: errno),
      explanation: explanation)
  }

  /// Performs one combined transfer.
  ///
  /// - Throws: `I2CError` with the kernel's errno; the kernel does not report the message and byte of a failure.
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

/// Transfers of adapters that support only SMBus.
extension LinuxI2CAdapter {
  /// Performs a transfer as an SMBus transaction.
  ///
  /// - Throws: `I2CError` with the kernel's errno, or of kind unsupported if the transfer is not an SMBus transaction.
  func smbusTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard !segments.isEmpty else { throw I2CError(kernel: EINVAL) }
    let first = segments[0]
    guard first.flags.isEmpty else { throw I2CError(kernel: EOPNOTSUPP) }
    let status = linux_i2c_address(descriptor, first.address.rawValue)
    guard status == 0 else { throw I2CError(kernel: -status) }
    switch segments.count {
    case 1 where first.direction == .read: try readByte(count: first.count, &reading)
    case 1: try writeRegister(writing, count: first.count)
    case 2:
      let second = segments[1]
      guard first == .write(1, to: first.address),
        second == .read(second.count, from: first.address)
      else { throw I2CError(kernel: EOPNOTSUPP) }
      try readRegister(writing[0], count: second.count, &reading)
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }

  /// Performs one transaction through `smbusInterface`; the address must already be set.
  ///
  /// - Parameters:
  ///   - direction: `I2C_SMBUS_READ` or `I2C_SMBUS_WRITE`.
  ///   - command: The first byte on the wire, usually the register.
  ///   - size: The kind of the transaction, such as `I2C_SMBUS_BYTE_DATA`.
  ///   - data: The written data, and the read data on return.
  /// - Throws: `I2CError` with the kernel's errno.
  private func smbus(
    _ direction: Int32, _ command: UInt8, _ size: Int32, _ data: inout i2c_smbus_data
  ) throws(I2CError) {
    let (read, size) = (UInt8(direction), UInt32(size))
    let status =
      switch smbusInterface {
      case .libi2c: linux_i2c_smbus_library(descriptor, read, command, size, &data)
      case .ioctl: linux_i2c_smbus_ioctl(descriptor, read, command, size, &data)
      }
    guard status == 0 else { throw I2CError(kernel: -status) }
  }

  private func readByte(count: Int, _ reading: inout MutableSpan<UInt8>) throws(I2CError) {
    var data = i2c_smbus_data()
    switch count {
    case 0: try smbus(I2C_SMBUS_READ, 0, I2C_SMBUS_QUICK, &data)
    case 1:
      try smbus(I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE, &data)
      reading[0] = data.byte
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }

  private func readRegister(
    _ register: UInt8, count: Int, _ reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    var data = i2c_smbus_data()
    switch count {
    case 1:
      try smbus(I2C_SMBUS_READ, register, I2C_SMBUS_BYTE_DATA, &data)
      reading[0] = data.byte
    case 2:
      try smbus(I2C_SMBUS_READ, register, I2C_SMBUS_WORD_DATA, &data)
      reading[0] = UInt8(truncatingIfNeeded: data.word)
      reading[1] = UInt8(truncatingIfNeeded: data.word >> 8)
    case 0, 3...Int(I2C_SMBUS_BLOCK_MAX):
      // The first byte of a block is its length: first the requested length, then the received one. The errno of a
      // block of 0 bytes is that of the adapter.
      data.block.0 = UInt8(count)
      try smbus(I2C_SMBUS_READ, register, I2C_SMBUS_I2C_BLOCK_DATA, &data)
      guard Int(data.block.0) == count else { throw I2CError(kernel: EIO) }
      withUnsafeBytes(of: &data.block) { block in
        for index in 0..<count { reading[index] = block[index + 1] }
      }
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }

  private func writeRegister(_ bytes: Span<UInt8>, count: Int) throws(I2CError) {
    var data = i2c_smbus_data()
    switch count {
    case 0: try smbus(I2C_SMBUS_WRITE, 0, I2C_SMBUS_QUICK, &data)
    case 1: try smbus(I2C_SMBUS_WRITE, bytes[0], I2C_SMBUS_BYTE, &data)
    case 2:
      data.byte = bytes[1]
      try smbus(I2C_SMBUS_WRITE, bytes[0], I2C_SMBUS_BYTE_DATA, &data)
    case 3...Int(I2C_SMBUS_BLOCK_MAX) + 1:
      data.block.0 = UInt8(count - 1)
      withUnsafeMutableBytes(of: &data.block) { block in
        for index in 1..<count { block[index] = bytes[index] }
      }
      try smbus(I2C_SMBUS_WRITE, bytes[0], I2C_SMBUS_I2C_BLOCK_DATA, &data)
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }
}

/// The interface for SMBus transactions: libi2c or the ioctl that libi2c wraps.
///
/// Both make the same system call. Default: libi2c if the program is linked with it, as a build from source and the
/// Debian packages are; the self-contained binary uses the ioctl.
public enum SMBusInterface: String, Hashable, Sendable, CaseIterable {
  /// `i2c_smbus_access` of libi2c.
  case libi2c
  /// `ioctl(fd, I2C_SMBUS, ...)`.
  case ioctl

  /// The interfaces available to this program; the default is first.
  public static var available: [SMBusInterface] {
    linux_i2c_has_library() ? [.libi2c, .ioctl] : [.ioctl]
  }
}

/// A /dev/i2c-N device node of this machine.
public struct LinuxI2CNode: Hashable, Sendable {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, if the kernel reports one.
  public let name: String?

  /// The path of the node.
  public var path: String { "/dev/i2c-\(number)" }

  /// Returns all nodes of this machine, sorted by number.
  public static func all() -> [LinuxI2CNode] {
    (Folder.names(in: "/dev") ?? [])
      .compactMap { $0.hasPrefix("i2c-") ? Int($0.dropFirst(4)) : nil }
      .inOrder()
      .map { number in
        let file = "/sys/class/i2c-dev/i2c-\(number)/name"
        let text = try? TextFile.read(file)
        return LinuxI2CNode(number: number, name: text?.trimmedLines)
      }
  }

  /// The addresses on the bus that a driver of the kernel owns.
  public var boundAddresses: [I2CAddress] {
    let folder = "/sys/bus/i2c/devices"
    return (Folder.names(in: folder) ?? []).inOrder().compactMap { name in
      let parts = name.split(separator: "-")
      guard parts.count == 2, Int(parts[0]) == number,
        access("\(folder)/\(name)/driver", F_OK) == 0,
        let address = UInt16(parts[1], radix: 16)
      else { return nil }
      return I2CAddress(rawValue: address)
    }
  }

  /// Returns the path of an adapter that is given by its path or its name.
  ///
  /// - Throws: `LinuxI2CError` if no adapter, or more than one, has the name.
  public static func path(of adapter: String) throws(LinuxI2CError) -> String {
    guard !adapter.hasPrefix("/") else { return adapter }
    let nodes = all()
    let found = nodes.filter { $0.name == adapter }
    if found.count == 1 { return found[0].path }
    let known = nodes.map { "\($0.path) '\($0.name ?? "?")'" }.joined(separator: ", ")
    throw LinuxI2CError(
      path: adapter, operation: "not found", errno: .enodev,
      explanation: found.isEmpty
        ? "no adapter has this name; available: \(known.isEmpty ? "none" : known)"
        : "\(found.count) adapters have this name; use one of the paths: \(known)")
  }
}

/// An error about a /dev/i2c-N device node.
public struct LinuxI2CError: Error, Hashable, Sendable {
  /// The path of the node, or the adapter name that was searched for.
  public let path: String
  /// The operation that failed.
  public let operation: String
  /// The errno of the kernel.
  public let errno: I2CErrno
  /// The cause and the remedy.
  public let explanation: String
}

extension LinuxI2CError: CustomStringConvertible {
  /// The path, the operation and the cause.
  public var description: String { "\(path): \(operation): \(explanation)" }
}

extension I2CError {
  /// Creates the error for a failed transfer on hardware, without the failed byte, which the kernel does not report.
  init(kernel errno: Int32) {
    let kind: Kind =
      switch I2CErrno(rawValue: errno) {
      case .enxio, .eremoteio: .addressNack
      case .eagain: .arbitrationLost
      case .etimedout: .timeOut
      case .eopnotsupp: .unsupported
      case .einval: .invalid
      case .enodev: .noDevice
      default: .busError
      }
    self.init(kind, errno: I2CErrno(rawValue: errno))
  }
}
