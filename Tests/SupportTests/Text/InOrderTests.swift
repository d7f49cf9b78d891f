import Support
import Testing

/// Sorting gives the same result as the standard library and is stable.
struct InOrderTests {
  @Test(
    "numbers and strings are sorted as by the standard library",
    arguments: [[], [3], [3, 1, 2, 1], Array((0..<500).reversed())])
  func numbers(_ numbers: [Int]) {
    #expect(numbers.inOrder() == numbers.sorted())
    #expect(numbers.inOrder(by: >) == numbers.sorted(by: >))
    #expect(Set(numbers.map(String.init)).inOrder() == Set(numbers.map(String.init)).sorted())
  }

  @Test("equal elements keep their order")
  func alike() {
    let pairs = (0..<300).map { (key: $0 * 7 % 5, index: $0) }
    let ordered = pairs.inOrder { $0.key < $1.key }
    for (one, next) in zip(ordered, ordered.dropFirst()) {
      #expect(one.key < next.key || one.key == next.key && one.index < next.index)
    }
    #expect(ordered.count == pairs.count)
  }
}
