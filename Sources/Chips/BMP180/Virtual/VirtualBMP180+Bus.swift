public import I2C
public import VirtualI2C

extension VirtualBMP180 {
  /// Sees its address.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    if case .off = phase { return false }
    if phase.isStarting, options.unknown.accessDuringStart == .refused { return false }
    writeIndex = 0
    return true
  }

  /// Takes the address of a register, or a value for it.
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

  /// Gives the register under the pointer, which goes on to the next.
  public func read(at time: inout WireTime) -> UInt8 {
    advance(to: time.nanoseconds)
    defer { pointer &+= 1 }
    return register(pointer)
  }

  /// Sees a stop.
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
