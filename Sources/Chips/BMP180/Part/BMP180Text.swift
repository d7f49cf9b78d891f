import I2C
package import I2CTrace
import Parts
import Text

/// What a transfer means to a BMP180, in the data sheet's names.
package struct BMP180Text: TransferText {
  private var pointer: UInt8?
  /// What was converted last, as far as writes have told.
  private var conversion: BMP180Conversion?

  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard transfer.error == nil else { return nil }
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
    switch (bytes[0], bytes.count) {
    case (BMP180Register.calibration..<BMP180Register.calibration + 22, 1): return "calibration"
    case (BMP180Register.id, 1): return "id"
    case (BMP180Register.control, 1): return "control"
    case (BMP180Register.data...BMP180Register.data + 2, 1): return "result"
    case (BMP180Register.reset, 2) where bytes[1] == BMP180Register.resetCommand:
      conversion = nil
      return "reset"
    case (BMP180Register.control, 2):
      guard let conversion = BMP180Conversion(command: bytes[1]) else { break }
      self.conversion = conversion
      switch conversion {
      case .temperature: return "convert the temperature"
      case .pressure(let oversampling): return "convert the pressure, x\(oversampling.samples)"
      }
    default: break
    }
    pointer = nil
    return nil
  }

  private mutating func read(_ bytes: [UInt8]) -> String? {
    guard let start = pointer else { return nil }
    pointer = start &+ UInt8(truncatingIfNeeded: bytes.count)
    switch start {
    case BMP180Register.id where bytes.count == 1:
      return bytes[0] == BMP180Register.idValue ? "0x55" : nil
    case BMP180Register.control:
      let state = bytes[0] & BMP180Conversion.startBit == 0 ? "idle" : "converting"
      return bytes.count < 4 ? state : "\(state), \(code(Array(bytes.dropFirst(2))))"
    case BMP180Register.data where (2...3).contains(bytes.count): return code(bytes)
    case BMP180Register.data...BMP180Register.data + 2 where bytes.count == 1:
      return "0x" + Hexadecimal.digits(bytes[0])
    case BMP180Register.calibration..<BMP180Register.calibration + 22:
      return bytes.count > 2
        ? "byte".counted(bytes.count) : "0x" + bytes.map { Hexadecimal.digits($0) }.joined()
    default: return nil
    }
  }

  private func code(_ bytes: [UInt8]) -> String {
    let low = bytes.count > 2 ? bytes[2] : 0
    guard let conversion else { return "0x" + bytes.map { Hexadecimal.digits($0) }.joined() }
    let name = conversion == .temperature ? "UT" : "UP"
    return "\(name) \(conversion.code(bytes[0], bytes[1], low))"
  }
}
