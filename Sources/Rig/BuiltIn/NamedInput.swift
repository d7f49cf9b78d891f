package import Files
import Text

/// What a word on the command line or in a rig stands for: a file, else what is built in under that name.
package struct NamedInput: Hashable, Sendable {
  /// What stands before the path of a file that is built in, where a path is kept.
  private static let mark = "built-in:"

  /// The path by which it is opened.
  package let path: String

  /// Whether it is built in.
  package var isBuiltIn: Bool { path.hasPrefix(Self.mark) }

  /// Finds what a word stands for; a file wins over a built-in name.
  ///
  /// - Parameters:
  ///   - word: a path or a name.
  ///   - kind: what it must be.
  ///   - place: the path that the word means where it is one; the word itself unless given.
  /// - Throws: `Failure` of kind missing input that says what was looked for.
  package init(
    _ word: String, _ kind: BuiltInFile.Kind, at place: String? = nil
  ) throws(Failure) {
    let path = place ?? word
    let isFolder = TextFile.isFolder(path)
    if path == "-" || TextFile.exists(path) && !isFolder {
      self.path = path
    } else if let file = BuiltInFile.named(word, kind) {
      self.path = Self.mark + file.path
    } else if isFolder {
      throw Failure(.inputOutput, "\(path): is a folder, not a \(kind.noun)")
    } else {
      throw Self.missing(word, kind, path)
    }
  }

  /// What a word in a built-in file stands for: the name of another that is built in.
  package init?(_ word: String, inBuiltIn kind: BuiltInFile.Kind) {
    guard let file = BuiltInFile.named(word, kind) else { return nil }
    path = Self.mark + file.path
  }

  /// Opens what a path stands for that was found before.
  ///
  /// - Throws: `Failure` when it is missing or cannot be opened.
  package static func open(_ path: String) throws(Failure) -> InputFile {
    guard path.hasPrefix(mark),
      let file = BuiltInFile.all.first(where: { mark + $0.path == path })
    else { return try InputFile(path) }
    return InputFile(file.bytes, named: title(path))
  }

  /// The name of what a path stands for, for messages: the file's own where it is built in.
  package static func title(_ path: String) -> String {
    guard path.hasPrefix(mark) else { return path }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Why there is nothing.
  private static func missing(_ word: String, _ kind: BuiltInFile.Kind, _ path: String) -> Failure {
    let names = BuiltInFile.names(kind)
    guard word.contains("/") else {
      let list = kind.list.map { " ('\($0)' lists them)" } ?? ""
      return Failure(
        .missingInput,
        "\(path): no such file, and no built-in \(kind.noun) has this name"
          + NearestWord.hint(word, among: names) + list)
    }
    let last = word.split(separator: "/").last.map(String.init) ?? ""
    let hint =
      BuiltInFile.named(last, kind).map { "; the built-in \(kind.noun) is named \($0.name)" } ?? ""
    return Failure(.missingInput, "\(path): no such file\(hint)")
  }
}
