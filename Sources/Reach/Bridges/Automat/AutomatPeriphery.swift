/// What is on an Automat besides its bus: an accelerometer on that bus, twelve ports and eight analog inputs.
///
/// The accelerometer answers as the board's own library checks it. What the characteristics of the port service mean, the
/// published libraries do not say: their roles here are assumptions, named as such.
public struct AutomatPeriphery: Hashable, Sendable {
  /// The address of the accelerometer.
  static let accelerometer: UInt8 = 0x6A
  /// Where it says who it is, and what.
  static let identity: (register: UInt8, value: UInt8) = (0x0F, 0x69)

  /// The service of the ports and analog inputs.
  static let service: UInt16 = 0xFFD0
  /// The outputs (assumed): 12 bits, the low byte first.
  static let outputsCharacteristic: UInt16 = 0xFFD1
  /// The levels of the ports (assumed), written as the outputs are.
  static let levelsCharacteristic: UInt16 = 0xFFD2
  /// Which analog input is read (assumed): 0 to 7.
  static let channelCharacteristic: UInt16 = 0xFFD6
  /// The code of that input (assumed): 13 bits, the low byte first.
  static let codeCharacteristic: UInt16 = 0xFFD7

  /// How many ports there are.
  public static let portCount = 12
  /// How many analog inputs there are, and their highest code.
  public static let analogCount = 8, highestCode: UInt16 = 0x1FFF

  /// What drives the ports from outside, a bit each.
  public var inputs: UInt16 = 0
  /// The voltages at the analog inputs as codes.
  public var analog = [UInt16](repeating: 0, count: analogCount)
  /// What the phone has set the ports to, a bit each.
  public private(set) var outputs: UInt16 = 0
  private var channel = 0
  private var registers: [UInt8: UInt8] = [:]

  /// Creates ports at 0.
  public init() {}

  /// Takes a value; `false` where the characteristic is none of the ports'.
  mutating func take(_ value: [UInt8], for characteristic: UInt16) -> Bool {
    switch characteristic {
    case Self.outputsCharacteristic:
      guard value.count == 2 else { return true }
      outputs = (UInt16(value[0]) | UInt16(value[1]) << 8) & 0x0FFF
    case Self.channelCharacteristic:
      guard let number = value.first, Int(number) < Self.analogCount else { return true }
      channel = Int(number)
    default: return false
    }
    return true
  }

  /// A value; `nil` where the characteristic is none of the ports'.
  func value(of characteristic: UInt16) -> [UInt8]? {
    switch characteristic {
    case Self.outputsCharacteristic: Self.bytes(outputs)
    case Self.levelsCharacteristic: Self.bytes((outputs | inputs) & 0x0FFF)
    case Self.channelCharacteristic: [UInt8(channel)]
    case Self.codeCharacteristic: Self.bytes(min(analog[channel], Self.highestCode))
    default: nil
    }
  }

  /// What the accelerometer answers; registers that nobody has written hold 0, but for the one that says who it is.
  func accelerometer(from register: UInt8, count: Int) -> [UInt8] {
    (0..<count).map { offset in
      let place = register &+ UInt8(truncatingIfNeeded: offset)
      return place == Self.identity.register ? Self.identity.value : registers[place] ?? 0
    }
  }

  /// Writes registers of the accelerometer, one after the other.
  mutating func setAccelerometer(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    for (offset, byte) in bytes.dropFirst().enumerated() {
      registers[first &+ UInt8(truncatingIfNeeded: offset)] = byte
    }
  }

  private static func bytes(_ word: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
  }
}
