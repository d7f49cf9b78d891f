import I2C
package import I2CTrace
package import Parts
import Support

/// Describes the transfers of an SHT21 in the datasheet's terms.
package struct SHT21Text: TransferText {
  /// The data that a read returns after a command.
  private enum Answer {
    case result(SHT21Quantity)
    case userRegister
    case serialNumber
  }

  private var answer: Answer?

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    if let error = transfer.error {
      guard error.kind == .addressNack, case .result = answer else { return nil }
      return transfer.messages.last?.segment.direction == .read ? "measurement running" : nil
    }
    var parts: [String] = []
    for message in transfer.messages where !message.bytes.isEmpty {
      let part =
        switch message.segment.direction {
        case .write: command(message.bytes)
        case .read: result(message.bytes)
        }
      guard let part else {
        answer = nil
        return nil
      }
      parts.append(part)
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private mutating func command(_ bytes: [UInt8]) -> String? {
    answer = nil
    guard let command = SHT21Command(rawValue: bytes[0]) else {
      let words = [SHT21SerialNumber.firstCommand, SHT21SerialNumber.secondCommand]
      if bytes.count == 2, words.contains(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) {
        answer = .serialNumber
        return "serial number"
      }
      return nil
    }
    if let quantity = command.quantity {
      answer = .result(quantity)
      return "measure \(quantity)\(command.holdsClock ? ", holding the clock" : "")"
    }
    switch command {
    case .softReset: return "reset"
    case .writeUserRegister:
      return bytes.count > 1 ? "user register <- \(Self.settings(bytes[1]))" : "user register"
    default:
      answer = .userRegister
      return "user register"
    }
  }

  private func result(_ bytes: [UInt8]) -> String? {
    switch answer {
    case .result(let quantity) where bytes.count >= 2:
      let word = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      let value = Decimal.fixed(quantity.value(of: word), 2)
      let isDamaged = bytes.count > 2 && bytes[2] != SHT21Checksum(of: word).value
      return "-> \(quantity) \(value) \(quantity == .temperature ? "C" : "%")"
        + (isDamaged ? ", checksum wrong" : "")
    case .userRegister: return "-> \(Self.settings(bytes[0]))"
    case .serialNumber, .result: return "-> \("byte".counted(bytes.count))"
    case nil: return nil
    }
  }

  private static func settings(_ byte: UInt8) -> String {
    let register = SHT21UserRegister(rawValue: byte)
    let resolution = register.resolution
    return "0x\(Hexadecimal.digits(byte)) temperature \(resolution.bits(of: .temperature)) bits, "
      + "humidity \(resolution.bits(of: .humidity)) bits"
      + (register.isHeaterOn ? ", heater on" : "")
      + (register.isBatteryLow ? ", end of battery" : "")
      + (register.isReloadDisabled ? "" : ", reload")
  }
}

/// Detects programs that access an SHT21 before a measurement or a reset has finished and never
/// retry successfully.
package struct SHT21Listener: PartListener {
  private var register = SHT21UserRegister.afterReset
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
    let command = SHT21Command(rawValue: bytes[0])
    switch command {
    case .temperatureNoHold, .humidityNoHold:
      guard let quantity = command?.quantity else { return }
      let longest = register.resolution.longestTime(of: quantity)
      unanswered.begin("the start of the measurement", at: time, longest: longest)
    case .softReset:
      register = .afterReset
      unanswered.begin("the reset", at: time, longest: SHT21Figures.resetTime)
    case .writeUserRegister where bytes.count > 1:
      register = SHT21UserRegister(rawValue: bytes[1])
    default: break
    }
  }
}
