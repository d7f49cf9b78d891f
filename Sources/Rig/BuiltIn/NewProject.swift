package import Files
import Glibc
import Text

/// The files with which work with a bench begins.
package struct NewProject: Sendable {
  /// A file of it.
  package struct File: Sendable {
    /// Its path in the folder.
    package let path: String
    /// What it says.
    package let text: String

    /// Creates a file.
    package init(path: String, text: String) {
      (self.path, self.text) = (path, text)
    }
  }

  /// The files, in the order in which they are told.
  package let files: [File]

  /// Creates a project of the built-in files and others.
  ///
  /// - Parameter others: what is written with them.
  package init(with others: [File]) {
    files =
      BuiltInFile.all.filter { $0.kind == .beginning }.map { file in
        let name = file.path.split(separator: "/").last.map(String.init) ?? ""
        // A forge looks for workflows in a folder of its own.
        let folder = name.hasSuffix(".yml") ? ".github/workflows/" : ""
        return File(path: folder + name, text: file.text)
      } + others
  }

  /// Writes the files into a folder, which is made where there is none; nothing is ever overwritten.
  ///
  /// - Throws: `Failure` where one of them is there already, or cannot be written; then none is left behind.
  package func write(to folder: String) throws(Failure) {
    let places = files.map { Self.joined(folder, $0.path) }
    let taken = places.filter(TextFile.exists)
    guard taken.isEmpty else {
      let verb = taken.count == 1 ? "is" : "are"
      throw Failure(
        .usage, "\(taken.joined(separator: ", ")) \(verb) there already: nothing was written",
        "another folder can be named: aneroid new DIR")
    }
    var written: [String] = []
    do throws(Failure) {
      for (file, place) in zip(files, places) {
        try Self.makeFolders(of: place)
        try Self.create(place, file.text)
        written.append(place)
      }
    } catch {
      for place in written { unlink(place) }
      throw error
    }
  }

  private static func joined(_ folder: String, _ path: String) -> String {
    folder == "." || folder.isEmpty
      ? path : folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }

  /// Makes the folders above a file.
  private static func makeFolders(of path: String) throws(Failure) {
    var index = path.startIndex
    while let slash = path[index...].firstIndex(of: "/") {
      index = path.index(after: slash)
      let folder = String(path[..<slash])
      guard !folder.isEmpty, mkdir(folder, 0o777) != 0 else { continue }
      // Whoever looks whether it is there sets the reason anew.
      let reason = errno
      guard TextFile.isFolder(folder) else {
        throw Failure(
          .inputOutput, "\(folder): the folder cannot be made: \(String(cString: strerror(reason)))"
        )
      }
    }
  }

  /// Creates a file, which must not be there yet.
  private static func create(_ path: String, _ text: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    var reason = descriptor < 0 ? errno : 0
    if reason == 0 {
      reason = writeAll(Array(text.utf8), to: descriptor)
      if close(descriptor) != 0, reason == 0 { reason = errno }
      if reason != 0 { unlink(path) }
    }
    guard reason == 0 else {
      throw Failure(
        .inputOutput, "\(path): cannot be written: \(String(cString: strerror(reason)))")
    }
  }
}
