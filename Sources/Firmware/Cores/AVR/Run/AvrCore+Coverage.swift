/// Which instructions have run.
extension AvrCore {
  /// Whether the instruction at an address in bytes has run: one is decoded when it is met first.
  package func hasRun(_ address: UInt32) -> Bool {
    let word = Int(address / 2)
    guard word < model.flashWords else { return false }
    return forgotten.contains(word) || state.pointee.ops[word].slots != 0
  }

  /// Forgets what was decoded from a word of the flash; that it has run is kept where somebody wants to know.
  func forgetSlot(_ word: Int) {
    if notesRun, state.pointee.ops[word].slots != 0 { forgotten.insert(word) }
    Self.blank(state.pointee.ops + word)
  }
}
