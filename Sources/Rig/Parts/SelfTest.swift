/// What a part finds when it tries itself, without any hardware.
package struct SelfTest: Hashable, Sendable {
  /// What was tried, a few words.
  package let subject: String
  /// Whether it came out as it must.
  package let isPassed: Bool
  /// What came out, in words.
  package let detail: String

  /// Creates the result of a try.
  package init(_ subject: String, isPassed: Bool, _ detail: String) {
    self.subject = subject
    self.isPassed = isPassed
    self.detail = detail
  }
}
