package import BME280
import I2C
package import I2CTrace
package import Quantities

/// A BME280 or BMP280 reconstructed from a trace: the registers as last read, and the codes over time.
package struct RecordedPart {
  /// The codes of one reading, with the time at which they were read.
  package struct Reading: Hashable {
    package var time: UInt64
    package var raw: RawMeasurement
    /// The data registers 0xF7 to 0xFE.
    package var bytes: [UInt8]
    /// The quantities that were read for this reading; the other codes are left over from the previous one.
    package var fresh = QuantitySet()
  }

  /// The registers as last read; `nil` for registers that were never read.
  package private(set) var registers = [UInt8?](repeating: nil, count: 256)
  /// The readings, in order of time.
  package private(set) var readings: [Reading] = []
  /// The register at which the program starts to read data: 0xF7 if any read starts there, otherwise the start of the
  /// last read.
  ///
  /// `nil` if no data were read.
  package private(set) var dataStart: UInt8?

  /// How often the calibration was read, counted at its first byte.
  package private(set) var calibrationReads = 0

  private var pointer: UInt8 = 0
  /// The data registers that were read for the latest reading, with one bit for each, starting at 0xF7.
  private var roundMask: UInt8 = 0

  private static let data: ClosedRange<UInt8> = 0xF7...0xFE

  /// Creates a part of which nothing is known.
  package init() {}

  /// Processes a transfer; if the transfer failed, only the messages before the failure are used.
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
    if pointer == 0x88 { calibrationReads += 1 }
    guard Self.data.contains(pointer) else { return }
    // Drivers read the data together or one by one, in any order, so a repeated register starts a new reading.
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

  /// The quantities whose bytes were read for the latest reading.
  private var fresh: QuantitySet {
    var fresh = QuantitySet()
    if roundMask & 0b0000_0011 == 0b0000_0011 { fresh.insert(.pressure) }
    if roundMask & 0b0001_1000 == 0b0001_1000 { fresh.insert(.temperature) }
    if roundMask & 0b1100_0000 == 0b1100_0000 { fresh.insert(.humidity) }
    return fresh
  }

  /// The current data registers; registers that were never read have their power-on values.
  private var bytes: [UInt8] {
    let powerOn: [UInt8] = [0x80, 0, 0, 0x80, 0, 0, 0x80, 0]
    return powerOn.enumerated().map { registers[0xF7 + $0] ?? $1 }
  }

  /// The chip, as identified by its id or, if the id was not read, by the calibration registers that were read.
  package var chip: Chip? {
    if let identifier = registers[Int(Register.id)] { return Chip(identifier: identifier) }
    if missing(0xE1...0xE7) == 0 { return .bme280 }
    return missing(0x88...0x9F) == 0 ? .bmp280 : nil
  }

  /// The name of the chip, or the names of both chips if the program did not read enough to distinguish them.
  package var name: String {
    guard let chip else { return "an unidentified part" }
    let canBeBoth = registers[Int(Register.id)] == nil && chip == .bmp280
    return canBeBoth ? "\(Chip.bmp280.name) or \(Chip.bme280.name)" : "\(chip.name)"
  }

  /// The bytes of the calibration, or `nil` if not all were read.
  package var nvm: InlineArray<33, UInt8>? {
    guard let chip, missingCalibration == 0 else { return nil }
    var nvm = InlineArray<33, UInt8>(repeating: 0)
    for index in 0..<Calibration.length(on: chip) {
      nvm[index] = registers[Calibration.register(ofByte: index)] ?? 0
    }
    return nvm
  }

  /// The words of the calibration, or `nil` if not all were read.
  package var calibration: Calibration? {
    guard let chip, let nvm else { return nil }
    return Calibration(bytes: nvm.span.extracting(first: Calibration.length(on: chip)))
  }

  /// The number of calibration bytes that were not read.
  package var missingCalibration: Int {
    guard let chip, chip.measuresHumidity else { return missing(0x88...0x9F) }
    // 0xA0 is reserved; many drivers omit it.
    return missing(0x88...0x9F) + missing(0xA1...0xA1) + missing(0xE1...0xE7)
  }

  private func missing(_ range: ClosedRange<Int>) -> Int {
    range.count { registers[$0] == nil }
  }
}

/// A set of quantities.
package struct QuantitySet: OptionSet, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let temperature = QuantitySet(rawValue: 1)
  package static let pressure = QuantitySet(rawValue: 2)
  package static let humidity = QuantitySet(rawValue: 4)
  package static let all: QuantitySet = [.temperature, .pressure, .humidity]

  package static let named: [(quantity: QuantitySet, name: String)] = Quantity.allCases.map {
    (QuantitySet($0), $0.rawValue)
  }

  /// The number of quantities.
  package var count: Int { rawValue.nonzeroBitCount }
}

extension QuantitySet {
  /// Creates the set of one quantity.
  package init(_ quantity: Quantity) {
    self =
      switch quantity {
      case .temperature: .temperature
      case .pressure: .pressure
      case .humidity: .humidity
      }
  }
}
