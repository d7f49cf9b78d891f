import Testing
import Text

/// Sorting gives what the standard library's does, and keeps the order of what is alike.
struct InOrderTests {
  @Test(
    "numbers and words come in order",
    arguments: [[], [3], [3, 1, 2, 1], Array((0..<500).reversed())])
  func numbers(_ numbers: [Int]) {
    #expect(numbers.inOrder() == numbers.sorted())
    #expect(numbers.inOrder(by: >) == numbers.sorted(by: >))
    #expect(Set(numbers.map(String.init)).inOrder() == Set(numbers.map(String.init)).sorted())
  }

  @Test("what is alike stays as it was")
  func alike() {
    let pairs = (0..<300).map { (key: $0 * 7 % 5, place: $0) }
    let ordered = pairs.inOrder { $0.key < $1.key }
    for (one, next) in zip(ordered, ordered.dropFirst()) {
      #expect(one.key < next.key || one.key == next.key && one.place < next.place)
    }
    #expect(ordered.count == pairs.count)
  }
}
