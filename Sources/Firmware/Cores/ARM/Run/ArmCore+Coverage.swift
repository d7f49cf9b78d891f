/// Which instructions have run.
extension ArmCore {
  /// Whether an instruction has run since the core was created: one is decoded when it is met first.
  package func hasRun(_ address: UInt32) -> Bool {
    if forgotten.contains(address) { return true }
    guard let page = codePage(of: address) else { return false }
    return page[Int((address & (AddressSpace.pageSize - 1)) >> 1)].slots != 0
  }

  /// Notes what has run, where somebody wants to know, before its slots go.
  func noteForgotten() {
    guard notesRun else { return }
    for page in decodedPages.compactMap({ code[$0] }) {
      for slot in 0..<Int(AddressSpace.pageSize / 2) where page[slot].slots != 0 {
        forgotten.insert(page[slot].address)
      }
    }
  }
}
