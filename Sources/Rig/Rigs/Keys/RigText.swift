import Schema

/// The spellings of rig files, for whoever takes the same on a command line.
package enum RigText {
  /// A length of time such as `10s` in nanoseconds, or `nil`.
  package static func nanoseconds(_ text: String) -> UInt64? {
    guard let value = try? QuantityKind.duration.parse(text) else { return nil }
    return UInt64(value)
  }

  /// What is wrong with a text as a length of time.
  package static func mistake(inTime text: String) -> String? {
    do throws(QuantityKind.FormatError) {
      _ = try QuantityKind.duration.parse(text)
      return nil
    } catch {
      return error.message
    }
  }

  /// A whole number, hexadecimal with `0x`, or `nil`.
  package static func integer(_ text: String) -> Int? { Shape.integer(text) }
}
