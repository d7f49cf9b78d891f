import CBuiltIn
package import Support

/// A file of the repository that is embedded in the command, so it is available without a checkout.
package struct BuiltInFile: Sendable {
  /// The kind of a file; the files of each kind are in a folder of their own.
  package enum Kind: String, CaseIterable, Sendable {
    case rig, part, calibration, weather, trace, beginning, skeleton

    /// The folder of the files, relative to the root of the repository.
    package var folder: String {
      switch self {
      case .rig: "rigs"
      case .part: "rigs/parts"
      case .calibration: "fixtures/calibrations"
      case .weather: "fixtures/weather"
      case .trace: "fixtures/traces"
      case .beginning: "fixtures/new"
      case .skeleton: "fixtures/parts"
      }
    }

    /// The name of the kind in messages.
    var noun: String {
      switch self {
      case .weather: "weather table"
      default: rawValue
      }
    }

    /// The command that lists the files; `nil` if there is none.
    var list: String? {
      switch self {
      case .rig: "aneroid rig list"
      case .part: "aneroid part list"
      case .calibration: "aneroid calibration"
      case .weather, .trace, .beginning, .skeleton: nil
      }
    }
  }

  /// The kind of the file.
  package let kind: Kind
  /// The name without folder and extension: `weather-station`.
  package let name: String
  /// The index in the list of embedded files.
  private let index: Int

  /// All files, in the order of their paths.
  package static let all: [BuiltInFile] = (0..<built_in_file_count()).compactMap(BuiltInFile.init)

  private init?(index: Int) {
    guard let file = built_in_file_at(index) else { return nil }
    let path = String(cString: file.pointee.path)
    guard let slash = path.lastIndex(of: "/"),
      let kind = Kind.allCases.first(where: { $0.folder == path[..<slash] })
    else { return nil }
    let last = path[path.index(after: slash)...]
    self.kind = kind
    name = String(last.lastIndex(of: ".").map { last[..<$0] } ?? last)
    self.index = index
  }

  /// The path relative to the root of the repository.
  package var path: String {
    built_in_file_at(index).map { String(cString: $0.pointee.path) } ?? ""
  }

  package var bytes: [UInt8] {
    guard let file = built_in_file_at(index) else { return [] }
    return Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count))
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Finds a file of a kind by its name, with or without extension.
  package static func named(_ name: String, _ kind: Kind) -> BuiltInFile? {
    all.first { $0.kind == kind && ($0.name == name || $0.path == "\(kind.folder)/\(name)") }
  }

  /// Returns the names of all files of a kind, in the order of their paths.
  package static func names(_ kind: Kind) -> [String] {
    all.filter { $0.kind == kind }.map(\.name)
  }
}

/// A file that a word on the command line or in a rig refers to: an existing file, else a built-in one of that name.
package struct NamedInput: Hashable, Sendable {
  /// The prefix of the path of a built-in file.
  private static let mark = "built-in:"

  /// The path to pass to `open(_:)`.
  package let path: String

  /// `true` for a built-in file.
  package var isBuiltIn: Bool { Self.isBuiltIn(path: path) }

  /// Returns whether a resolved path is that of a built-in file.
  package static func isBuiltIn(path: String) -> Bool { path.hasPrefix(mark) }

  /// Resolves a word; an existing file takes precedence over a built-in name.
  ///
  /// - Parameters:
  ///   - word: a path or a name.
  ///   - kind: the kind of file.
  ///   - resolved: the path to use if the word is a path. Default: `word`.
  /// - Throws: `Failure` of kind missing input if neither exists.
  package init(
    _ word: String, _ kind: BuiltInFile.Kind, at resolved: String? = nil
  ) throws(Failure) {
    let path = resolved ?? word
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

  /// Resolves a word that occurs in a built-in file and names another one; returns `nil` if no built-in file has this
  /// name.
  package init?(_ word: String, inBuiltIn kind: BuiltInFile.Kind) {
    guard let file = BuiltInFile.named(word, kind) else { return nil }
    path = Self.mark + file.path
  }

  /// Opens a resolved path.
  ///
  /// - Throws: `Failure` if the file is missing or cannot be opened.
  package static func open(_ path: String) throws(Failure) -> InputFile {
    guard path.hasPrefix(mark),
      let file = BuiltInFile.all.first(where: { mark + $0.path == path })
    else { return try InputFile(path) }
    return InputFile(file.bytes, named: title(path))
  }

  /// Returns the name of a resolved path for messages; for a built-in file, the file name only.
  package static func title(_ path: String) -> String {
    guard path.hasPrefix(mark) else { return path }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Creates the failure for a word that is neither a file nor a built-in name.
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
