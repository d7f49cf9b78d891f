/// A folder or link of ours that a client has opened: a socket stands for it, as for a node.
final class OpenPlace {
  /// Its path.
  let path: String
  let entry: SyntheticTree.Entry
  /// How many entries of the folder have been given.
  var position = 0

  init(path: String, entry: SyntheticTree.Entry) {
    self.path = path
    self.entry = entry
  }
}
