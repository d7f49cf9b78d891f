/// Output in the making: gathered, and printed in large pieces.
package final class RowBuffer {
  private var bytes: [UInt8] = []
  private let print: ([UInt8]) -> Void

  package init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
  }

  /// Adds bytes.
  package func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Adds a comma and a whole number.
  package func append(comma number: Int64) {
    bytes.append(UInt8(ascii: ","))
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
