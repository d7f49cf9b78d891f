import CLinuxI2C
import Glibc
import I2C

/// Transfers for adapters that can only SMBus.
extension LinuxI2CAdapter {
  /// Makes the SMBus transaction that a transfer is.
  ///
  /// - Throws: `I2CError` with the kernel's errno, or of kind unsupported when it is none.
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

  /// Makes one transaction with the address that was set, through ``smbusInterface``.
  ///
  /// - Parameters:
  ///   - direction: `I2C_SMBUS_READ` or `I2C_SMBUS_WRITE`.
  ///   - command: The first byte on the wire: mostly the register.
  ///   - size: The kind of the transaction, such as `I2C_SMBUS_BYTE_DATA`.
  ///   - data: What is written, and what was read.
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
    case 3...Int(I2C_SMBUS_BLOCK_MAX):
      // The first byte of a block is its length: asked for, then read.
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
