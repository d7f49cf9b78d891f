import BME280
import I2C
package import I2CTrace

/// The bytes of one write message as the part takes them: pairs of register and value, and where they leave its pointer.
package struct RegisterWrite {
  /// The registers that are written, in order, each with its value.
  package let pairs: [(register: UInt8, value: UInt8)]
  /// The register at which a read goes on; `nil` for an empty message.
  let pointer: UInt8?
  /// Whether the last byte stands alone: a register address without a value.
  let hasTrailingAddress: Bool

  package init(_ bytes: [UInt8]) {
    pairs = stride(from: 0, to: bytes.count - 1, by: 2).map { (bytes[$0], bytes[$0 + 1]) }
    pointer = bytes.isEmpty ? nil : bytes[(bytes.count - 1) / 2 * 2]
    hasTrailingAddress = !bytes.count.isMultiple(of: 2)
  }

  /// Whether the bytes behind the first pair can be no pairs: somebody has counted on the part to increment.
  var hasStranger: Bool {
    pairs.dropFirst().contains { pair in
      switch pair.register {
      case Register.reset, Register.controlHumidity, Register.controlMeasurement,
        Register.configuration:
        false
      default: true
      }
    }
  }
}

extension TracedTransfer {
  /// The messages that took effect: all, or those before the one that failed.
  package var effectiveMessages: ArraySlice<TracedMessage> {
    error.map { messages.prefix($0.message) } ?? messages[...]
  }
}
