/// The limits of files and functions, and the imports that a source is allowed.
enum Layout {
  /// The most lines of a source file.
  static let longestFile = 700
  /// The fewest lines of a Swift file of the product, with few exceptions.
  static let shortestFile = 25
  /// The most lines of a function, from its declaration to its closing brace.
  static let longestFunction = 60

  /// The functions of a source that are too long, each as "line: N lines".
  ///
  /// A function ends at the first closing brace with the indentation of its declaration.
  static func longFunctions(in source: String) -> [String] {
    let declaration =
      /^ *(?:(?:public|package|private|fileprivate|internal|static|final|override|mutating|nonisolated|@[A-Za-z_()]+) )*(?:func|init)[ (?<]/
    var found: [String] = []
    var open: (line: Int, indentation: Int, hasBody: Bool)?
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let indentation = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indentation)
      if let start = open, start.hasBody {
        guard text.first == "}", indentation == start.indentation else { continue }
        let count = index - start.line + 1
        if count > longestFunction { found.append("\(start.line + 1): \(count) lines") }
        open = nil
      } else if line.prefixMatch(of: declaration) != nil {
        open = (index, indentation, text.hasSuffix("{"))
      } else if let start = open {
        // A requirement of a protocol ends without a body.
        let continues = indentation > start.indentation || text.first == ")" || text.first == "{"
        open = continues ? (start.line, start.indentation, text.hasSuffix("{")) : nil
      }
    }
    return found
  }

  /// The modules that a source imports.
  static func imports(in source: String) -> Set<String> {
    let pattern =
      /(?m)^ *(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|typealias|var|let) )?(?<module>\w+)/
    return Set(source.matches(of: pattern).map { String($0.output.module) })
  }
}
