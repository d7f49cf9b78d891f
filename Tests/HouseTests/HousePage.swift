/// A page of the documentation that leads through the sources by the names of files.
enum HousePage {
  /// The files and folders that a page names in backticks, each with where it is; `nil` where it is nowhere.
  ///
  /// One is named from the top, from `Sources`, or from where the one before it lies or a folder above that;
  /// `+Part` stands for the last file with another ending.
  static func files(
    in text: String, exists: (String) -> Bool
  ) -> [(name: String, path: String?)] {
    var found: [(name: String, path: String?)] = []
    var last = "Sources"
    for match in text.matches(of: /`([^`\s]+)`/) {
      let name = String(match.output.1)
      guard isFile(name) else { continue }
      let path = places(of: name, after: last).first(where: exists)
      found.append((name, path))
      if let path { last = path }
    }
    return found
  }

  private static func isFile(_ name: String) -> Bool {
    let isRooted = rooms.contains { name.hasPrefix($0 + "/") }
    let hasEnding = [".swift", ".c", ".py", ".md"].contains(where: name.hasSuffix)
    let isPart = name.hasPrefix("+") && name.dropFirst().allSatisfy(\.isLetter)
    return (isRooted || hasEnding || isPart) && !name.contains("NAME")
  }

  private static func places(of name: String, after last: String) -> [String] {
    if name.hasPrefix("+") {
      return last.lastIndex(of: "+").map { [last[..<$0] + name + ".swift"] } ?? []
    }
    var folders = last.split(separator: "/").map(String.init)
    var places = [name, "Sources/" + name]
    while !folders.isEmpty {
      places.append((folders + [name]).joined(separator: "/"))
      folders.removeLast()
    }
    return places
  }

  private static let rooms = [
    "Sources", "Tests", "Bench", "Chips", "Core", "Python", "Reach", "Rig", "Rigs", "Support",
    "Telling", "Traces", "Work",
  ]
}
