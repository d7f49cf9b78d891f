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

  /// The result of a libi2c function: a value, or -errno.
  @discardableResult
  private func value(_ result: Int32) throws(I2CError) -> Int32 {
    guard result >= 0 else { throw I2CError(kernel: -result) }
    return result
  }

  private func readByte(count: Int, _ reading: inout MutableSpan<UInt8>) throws(I2CError) {
    switch count {
    case 0: try value(i2c_smbus_write_quick(descriptor, UInt8(I2C_SMBUS_READ)))
    case 1: reading[0] = UInt8(truncatingIfNeeded: try value(i2c_smbus_read_byte(descriptor)))
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }

  private func readRegister(
    _ register: UInt8, count: Int, _ reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    switch count {
    case 1:
      let byte = try value(i2c_smbus_read_byte_data(descriptor, register))
      reading[0] = UInt8(truncatingIfNeeded: byte)
    case 2:
      let word = try value(i2c_smbus_read_word_data(descriptor, register))
      reading[0] = UInt8(truncatingIfNeeded: word)
      reading[1] = UInt8(truncatingIfNeeded: word >> 8)
    case 3...32:
      var block = InlineArray<32, UInt8>(repeating: 0)
      var span = block.mutableSpan
      let result = span.withUnsafeMutableBufferPointer {
        i2c_smbus_read_i2c_block_data(descriptor, register, UInt8(count), $0.baseAddress)
      }
      guard try value(result) == Int32(count) else { throw I2CError(kernel: EIO) }
      for index in 0..<count { reading[index] = block[index] }
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }

  private func writeRegister(_ bytes: Span<UInt8>, count: Int) throws(I2CError) {
    switch count {
    case 0: try value(i2c_smbus_write_quick(descriptor, UInt8(I2C_SMBUS_WRITE)))
    case 1: try value(i2c_smbus_write_byte(descriptor, bytes[0]))
    case 2: try value(i2c_smbus_write_byte_data(descriptor, bytes[0], bytes[1]))
    case 3...33:
      let data = bytes.extracting(1..<count)
      let result = data.withUnsafeBufferPointer {
        i2c_smbus_write_i2c_block_data(descriptor, bytes[0], UInt8(count - 1), $0.baseAddress)
      }
      try value(result)
    default: throw I2CError(kernel: EOPNOTSUPP)
    }
  }
}
