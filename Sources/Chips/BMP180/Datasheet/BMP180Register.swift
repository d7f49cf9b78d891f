/// The addresses of the BMP180's registers, of 8 bits each (DS 4); a BMP085 has the same.
///
/// DS is Bosch's data sheet BST-BMP180-DS000, revision 2.5.
public enum BMP180Register {
  /// The first of 22 bytes of calibration, 0xAA...0xBF.
  public static var calibration: UInt8 { 0xAA }
  /// The chip's identity, 0x55.
  public static var id: UInt8 { 0xD0 }
  /// Takes the command that resets the chip.
  public static var reset: UInt8 { 0xE0 }
  /// Starts a conversion, and says whether it goes on.
  public static var control: UInt8 { 0xF4 }
  /// The first of three bytes of the result, 0xF6...0xF8, the highest first.
  public static var data: UInt8 { 0xF6 }

  /// What ``id`` reads.
  public static var idValue: UInt8 { 0x55 }
  /// What ``reset`` takes.
  public static var resetCommand: UInt8 { 0xB6 }
}
