import DriverDefects

/// A set of defects: a bit for each.
typealias DefectMask = UInt128

/// All sets of so many of some things, each as a mask with a bit for each member.
struct Combinations: Sequence, IteratorProtocol {
  /// One set.
  struct Element { let mask: DefectMask }

  private let count: Int
  private var members: [Int]
  private var isDone = false

  init(of count: Int, _ size: Int) {
    precondition(count <= DefectMask.bitWidth, "a mask has a bit for each")
    self.count = count
    members = Array(0..<Swift.min(size, count))
    isDone = size > count
  }

  mutating func next() -> Element? {
    guard !isDone else { return nil }
    defer { advance() }
    return Element(mask: members.reduce(0) { $0 | 1 << DefectMask($1) })
  }

  private mutating func advance() {
    var place = members.count - 1
    while place >= 0, members[place] == count - members.count + place { place -= 1 }
    guard place >= 0 else {
      isDone = true
      return
    }
    members[place] += 1
    for next in members.indices where next > place { members[next] = members[next - 1] + 1 }
  }
}
