/// A value of a file, where it stands, and whether it fits its shape.
package struct CheckedValue: Sendable {
  package enum Content: Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case list([CheckedValue])
    case section([String: CheckedValue])
    /// It does not fit; the mistake has been noted.
    case invalid
  }

  package let content: Content
  package let position: Position
  /// Whether it and all within it fit their shapes.
  package let isSound: Bool
  /// The quantity as the file writes it, `0.5hPa`; `nil` for all else.
  package let written: String?

  package init(
    _ content: Content, at position: Position, isSound: Bool = true, written: String? = nil
  ) {
    self.content = content
    self.written = written
    self.position = position
    self.isSound = isSound
  }

  /// A value that does not fit.
  package static func invalid(at position: Position) -> CheckedValue {
    CheckedValue(.invalid, at: position, isSound: false)
  }

  // The accessors are not inlined: the optimizer of Swift 6.3.1 crashes where several are.

  /// A named value of a section, or `nil`.
  package subscript(_ name: String) -> CheckedValue? {
    if case .section(let fields) = content { return fields[name] }
    return nil
  }

  @inline(never)
  package var text: String? {
    if case .text(let text) = content { return text }
    return nil
  }

  @inline(never)
  package var integer: Int? {
    if case .integer(let integer) = content { return integer }
    return nil
  }

  @inline(never)
  package var number: Double? {
    switch content {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  package var boolean: Bool? {
    if case .boolean(let boolean) = content { return boolean }
    return nil
  }

  /// A duration or moment in nanoseconds.
  package var nanoseconds: Int64? { integer.map(Int64.init) ?? number.map { Int64($0) } }

  package var list: [CheckedValue] {
    if case .list(let values) = content { return values }
    return []
  }
}
