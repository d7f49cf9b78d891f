public import I2C
public import VirtualI2C

extension VirtualBMP180 {
  /// Handles the address byte, and returns `true` if the part acknowledges it.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    if case .off = phase { return false }
    if phase.isStarting, options.unknown.accessDuringStart == .refused { return false }
    writeIndex = 0
    return true
  }

  /// Handles a written byte, and returns `true` if the part acknowledges it.
  ///
  /// The first byte of a write is a register address; the second is a value for that register.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    let now = time.nanoseconds
    advance(to: now)
    defer { writeIndex += 1 }
    let arePairs = options.unknown.furtherBytes == .pairs
    if writeIndex == 0 || arePairs && writeIndex % 2 == 0 {
      pointer = byte
      return true
    }
    guard writeIndex == 1 || arePairs else { return true }
    return writeRegister(byte, at: now)
  }

  /// Returns the register at the pointer and increments the pointer.
  public func read(at time: inout WireTime) -> UInt8 {
    advance(to: time.nanoseconds)
    defer { pointer &+= 1 }
    return register(pointer)
  }

  /// Ignores the STOP condition, which has no effect on the part.
  public func stop(at time: inout WireTime) {}

  private func writeRegister(_ byte: UInt8, at time: UInt64) -> Bool {
    switch pointer {
    case BMP180Register.control: writeControl(byte, at: time)
    case BMP180Register.reset:
      if byte == BMP180Register.resetCommand {
        restart(at: time, for: options.unknown.resetTime)
      }
    default: return options.unknown.readOnlyWrite == .ack
    }
    return true
  }

  private func writeControl(_ byte: UInt8, at time: UInt64) {
    if phase.isConverting, options.unknown.commandWhileConverting == .ignored { return }
    control = byte & ~BMP180Conversion.startBit
    guard let conversion = BMP180Conversion(command: byte) else { return }
    begin(conversion, at: time)
  }

  private func register(_ address: UInt8) -> UInt8 {
    switch address {
    case BMP180Register.calibration..<BMP180Register.calibration + 22:
      return memory[Int(address - BMP180Register.calibration)]
    case BMP180Register.id: return BMP180Register.idValue
    case BMP180Register.reset: return 0
    case BMP180Register.control:
      return phase.isConverting ? control | BMP180Conversion.startBit : control
    case BMP180Register.data...BMP180Register.data + 2:
      return resultByte(Int(address - BMP180Register.data))
    default:
      switch options.unknown.reservedRegisters {
      case .real: return BMP180ReservedRegisters.value(of: address, calibration: memory)
      case .ones: return 0xFF
      case .zeros: return 0x00
      }
    }
  }

  private func resultByte(_ index: Int) -> UInt8 {
    let isHidden = phase.isConverting && options.unknown.dataWhileConverting == .reset
    let word = isHidden ? Self.resetResult : result
    return UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * index))
  }
}

/// Values of registers that the datasheet does not describe, taken from the register dumps of two real parts
/// (fixtures/captures/bmp180-dumps.csv).
enum BMP180ReservedRegisters {
  /// Returns the value of a register that the datasheet does not describe.
  ///
  /// - Parameters:
  ///   - register: the address of the register.
  ///   - calibration: the bytes at 0xAA...0xBF, which also appear at 0x8A...0x9F.
  /// - Returns: the value of the register.
  static func value(of register: UInt8, calibration: borrowing InlineArray<22, UInt8>) -> UInt8 {
    switch register {
    case 0x80...0x89: unknownWords[Int(register) - 0x80]
    case 0x8A...0x9F: calibration[Int(register) - 0x8A]
    case 0xA0...0xA9: unknownWords[Int(register) - 0xA0]
    case 0xC2: 0xBC
    case 0xC3: 0x33
    case 0xCB: 0x10
    case 0xCF: 0x03
    case 0xD1: 0x02
    case 0xD2: 0x06
    default: 0x00
    }
  }

  /// The ten bytes before the calibration, at 0xA0...0xA9 and again at 0x80...0x89.
  ///
  /// Some of these bytes differ between the two parts; the values are from the first dump.
  private static var unknownWords: InlineArray<10, UInt8> {
    [0xA5, 0x94, 0x48, 0x09, 0x2A, 0x27, 0x78, 0x7B, 0x8A, 0x7E]
  }
}
