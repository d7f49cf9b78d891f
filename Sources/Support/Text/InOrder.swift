extension Sequence {
  /// Returns the elements sorted; the sort is stable.
  ///
  /// It sorts indices, so that one compiled sort serves every element type. The standard library's sort is specialized
  /// for each type and closure.
  package func inOrder(by isBefore: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return SortedIndices.inOrder(elements.count) { isBefore(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// Returns the elements in ascending order.
  package func inOrder() -> [Element] { inOrder { $0 < $1 } }
}

/// A sort of the indices of a list.
enum SortedIndices {
  /// Returns the indices from 0 to `count` in sorted order.
  @inline(never)
  static func inOrder(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: isBefore)
  }
}

extension Collection where Element == String {
  /// The words, separated by commas; of more than 12, the first 12 and the number of the others.
  package var shortened: String {
    let most = 12
    let text = prefix(most).joined(separator: ", ")
    return count <= most ? text : "\(text) and \(count - most) more"
  }
}
