/// Puts a line together in RAM and sends it.
final class LineWriter {
  private static var longest: Int { 160 }
  /// A sign, ten digits of 32 bits, a point.
  private static var longestNumber: Int { 12 }
  private let line: SerialLine
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: LineWriter.longest)
  private var count = 0

  /// Creates a writer of a line.
  init(_ line: SerialLine) { self.line = line }

  /// Adds a text.
  func text(_ text: StaticString) {
    let length = min(text.utf8CodeUnitCount, Self.longest - count)
    UnsafeMutableRawPointer(bytes + count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  /// Adds a number with some digits behind the point: 26202 with three is 26.202.
  func number(_ number: Int, digits: Int = 0) {
    guard Self.longest - count >= Self.longestNumber else { return }
    if number < 0 { byte(UInt8(ascii: "-")) }
    // From the last digit on, which then change places.
    let first = bytes + count
    var (rest, next) = (number.magnitude, first)
    let point = digits > 0 ? first + digits : nil
    repeat {
      if next == point {
        next.pointee = UInt8(ascii: ".")
        next += 1
      }
      let quotient = rest / 10
      next.pointee = UInt8(truncatingIfNeeded: UInt(UInt8(ascii: "0")) &+ rest &- quotient &* 10)
      next += 1
      rest = quotient
    } while rest > 0 || next <= first + digits
    count += next - first
    var low = first
    while low < next - 1 {
      next -= 1
      (low.pointee, next.pointee) = (next.pointee, low.pointee)
      low += 1
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
