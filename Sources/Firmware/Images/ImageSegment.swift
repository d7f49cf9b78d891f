import Text

/// Bytes and where they are loaded.
package struct ImageSegment: Hashable, Sendable {
  /// The address of the first byte, as a programmer writes it.
  package let address: UInt32
  /// The bytes; at least one.
  package let bytes: [UInt8]

  /// Creates a segment.
  package init(address: UInt32, bytes: [UInt8]) {
    self.address = address
    self.bytes = bytes
  }

  /// The addresses that it takes.
  package var range: Range<UInt64> { UInt64(address)..<UInt64(address) + UInt64(bytes.count) }
}

extension [ImageSegment] {
  /// The segments by address, without empty ones.
  ///
  /// - Throws: ``ImageProblem`` when two of them overlap, or one passes the end of the addresses.
  func inOrder() throws(ImageProblem) -> [ImageSegment] {
    let sorted = filter { !$0.bytes.isEmpty }.inOrder { $0.address < $1.address }
    for (one, next) in zip(sorted, sorted.dropFirst())
    where one.range.upperBound > next.range.lowerBound {
      throw ImageProblem(
        "two of its segments overlap: \(one.range.shown) and \(next.range.shown)")
    }
    if let last = sorted.last, last.range.upperBound > 1 << 32 {
      throw ImageProblem("its segment \(last.range.shown) passes the end of 32-bit addresses")
    }
    return sorted
  }
}

extension Range<UInt64> {
  /// The range in hexadecimal, its last address included.
  package var shown: String {
    "0x\(String(lowerBound, radix: 16))..0x\(String(Swift.max(upperBound, 1) - 1, radix: 16))"
  }
}
