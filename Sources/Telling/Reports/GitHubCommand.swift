public import Rigs
public import Runs
import Text

/// A workflow command of GitHub Actions.
public enum GitHubCommand {
  /// The line of a command.
  ///
  /// - Parameters:
  ///   - command: `error`, `warning` or `notice`.
  ///   - title: what it is about.
  ///   - file: the file and the line, if it is about one.
  ///   - message: the message.
  /// - Returns: the line, without its end.
  public static func line(
    _ command: String, title: String, file: (path: String, line: Int)? = nil, _ message: String
  ) -> String {
    func escaped(_ text: String, isProperty: Bool) -> String {
      let plain = (isProperty ? text.visible : text.visibleLines).replacing("%", with: "%25")
        .replacing("\r", with: "%0D")
        .replacing("\n", with: "%0A")
      return isProperty ? plain.replacing(":", with: "%3A").replacing(",", with: "%2C") : plain
    }
    let place = file.map { "file=\(escaped($0.path, isProperty: true)),line=\($0.line)," } ?? ""
    return "::\(command) \(place)title=\(escaped(title, isProperty: true))::"
      + escaped(message, isProperty: false)
  }
}

extension Verdict.Finding {
  /// The line that marks an expectation that was not met.
  public func annotation(in rig: Rig) -> String {
    GitHubCommand.line(
      "error", title: "aneroid run: \(rig.name)", file: (rig.file, expectation.line),
      "\(expectation.title): \(detail)")
  }
}
