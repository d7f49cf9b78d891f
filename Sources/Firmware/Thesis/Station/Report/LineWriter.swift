/// Puts a line together in RAM and sends it.
final class LineWriter {
  private static var longest: Int { 160 }
  private let line: SerialLine
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: LineWriter.longest)
  private var count = 0

  /// Creates a writer of a line.
  init(_ line: SerialLine) { self.line = line }

  /// Adds a text.
  func text(_ text: StaticString) {
    let characters = text.utf8Start
    for index in 0..<text.utf8CodeUnitCount { byte(characters[index]) }
  }

  /// Adds a number with some digits behind the point: 26202 with three is 26.202.
  func number(_ number: Int, digits: Int = 0) {
    var rest = number.magnitude
    var reversed = InlineArray<24, UInt8>(repeating: 0)
    var length = 0
    repeat {
      if length == digits, digits > 0 {
        reversed[length] = UInt8(ascii: ".")
        length += 1
      }
      reversed[length] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      length += 1
    } while rest > 0 || length <= digits + (digits > 0 ? 1 : 0)
    if number < 0 { byte(UInt8(ascii: "-")) }
    while length > 0 {
      length -= 1
      byte(reversed[length])
    }
  }

  /// Ends the line and sends it.
  func end() {
    byte(13)
    byte(10)
    line.send(bytes, count: count)
    count = 0
  }

  private func byte(_ byte: UInt8) {
    guard count < Self.longest else { return }
    bytes[count] = byte
    count += 1
  }
}
