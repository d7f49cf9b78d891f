import Files

/// GitHub Actions, where a run may take place.
enum GitHub {
  /// Marks the run, where it takes place there; on standard error, which GitHub reads too.
  static func annotate(_ lines: [String]) {
    guard ProgramEnvironment["GITHUB_ACTIONS"] == "true" else { return }
    lines.forEach { StandardError.write($0 + "\n") }
  }
}
