/// A command as a person can give it to a shell.
package enum ShellCommand {
  /// The words of a command in one line; what a shell would take apart or replace is quoted.
  package static func text(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ":", ",", "@", "%": true
      case "=": scalar != word.unicodeScalars.first
      default: false
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
