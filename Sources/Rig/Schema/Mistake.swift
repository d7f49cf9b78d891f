/// A place in a file.
public struct Position: Hashable, Comparable, Sendable {
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  /// Creates a place.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders places as a reader meets them.
  public static func < (left: Position, right: Position) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// One mistake in a file, at its place.
public struct Mistake: Error, Hashable, Sendable {
  /// The file's path as the user gave it.
  public var file: String
  /// Where in the file.
  public var position: Position
  /// What is wrong and what would be right.
  public var message: String

  package init(file: String, position: Position, message: String) {
    self.file = file
    self.position = position
    self.message = message
  }
}

extension Mistake: CustomStringConvertible {
  /// `file:line:column: error: message`, as compilers print it.
  public var description: String {
    "\(file):\(position.line):\(position.column): error: \(message)"
  }
}
