package import Files
import Glibc
import Schema

extension Rig {
  /// Checks that a run of the rig writes only where its user lets it.
  ///
  /// - Parameter allowsWriting: whether files outside the rig's own folder may be written.
  /// - Throws: `Failure` of kind usage for a file elsewhere, of kind input/output where none can be written.
  package func checkWriting(_ allowsWriting: Bool) throws(Failure) {
    guard let history = pipeline?.history else { return }
    let place = try OutputPlace(history)
    switch place.form {
    case .draft, .through(emptied: true): break
    default:
      throw Failure(.badContent, "\(history): a history needs a regular file")
    }
    guard !allowsWriting, !isInOwnFolder(place) else { return }
    throw Failure(
      .usage, "\(file): its history would be written outside of its folder, to \(place.resolved)",
      "\(file): --allow-write lets it")
  }

  /// Whether a place lies in the folder of the rig or below it, at the end of all links.
  ///
  /// A rig that is reached through a link has two folders: that of the link and its own.
  private func isInOwnFolder(_ place: OutputPlace) -> Bool {
    let parent = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    var folders: [String] = []
    if let own = try? OutputPlace.resolve(file).folder { folders.append(own) }
    if let path = realpath(parent, nil) {
      folders.append(String(cString: path))
      free(path)
    }
    return folders.contains {
      place.folder == $0 || place.folder.hasPrefix($0 == "/" ? "/" : "\($0)/")
    }
  }
}
