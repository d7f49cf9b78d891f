import I2C
package import I2CTrace
package import Parts
import Support

/// Describes the transfers of an HDC1000 in the datasheet's terms.
package struct HDC1000Text: TransferText {
  private var pointer: UInt8?
  /// `true` if a measurement acquires both quantities, according to the last written configuration.
  private var measuresBoth = true

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    if let error = transfer.error {
      let isRead = transfer.messages.last?.segment.direction == .read
      let concernsResult = pointer.map { $0 <= HDC1000Register.humidity } ?? false
      return error.kind == .addressNack && isRead && concernsResult ? "measurement running" : nil
    }
    var parts: [String] = []
    for message in transfer.messages where !message.bytes.isEmpty {
      let part =
        switch message.segment.direction {
        case .write: written(message.bytes)
        case .read: read(message.bytes).map { "-> " + $0 }
        }
      guard let part else { return nil }
      parts.append(part)
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private mutating func written(_ bytes: [UInt8]) -> String? {
    pointer = bytes[0]
    if bytes[0] == HDC1000Register.configuration, bytes.count == 3 {
      let word = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
      if word & HDC1000Configuration.resetBit != 0 { return "reset" }
      measuresBoth = HDC1000Configuration(rawValue: word).measuresBoth
      return "configuration <- \(Self.settings(word))"
    }
    switch bytes[0] {
    case HDC1000Register.temperature:
      return measuresBoth ? "measure temperature and humidity" : "measure temperature"
    case HDC1000Register.humidity: return "measure humidity"
    case HDC1000Register.configuration: return "configuration"
    case HDC1000Register.serial..<HDC1000Register.manufacturer: return "serial number"
    case HDC1000Register.manufacturer: return "manufacturer"
    case HDC1000Register.device: return "device"
    default:
      pointer = nil
      return nil
    }
  }

  private func read(_ bytes: [UInt8]) -> String? {
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    guard let pointer else { return nil }
    guard let first = words.first else { return "byte".counted(bytes.count) }
    switch pointer {
    case HDC1000Register.temperature:
      let temperature = Self.value(first, .temperature)
      guard words.count > 1, measuresBoth else { return temperature }
      return temperature + ", " + Self.value(words[1], .humidity)
    case HDC1000Register.humidity: return Self.value(first, .humidity)
    case HDC1000Register.configuration: return Self.settings(first)
    default: return Self.hexadecimal(first)
    }
  }

  private static func value(_ word: UInt16, _ quantity: HDC1000Quantity) -> String {
    "\(quantity) \(Decimal.fixed(quantity.scale.value(of: word), 2)) "
      + (quantity == .temperature ? "C" : "%")
  }

  private static func settings(_ word: UInt16) -> String {
    let configuration = HDC1000Configuration(rawValue: word)
    return hexadecimal(word) + (configuration.measuresBoth ? " both" : " one")
      + ", temperature \(configuration.temperatureResolution.bits) bits"
      + ", humidity \(configuration.humidityResolution.bits) bits"
      + (configuration.isHeaterOn ? ", heater on" : "")
      + (configuration.isBatteryLow ? ", battery low" : "")
  }

  private static func hexadecimal(_ word: UInt16) -> String {
    "0x" + Hexadecimal.digits(word, 4)
  }
}

/// Detects reads of an HDC1000 that come too early, are not acknowledged, and are never repeated successfully.
package struct HDC1000Listener: PartListener {
  private var configuration = HDC1000Configuration.afterReset
  private var unanswered = UnansweredReads()

  package init() {}

  package mutating func take(_ transfer: TracedTransfer) {
    if transfer.isNotAcknowledged { unanswered.notAcknowledged(at: transfer.time) }
    guard transfer.error == nil else { return }
    for message in transfer.messages where !message.bytes.isEmpty {
      switch message.segment.direction {
      case .read: unanswered.acknowledged()
      case .write: written(message.bytes, at: transfer.time + transfer.duration)
      }
    }
  }

  package mutating func warning() -> PartWarning? { unanswered.warning() }

  private mutating func written(_ bytes: [UInt8], at time: UInt64) {
    switch (bytes[0], bytes.count) {
    case (HDC1000Register.temperature, 1), (HDC1000Register.humidity, 1):
      unanswered.begin("the start of the measurement", at: time, typical: usualTime(of: bytes[0]))
    case (HDC1000Register.configuration, 3...):
      let word = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
      if word & HDC1000Configuration.resetBit != 0 {
        configuration = .afterReset
        unanswered.begin("the reset", at: time, longest: HDC1000Figures.startTime)
      } else {
        configuration = HDC1000Configuration(rawValue: word)
      }
    default: break
    }
  }

  /// Returns the typical duration of a measurement in nanoseconds; the datasheet gives no maximum.
  private func usualTime(of pointer: UInt8) -> UInt64 {
    let temperature = configuration.temperatureResolution.time(of: .temperature)
    let humidity = configuration.humidityResolution.time(of: .humidity)
    if configuration.measuresBoth { return temperature + humidity }
    return pointer == HDC1000Register.temperature ? temperature : humidity
  }
}
