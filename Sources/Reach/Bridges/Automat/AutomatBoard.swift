public import I2C

/// The Automat board: a virtual microcontroller that serves its I2C bus over Bluetooth LE.
public final class AutomatBoard: BridgeBoard {
  /// Assumptions about undocumented behavior of the firmware.
  public struct UndocumentedBehavior: Hashable, Sendable {
    /// `true` if a write that is not acknowledged is answered like any other; otherwise no response is sent.
    public var answersFailedWrites = true
    /// The fill byte for the data of a failed read; `nil` for an empty answer.
    public var failedReadByte: UInt8?

    /// Creates the default assumptions: failed writes are answered, failed reads return no data.
    public init() {}
  }

  /// The former name of `UndocumentedBehavior`.
  @available(*, deprecated, renamed: "UndocumentedBehavior")
  public typealias Unknown = UndocumentedBehavior

  /// The maximum read length of the firmware, in bytes; the attribute protocol alone would permit 19.
  public let limit: Int
  /// The number of LED blinks, one per command.
  public private(set) var blinks = 0
  /// The number of reads beyond the limit.
  public private(set) var tooLong = 0

  /// The accelerometer, ports and analog inputs.
  public var peripherals = AutomatPeripherals()
  /// A closure that returns the battery charge in percent.
  ///
  /// Default: 100.
  public var battery: () -> UInt8 = { 100 }

  /// The former name of `peripherals`.
  @available(*, deprecated, renamed: "peripherals")
  public var periphery: AutomatPeripherals {
    get { peripherals }
    set { peripherals = newValue }
  }

  private let adapter: any I2CAdapter
  private let unknown: UndocumentedBehavior
  private let blink: () -> Void
  private var answer: [UInt8] = []

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - adapter: the board's I2C bus.
  ///   - limit: the maximum read length, in bytes. Default: 18.
  ///   - unknown: the assumptions about the firmware.
  ///   - blink: called at each LED blink.
  public init(
    _ adapter: any I2CAdapter, limit: Int = 18,
    unknown: UndocumentedBehavior = UndocumentedBehavior(),
    blink: @escaping () -> Void = {}
  ) {
    self.adapter = adapter
    self.limit = limit
    self.unknown = unknown
    self.blink = blink
  }

  /// Executes a command.
  ///
  /// - Throws: `GATTError/noSuchCharacteristic` or `GATTError/noResponse`.
  public func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError) {
    switch characteristic {
    case AutomatFrame.writeCharacteristic:
      light()
      guard let address = Self.address(value) else { return }
      if value[0] == AutomatPeripherals.accelerometer {
        return peripherals.setAccelerometer(Array(value.dropFirst()))
      }
      do throws(I2CError) {
        try adapter.write(value.span.extracting(droppingFirst: 1), to: address)
      } catch {
        guard unknown.answersFailedWrites else { throw .noResponse }
      }
    case AutomatFrame.readCharacteristic:
      light()
      answer = read(value)
    default:
      guard peripherals.take(value, for: characteristic) else { throw .noSuchCharacteristic }
      light()
    }
  }

  /// Returns the answer to the last read, or the battery charge.
  ///
  /// - Throws: `GATTError/noSuchCharacteristic`.
  public func value(of characteristic: UInt16) throws(GATTError) -> [UInt8] {
    switch characteristic {
    case AutomatFrame.readCharacteristic: return answer
    case AutomatFrame.batteryCharacteristic: return [battery()]
    default:
      guard let value = peripherals.value(of: characteristic) else { throw .noSuchCharacteristic }
      return value
    }
  }

  /// The number of commands received.
  public var commands: Int { blinks }

  private func light() {
    blinks += 1
    blink()
  }

  private func read(_ request: [UInt8]) -> [UInt8] {
    guard request.count >= 2, let address = Self.address(request), let length = request.last else {
      return []
    }
    guard Int(length) <= limit else {
      tooLong += 1
      return []
    }
    let command = Array(request[1..<(request.count - 1)])
    if request[0] == AutomatPeripherals.accelerometer, let register = command.first {
      return request + peripherals.accelerometer(from: register, count: Int(length))
    }
    var data = [UInt8](repeating: 0, count: Int(length))
    var span = data.mutableSpan
    do throws(I2CError) {
      if command.isEmpty {
        try adapter.read(into: &span, from: address)
      } else {
        let segments: InlineArray<2, I2CSegment> = [
          .write(command.count, to: address), .read(Int(length), from: address),
        ]
        try adapter.transfer(segments.span, writing: command.span, reading: &span)
      }
    } catch {
      guard let byte = unknown.failedReadByte else { return [] }
      data = [UInt8](repeating: byte, count: Int(length))
    }
    return request + data
  }

  private static func address(_ value: [UInt8]) -> I2CAddress? {
    value.first.flatMap { $0 < 0x80 ? I2CAddress(rawValue: UInt16($0)) : nil }
  }
}

