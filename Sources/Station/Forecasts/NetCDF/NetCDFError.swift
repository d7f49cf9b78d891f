/// Why a forecast file cannot be used: which file, what of it, and why.
package struct ForecastFileError: Error, Sendable, CustomStringConvertible {
  /// The file, as it was named.
  package let file: String
  /// What is wrong.
  package let reason: String
  /// Whether it was replaced while it was read; another try reads the new one.
  package var wasReplaced = false

  package var description: String { "\(file): \(reason)" }
}
