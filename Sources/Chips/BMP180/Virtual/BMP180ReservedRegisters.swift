/// What real parts read where the data sheet describes nothing, as two dumps agree
/// (fixtures/captures/bmp180-dumps.csv).
enum BMP180ReservedRegisters {
  /// The value of a register that the data sheet does not describe.
  ///
  /// - Parameters:
  ///   - register: its address.
  ///   - calibration: the bytes of 0xAA...0xBF, which 0x8A...0x9F repeat.
  /// - Returns: the value.
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

  /// The words before the calibration, of which parts differ in some: those of the first dump.
  private static var unknownWords: InlineArray<10, UInt8> {
    [0xA5, 0x94, 0x48, 0x09, 0x2A, 0x27, 0x78, 0x7B, 0x8A, 0x7E]
  }
}
