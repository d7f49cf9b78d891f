import BME280
import BME280Model
import I2C
package import I2CTrace
package import Parts
import Support

/// Describes the transfers of a BME280 or BMP280 in the datasheet's terms.
package struct BME280Text: TransferText {
  /// The register address at which the next read starts, or `nil` if it is unknown.
  private var pointer: UInt8?
  /// The number of transfers that accessed an unassigned register or read the id of a different
  /// chip.
  package private(set) var doubts = 0

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard transfer.error == nil else {
      // After a failed transfer the register address is unknown, unless the part did not
      // acknowledge its address.
      if transfer.error?.kind != .addressNack { pointer = nil }
      return nil
    }
    if isDoubtful(transfer) { doubts += 1 }
    var parts: [String] = []
    for (index, message) in transfer.messages.enumerated() {
      switch message.segment.direction {
      case .write:
        let isReadFrom =
          transfer.messages.dropFirst(index + 1).first?.segment.direction == .read
        parts += Self.settings(message.bytes, isReadFrom: isReadFrom)
        guard !message.bytes.isEmpty else { continue }
        pointer = message.bytes[(message.bytes.count - 1) / 2 * 2]
      case .read:
        guard let register = pointer, !message.bytes.isEmpty else { continue }
        parts.append(
          "\(Self.name(of: register, count: message.bytes.count)) -> \(Self.values(message.bytes, register))"
        )
        pointer = register &+ UInt8(truncatingIfNeeded: message.bytes.count)
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Returns `true` if a transfer accessed an unassigned register or read the id of a different
  /// chip.
  private func isDoubtful(_ transfer: TracedTransfer) -> Bool {
    guard let first = transfer.messages.first, first.segment.direction == .write,
      let register = first.bytes.first
    else { return false }
    let isThere = RegisterMap.registers(of: .bme280).contains {
      (Int($0.address)..<(Int($0.address) + $0.count)).contains(Int(register))
    }
    let answer = transfer.messages.dropFirst().first?.bytes.first
    let isOther = register == Register.id && answer.map { Chip(identifier: $0) == nil } == true
    return !isThere || isOther
  }

  /// Returns the decoded register writes of a message.
  ///
  /// If the message ends with a register address without a value, the name of that register
  /// follows. It is omitted if a read follows the message, because the description of the read
  /// contains it.
  private static func settings(_ bytes: [UInt8], isReadFrom: Bool) -> [String] {
    var parts = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (register, value) = (bytes[index], bytes[index + 1])
      let setting = meaning(value, of: register).map { " " + $0 } ?? ""
      return "\(name(of: register, count: 1)) <- 0x\(Hexadecimal.digits(value))\(setting)"
    }
    if !bytes.count.isMultiple(of: 2), !isReadFrom, let last = bytes.last {
      parts.append(name(of: last, count: 1))
    }
    return parts
  }

  private static func name(of register: UInt8, count: Int) -> String {
    if register == Register.data, count >= 6 { return "data" }
    let found = RegisterMap.registers(of: .bme280).first {
      (Int($0.address)..<(Int($0.address) + $0.count)).contains(Int(register))
    }
    guard let found else { return "0x\(Hexadecimal.digits(register))" }
    return found.count > 1 ? "calibration 0x\(Hexadecimal.digits(register))" : "\(found.name)"
  }

  private static func values(_ bytes: [UInt8], _ register: UInt8) -> String {
    if register == Register.data, bytes.count >= 6 {
      let raw = RawMeasurement(registers: bytes.span)
      let humidity = bytes.count >= 8 ? ", adc_H \(raw.humidity)" : ""
      return "adc_P \(raw.pressure), adc_T \(raw.temperature)\(humidity)"
    }
    guard bytes.count == 1 else { return "\(bytes.count) bytes" }
    let meaning = meaning(bytes[0], of: register).map { " " + $0 } ?? ""
    return "0x\(Hexadecimal.digits(bytes[0]))\(meaning)"
  }

  /// Returns the decoded settings or flags of a register value, or `nil` if the register has none.
  private static func meaning(_ value: UInt8, of register: UInt8) -> String? {
    switch register {
    case Register.controlHumidity: "osrs_h \(text(Oversampling(bits: value & 7)))"
    case Register.controlMeasurement:
      {
        let control = ControlMeasurement(byte: value)
        return
          "osrs_t \(text(control.temperature)), osrs_p \(text(control.pressure)), \(control.mode)"
      }()
    case Register.configuration:
      "filter \(text(Configuration(byte: value).filter)), t_sb \(value >> 5)"
    case Register.status:
      switch value & 0x09 {
      case 0x08: "measuring"
      case 0x01: "im_update"
      case 0x09: "measuring, im_update"
      default: "idle"
      }
    case Register.reset where value == Register.resetCommand: "reset"
    case Register.id: Chip(identifier: value).map { "\($0.name)" }
    default: nil
    }
  }

  private static func text(_ filter: Filter) -> String {
    filter == .off ? "off" : "\(filter.coefficient)"
  }

  private static func text(_ oversampling: Oversampling) -> String {
    oversampling == .skipped ? "skipped" : "x\(oversampling.samples)"
  }
}

/// Detects protocol errors of a program that accesses a BME280 or a BMP280.
package struct BME280Listener: PartListener {
  private var checker: LiveProtocolChecker

  /// Creates a listener.
  ///
  /// - Parameter longestRead: the maximum read length of the adapter in bytes; 0 for no limit.
  init(longestRead: Int) { checker = LiveProtocolChecker(longestRead: longestRead) }

  package mutating func take(_ transfer: TracedTransfer) { checker.take(transfer) }

  package mutating func warning() -> PartWarning? {
    checker.worst().map { PartWarning($0.sentence, others: $0.others) }
  }
}
