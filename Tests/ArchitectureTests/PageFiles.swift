/// The source files that a page of the documentation names.
enum PageFiles {
  /// Finds the files and folders that a page names in backticks; a missing one has the path `nil`.
  ///
  /// A name is relative to the repository, to `Sources`, or to the folder of the file named before it or a parent of that;
  /// `+Part` is the last file with another suffix after its plus sign.
  static func find(
    in text: String, exists: (String) -> Bool
  ) -> [(name: String, path: String?)] {
    var found: [(name: String, path: String?)] = []
    var last = "Sources"
    for match in text.matches(of: /`([^`\s]+)`/) {
      let name = String(match.output.1)
      guard isFile(name) else { continue }
      let path = candidates(of: name, after: last).first(where: exists)
      found.append((name, path))
      if let path { last = path }
    }
    return found
  }

  private static func isFile(_ name: String) -> Bool {
    let isRooted = folders.contains { name.hasPrefix($0 + "/") }
    let hasEnding = [".swift", ".c", ".py", ".md"].contains(where: name.hasSuffix)
    let isPart = name.hasPrefix("+") && name.dropFirst().allSatisfy(\.isLetter)
    return (isRooted || hasEnding || isPart) && !name.contains("NAME")
  }

  private static func candidates(of name: String, after last: String) -> [String] {
    if name.hasPrefix("+") {
      return last.lastIndex(of: "+").map { [last[..<$0] + name + ".swift"] } ?? []
    }
    var folders = last.split(separator: "/").map(String.init)
    var candidates = [name, "Sources/" + name]
    while !folders.isEmpty {
      candidates.append((folders + [name]).joined(separator: "/"))
      folders.removeLast()
    }
    return candidates
  }

  private static let folders = [
    "Sources", "Tests", "Bench", "Chips", "Core", "Python", "Reach", "Rig", "Rigs", "Support",
    "Telling", "Traces", "Work",
  ]
}
