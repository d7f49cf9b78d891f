import I2C

/// The frames of the Automat's I2C service, byte for byte.
///
///     write:  FF91 <- [address][bytes ...]
///     read:   FF92 <- [address][command ...][length]
///             FF92 -> [address][command ...][length][data ...], or nothing
public enum AutomatFrame {
  /// The I2C service.
  public static let service: UInt16 = 0xFF90
  /// The characteristic for writes.
  public static let writeCharacteristic: UInt16 = 0xFF91
  /// The characteristic for reads.
  public static let readCharacteristic: UInt16 = 0xFF92
  /// The battery level of the standard battery service.
  public static let batteryCharacteristic: UInt16 = 0x2A19

  /// How the board shows itself: its name, its I2C service, its ports (whose roles are assumptions) and its battery.
  static let profile = BoardProfile(
    "AUTOMAT",
    [
      (service, [(writeCharacteristic, 0x08), (readCharacteristic, 0x0A)]),
      (
        AutomatPeriphery.service,
        [
          (AutomatPeriphery.outputsCharacteristic, 0x0A),
          (AutomatPeriphery.levelsCharacteristic, 0x02),
          (AutomatPeriphery.channelCharacteristic, 0x0A),
          (AutomatPeriphery.codeCharacteristic, 0x02),
        ]
      ),
      (0x180F, [(batteryCharacteristic, 0x02)]),
    ])

  /// The frame that writes some bytes.
  static func write(_ bytes: [UInt8], to address: UInt8) -> [UInt8] { [address] + bytes }

  /// The frame that asks for a number of bytes.
  static func request(_ command: [UInt8], length: UInt8, at address: UInt8) -> [UInt8] {
    [address] + command + [length]
  }

  /// The data in the answer to a request, or `nil` where the answer does not belong to it.
  ///
  /// The phone's libraries drop such an answer without a word: nothing will happen.
  static func data(_ value: [UInt8], answering request: [UInt8]) -> [UInt8]? {
    guard let length = request.last, value.count == request.count + Int(length),
      value.starts(with: request)
    else { return nil }
    return Array(value.dropFirst(request.count))
  }
}
