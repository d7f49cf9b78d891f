/// Output in the making: gathered, and printed in large pieces.
package final class RowBuffer {
  private var bytes: [UInt8] = []
  private let print: ([UInt8]) -> Void
  /// The byte between two cells; a comma by default.
  package var separator = UInt8(ascii: ",")

  package init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
  }

  /// Adds bytes.
  package func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Adds a separator and a text.
  package func append(cell text: String) {
    bytes.append(separator)
    bytes.append(contentsOf: text.utf8)
  }

  /// Adds a separator and a whole number.
  package func append(cell number: Int64) {
    bytes.append(separator)
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var (rest, count) = (number.magnitude, 0)
    repeat {
      digits[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      count += 1
    } while rest > 0
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }

  /// Prints what has gathered.
  package func flush() {
    guard !bytes.isEmpty else { return }
    print(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
