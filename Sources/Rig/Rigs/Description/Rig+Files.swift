extension Rig {
  /// All files that are read for it: its own and those that it names.
  package var files: [String] { [file] + namedFiles }
}
