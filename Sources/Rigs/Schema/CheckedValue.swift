/// A value of a file, where it stands, and whether it fits its shape.
struct CheckedValue: Sendable {
  enum Content: Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case list([CheckedValue])
    case section([String: CheckedValue])
    /// It does not fit; the mistake has been noted.
    case invalid
  }

  let content: Content
  let position: Position
  /// Whether it and all within it fit their shapes.
  let isSound: Bool

  init(_ content: Content, at position: Position, isSound: Bool = true) {
    self.content = content
    self.position = position
    self.isSound = isSound
  }

  /// A value that does not fit.
  static func invalid(at position: Position) -> CheckedValue {
    CheckedValue(.invalid, at: position, isSound: false)
  }

  // The accessors are not inlined: the optimizer of Swift 6.3.1 crashes where several are.

  /// A named value of a section, or nothing.
  subscript(_ name: String) -> CheckedValue? {
    if case .section(let fields) = content { return fields[name] }
    return nil
  }

  @inline(never)
  var text: String? {
    if case .text(let text) = content { return text }
    return nil
  }

  @inline(never)
  var integer: Int? {
    if case .integer(let integer) = content { return integer }
    return nil
  }

  @inline(never)
  var number: Double? {
    switch content {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  var boolean: Bool? {
    if case .boolean(let boolean) = content { return boolean }
    return nil
  }

  /// A duration or moment in nanoseconds.
  var nanoseconds: Int64? { integer.map(Int64.init) ?? number.map { Int64($0) } }

  var list: [CheckedValue] {
    if case .list(let values) = content { return values }
    return []
  }
}
