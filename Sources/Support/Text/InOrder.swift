extension Sequence {
  /// The elements in an order; of two that neither comes before the other, the first stays first.
  ///
  /// One sort of places serves elements of every type. The standard library's is compiled anew for each type and each
  /// closure.
  package func inOrder(by isBefore: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return Places.inOrder(elements.count) { isBefore(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// The elements from the least to the greatest.
  package func inOrder() -> [Element] { inOrder { $0 < $1 } }
}

/// Places in a list, sorted instead of what stands there.
enum Places {
  /// The places from 0 on, those first of which something comes before the others.
  @inline(never)
  static func inOrder(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: isBefore)
  }
}
