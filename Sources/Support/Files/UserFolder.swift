/// The folders of a user, after the XDG Base Directory Specification.
package enum UserFolder {
  /// The folder that a variable names, else one in the user's home.
  ///
  /// - Parameters:
  ///   - variable: the variable; empty or relative it counts as not set.
  ///   - fallback: the folder in the home.
  ///   - environment: all variables.
  /// - Returns: the folder; nothing where nobody says.
  package static func path(
    _ variable: String, otherwise fallback: String, _ environment: [String: String]
  ) -> String? {
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return absolute(variable) ?? absolute("HOME").map { "\($0)/\(fallback)" }
  }
}
