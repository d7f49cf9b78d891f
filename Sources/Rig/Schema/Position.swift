package import Findings

/// A place in a file.
package struct Position: Hashable, Comparable, Sendable {
  /// The line, from 1.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int

  /// Creates a place.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders places as a reader meets them.
  package static func < (left: Position, right: Position) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A mistake in a file is a finding at its place.
package typealias Mistake = Finding

extension Mistake {
  /// Creates a mistake.
  ///
  /// - Parameters:
  ///   - file: the file's path as the user gave it.
  ///   - position: where in the file.
  ///   - message: what is wrong and what would be right.
  package init(file: String, position: Position, message: String) {
    self.init(
      .error, "mistake", at: Place(file: file, line: position.line, column: position.column),
      message)
  }

  /// Where in its file it is.
  var position: Position { Position(line: place?.line ?? 1, column: place?.column ?? 1) }
}