/// The former name of `AutomatPeripherals`.
@available(*, deprecated, renamed: "AutomatPeripherals")
public typealias AutomatPeriphery = AutomatPeripherals

/// The peripherals of an Automat: an accelerometer on its I2C bus, twelve ports and eight analog inputs.
///
/// The accelerometer answers as the board's own library expects. The published libraries do not document the
/// characteristics of the port service; their meaning here is assumed and marked as such.
public struct AutomatPeripherals: Hashable, Sendable {
  /// The I2C address of the accelerometer.
  static let accelerometer: UInt8 = 0x6A
  /// The identification register of the accelerometer and its value.
  static let identity: (register: UInt8, value: UInt8) = (0x0F, 0x69)

  /// The service of the ports and analog inputs.
  static let service: UInt16 = 0xFFD0
  /// The characteristic of the output levels of the ports, which is an assumption: 12 bits, little-endian.
  static let outputsCharacteristic: UInt16 = 0xFFD1
  /// The characteristic of the levels at the ports, which is an assumption: 12 bits, little-endian.
  static let levelsCharacteristic: UInt16 = 0xFFD2
  /// The characteristic of the number of the selected analog input, 0 to 7, which is an assumption.
  static let channelCharacteristic: UInt16 = 0xFFD6
  /// The characteristic of the code at the selected analog input, which is an assumption: 13 bits, little-endian.
  static let codeCharacteristic: UInt16 = 0xFFD7

  /// The number of ports.
  public static let portCount = 12
  /// The number of analog inputs and their maximum code.
  public static let analogCount = 8, highestCode: UInt16 = 0x1FFF

  /// The external levels at the ports, one bit each.
  public var inputs: UInt16 = 0
  /// The codes at the analog inputs.
  public var analog = [UInt16](repeating: 0, count: analogCount)
  /// The outputs set by the phone, one bit each.
  public private(set) var outputs: UInt16 = 0
  private var channel = 0
  private var registers: [UInt8: UInt8] = [:]

  /// Creates ports and inputs at 0.
  public init() {}

  /// Writes a characteristic; returns `false` if it does not belong to the ports.
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

  /// Reads a characteristic; `nil` if it does not belong to the ports.
  func value(of characteristic: UInt16) -> [UInt8]? {
    switch characteristic {
    case Self.outputsCharacteristic: Self.bytes(outputs)
    case Self.levelsCharacteristic: Self.bytes((outputs | inputs) & 0x0FFF)
    case Self.channelCharacteristic: [UInt8(channel)]
    case Self.codeCharacteristic: Self.bytes(min(analog[channel], Self.highestCode))
    default: nil
    }
  }

  /// Reads registers of the accelerometer; unwritten registers are 0 except the identification register.
  func accelerometer(from register: UInt8, count: Int) -> [UInt8] {
    (0..<count).map { offset in
      let place = register &+ UInt8(truncatingIfNeeded: offset)
      return place == Self.identity.register ? Self.identity.value : registers[place] ?? 0
    }
  }

  /// Writes consecutive registers of the accelerometer.
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

extension BoardModel {
  /// The Automat, the kind of board through which the phone in the thesis reads its sensors.
  static let automat = BoardModel(
    "automat", "an Automat", limit: 18, longestRead: 19, profile: AutomatFrame.profile,
    board: { AutomatBoard($0, limit: $1) },
    client: { link, clock, settings in
      AutomatAdapter(
        link, clock: clock, limit: settings.limit, pastLimit: settings.pastLimit,
        reportsLimit: settings.reportsLimit, timeOut: settings.timeOut)
    })
}
