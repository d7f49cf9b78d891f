package import BME280
import I2C
package import I2CTrace

/// What a trace tells of one BME280 or BMP280: its registers as they were read, and its raw values in time.
package struct RecordedPart {
  /// Raw values, and when they had been read.
  package struct Reading: Hashable {
    package var time: UInt64
    package var raw: RawMeasurement
    /// The data registers 0xF7 to 0xFE.
    package var bytes: [UInt8]
    /// Which of the three were read for it, and are not left over from the reading before.
    package var fresh = QuantitySet()
  }

  /// The registers as they were read last; nothing where nobody read.
  package private(set) var registers = [UInt8?](repeating: nil, count: 256)
  /// The raw values, in order of time.
  package private(set) var readings: [Reading] = []
  /// At which register a read of data begins: 0xF7 where any did, else that of the last; `nil` where no data were read.
  package private(set) var dataStart: UInt8?

  private var pointer: UInt8 = 0
  /// Which data registers have been read for the newest reading, a bit for each from 0xF7 on.
  private var roundMask: UInt8 = 0

  private static let data: ClosedRange<UInt8> = 0xF7...0xFE

  /// Creates a part of which nothing is known.
  package init() {}

  /// Takes what happened to the part; of a transfer that failed only what came before the failure.
  package mutating func take(_ transfer: TracedTransfer) {
    for message in transfer.effectiveMessages {
      switch message.segment.direction {
      case .write: pointer = RegisterWrite(message.bytes).pointer ?? pointer
      case .read:
        noteStart(ofRead: message.bytes.count)
        for byte in message.bytes {
          take(byte, at: transfer.time &+ transfer.duration)
          pointer &+= 1
        }
      }
    }
  }

  private mutating func noteStart(ofRead count: Int) {
    let isOfData = (Int(pointer)..<Int(pointer) + count).overlaps(
      Int(Self.data.lowerBound)..<Int(Self.data.upperBound) + 1)
    if isOfData, dataStart != Self.data.lowerBound { dataStart = pointer }
  }

  private mutating func take(_ byte: UInt8, at time: UInt64) {
    registers[Int(pointer)] = byte
    guard Self.data.contains(pointer) else { return }
    // Drivers read the data together or one by one, in any order: what comes again begins a new reading.
    let bit = UInt8(1) << (pointer - Self.data.lowerBound)
    if readings.isEmpty || roundMask & bit != 0 {
      readings.append(Reading(time: time, raw: RawMeasurement(), bytes: []))
      roundMask = 0
    }
    roundMask |= bit
    let bytes = bytes
    readings[readings.count - 1] = Reading(
      time: time, raw: RawMeasurement(registers: bytes.span), bytes: bytes, fresh: fresh)
  }

  /// Which quantities the bytes of the newest reading belong to.
  private var fresh: QuantitySet {
    var fresh = QuantitySet()
    if roundMask & 0b0000_0011 == 0b0000_0011 { fresh.insert(.pressure) }
    if roundMask & 0b0001_1000 == 0b0001_1000 { fresh.insert(.temperature) }
    if roundMask & 0b1100_0000 == 0b1100_0000 { fresh.insert(.humidity) }
    return fresh
  }

  /// The data registers as they stand; those that nobody read as after power-on.
  private var bytes: [UInt8] {
    let powerOn: [UInt8] = [0x80, 0, 0, 0x80, 0, 0, 0x80, 0]
    return powerOn.enumerated().map { registers[0xF7 + $0] ?? $1 }
  }

  /// Which chip it is: by its identification, else by the calibration that was read.
  package var chip: Chip? {
    if let identifier = registers[0xD0] { return Chip(identifier: identifier) }
    if missing(0xE1...0xE7) == 0 { return .bme280 }
    return missing(0x88...0x9F) == 0 ? .bmp280 : nil
  }

  /// What it is called: where its identification was not read, all that it can be.
  package var name: String {
    guard let chip else { return "a part without a name" }
    let canBeBoth = registers[0xD0] == nil && chip == .bmp280
    return canBeBoth ? "\(Chip.bmp280.name) or \(Chip.bme280.name)" : "\(chip.name)"
  }

  /// The bytes of its calibration, or `nil` where not all were read.
  package var nvm: InlineArray<33, UInt8>? {
    guard let chip, missingCalibration == 0 else { return nil }
    var nvm = InlineArray<33, UInt8>(repeating: 0)
    for index in 0..<Calibration.length(on: chip) {
      nvm[index] = registers[Calibration.register(ofByte: index)] ?? 0
    }
    return nvm
  }

  /// The words of its calibration, or `nil` where not all were read.
  package var calibration: Calibration? {
    guard let chip, let nvm else { return nil }
    return Calibration(bytes: nvm.span.extracting(first: Calibration.length(on: chip)))
  }

  /// How many bytes of its calibration nobody read.
  package var missingCalibration: Int {
    guard let chip, chip.measuresHumidity else { return missing(0x88...0x9F) }
    // 0xA0 is reserved; many drivers pass it over.
    return missing(0x88...0x9F) + missing(0xA1...0xA1) + missing(0xE1...0xE7)
  }

  private func missing(_ range: ClosedRange<Int>) -> Int {
    range.count { registers[$0] == nil }
  }
}
