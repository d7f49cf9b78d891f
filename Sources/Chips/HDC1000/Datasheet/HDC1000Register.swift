/// The addresses of the HDC1000's registers, of 16 bits each (DS 8.6, table 1).
///
/// DS is Texas Instruments' data sheet SNAS643 of the HDC1000, revision B.
public enum HDC1000Register {
  /// The temperature; writing this pointer starts a measurement.
  public static var temperature: UInt8 { 0x00 }
  /// The humidity; writing this pointer starts a measurement.
  public static var humidity: UInt8 { 0x01 }
  /// Settings and status.
  public static var configuration: UInt8 { 0x02 }
  /// The first of three words of the serial number, 0xFB...0xFD.
  public static var serial: UInt8 { 0xFB }
  /// The manufacturer's identity, 0x5449: "TI".
  public static var manufacturer: UInt8 { 0xFE }
  /// The chip's identity, 0x1000.
  public static var device: UInt8 { 0xFF }
}
