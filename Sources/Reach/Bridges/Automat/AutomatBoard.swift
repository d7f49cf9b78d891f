public import I2C

/// The Automat board: a virtual microcontroller that serves its I2C bus over Bluetooth LE.
public final class AutomatBoard: BridgeBoard {
  /// What nobody knows of the firmware, and is assumed.
  public struct Unknown: Hashable, Sendable {
    /// Whether a write that no device acknowledges is answered like any other; else no response comes.
    public var answersFailedWrites = true
    /// The byte with which the data of a failed read are filled; `nil` for an empty answer.
    public var failedReadByte: UInt8?

    /// Creates the assumptions: failed writes are answered, failed reads give nothing.
    public init() {}
  }

  /// How many bytes the firmware reads at most; the attribute protocol alone would carry 19.
  public let limit: Int
  /// How often its light has blinked: once for each command.
  public private(set) var blinks = 0
  /// How many reads were longer than the limit.
  public private(set) var tooLong = 0

  /// Its accelerometer, ports and analog inputs.
  public var periphery = AutomatPeriphery()
  /// Tells the charge of its battery in percent; full unless said.
  public var battery: () -> UInt8 = { 100 }

  private let adapter: any I2CAdapter
  private let unknown: Unknown
  private let blink: () -> Void
  private var answer: [UInt8] = []

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - adapter: its I2C bus.
  ///   - limit: how many bytes it reads at most.
  ///   - unknown: what is assumed of its firmware.
  ///   - blink: is told each time its light blinks.
  public init(
    _ adapter: any I2CAdapter, limit: Int = 18, unknown: Unknown = Unknown(),
    blink: @escaping () -> Void = {}
  ) {
    self.adapter = adapter
    self.limit = limit
    self.unknown = unknown
    self.blink = blink
  }

  /// Takes a command.
  ///
  /// - Throws: ``GATTError``: no such characteristic, or no response.
  public func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError) {
    switch characteristic {
    case AutomatFrame.writeCharacteristic:
      light()
      guard let address = Self.address(value) else { return }
      if value[0] == AutomatPeriphery.accelerometer {
        return periphery.setAccelerometer(Array(value.dropFirst()))
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
      guard periphery.take(value, for: characteristic) else { throw .noSuchCharacteristic }
      light()
    }
  }

  /// Gives the answer to the last read, or the charge of the battery.
  ///
  /// - Throws: ``GATTError`` of kind no such characteristic.
  public func value(of characteristic: UInt16) throws(GATTError) -> [UInt8] {
    switch characteristic {
    case AutomatFrame.readCharacteristic: return answer
    case AutomatFrame.batteryCharacteristic: return [battery()]
    default:
      guard let value = periphery.value(of: characteristic) else { throw .noSuchCharacteristic }
      return value
    }
  }

  /// How many commands it has taken.
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
    if request[0] == AutomatPeriphery.accelerometer, let register = command.first {
      return request + periphery.accelerometer(from: register, count: Int(length))
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
