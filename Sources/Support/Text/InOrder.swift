extension Sequence {
  /// Returns the elements sorted; the sort is stable.
  ///
  /// To keep the program small, it sorts indices, so one compiled sort is used for every element
  /// type. The standard library's sort would be compiled for each type and closure.
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
  /// Returns the indices from 0 to `count - 1` in sorted order.
  @inline(never)
  static func inOrder(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: isBefore)
  }
}

extension Collection where Element == String {
  /// The words separated by commas.
  ///
  /// If there are more than 12 words, only the first 12 are listed, followed by the number of the
  /// remaining words.
  package var shortened: String {
    let most = 12
    let text = prefix(most).joined(separator: ", ")
    return count <= most ? text : "\(text) and \(count - most) more"
  }
}
