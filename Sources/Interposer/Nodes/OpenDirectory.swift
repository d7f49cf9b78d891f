/// A directory that a client lists and in which more is to be seen than there is.
final class OpenDirectory {
  let path: String
  /// The supervisor's descriptor of the same open directory.
  let descriptor: Int32
  /// The names that are added at its end.
  let additions: [SyntheticTree.Addition]
  /// Whether they have been given.
  var isComplete = false

  init(path: String, descriptor: Int32, additions: [SyntheticTree.Addition]) {
    self.path = path
    self.descriptor = descriptor
    self.additions = additions
  }
}
