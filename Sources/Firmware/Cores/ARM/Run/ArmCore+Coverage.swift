/// Which instructions have run.
extension ArmCore {
  /// Whether an instruction has run since the core was created: one is decoded when it is met first.
  package func hasRun(_ address: UInt32) -> Bool {
    if forgotten.contains(address) { return true }
    guard address < AddressSpace.plainLimit,
      let page = code[Int(address >> AddressSpace.pageBits)]
    else { return false }
    return page[Int((address & (AddressSpace.pageSize - 1)) >> 1)].slots != 0
  }

  /// Notes what has run, where somebody wants to know, before its slots go.
  func noteForgotten() {
    guard notesRun else { return }
    for page in code.values {
      for slot in 0..<Int(AddressSpace.pageSize / 2) where page[slot].slots != 0 {
        forgotten.insert(page[slot].address)
      }
    }
  }
}
