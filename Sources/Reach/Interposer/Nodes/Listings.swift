/// Who has been given the names that are added to a folder of the machine, and gets the kernel's next.
///
/// They come first, when the open folder stands at its start; the kernel's entries follow, which move it
/// on. Rewound, it stands at its start again.
struct Listings {
  private struct Key: Hashable {
    let process: Int32
    let descriptor: Int32
  }

  private var given: [Key: Int] = [:]

  /// Whether nobody is amid a listing.
  var isEmpty: Bool { given.isEmpty }

  /// How many names a process has been given by a descriptor that stands at its start.
  subscript(process: Int32, descriptor: Int32) -> Int {
    get { given[Key(process: process, descriptor: descriptor)] ?? 0 }
    set {
      // Those who left a listing early are no more than this.
      if given.count >= 1024 { given = [:] }
      given[Key(process: process, descriptor: descriptor)] = newValue == 0 ? nil : newValue
    }
  }

  /// Forgets what a process left early: it has closed the descriptor, and opens a folder now, maybe
  /// under the same number.
  mutating func forget(process: Int32, unless isOpen: (Int32) -> Bool) {
    given = given.filter { $0.key.process != process || isOpen($0.key.descriptor) }
  }
}
