import Schema

/// The spellings of rig files, for whoever takes the same on a command line.
package enum RigText {
  /// A length of time such as `10s` in nanoseconds, or `nil`.
  package static func nanoseconds(_ text: String) -> UInt64? {
    guard let value = try? QuantityKind.duration.parse(text) else { return nil }
    return UInt64(value)
  }

  /// A bus frequency such as `400kHz` in Hz, or `nil`.
  package static func hertz(_ text: String) -> UInt64? {
    guard let value = try? QuantityKind.frequency.parse(text) else { return nil }
    return UInt64(value)
  }

  /// What is wrong with a text as a length of time.
  package static func mistake(inTime text: String) -> String? { mistake(in: text, .duration) }

  /// What is wrong with a text as a bus frequency.
  package static func mistake(inFrequency text: String) -> String? { mistake(in: text, .frequency) }

  private static func mistake(in text: String, _ kind: QuantityKind) -> String? {
    do throws(QuantityKind.FormatError) {
      _ = try kind.parse(text)
      return nil
    } catch {
      return error.message
    }
  }

  /// A whole number, hexadecimal with `0x`, or `nil`.
  package static func integer(_ text: String) -> Int? { Shape.integer(text) }
}
