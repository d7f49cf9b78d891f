/// Puts a line together in RAM and sends it.
final class LineWriter {
  private static var longest: Int { 160 }
  /// A sign, ten digits of 32 bits, a point.
  private static var longestNumber: Int { 12 }
  private let line: SerialLine
  /// The line, and behind it the digits of a number.
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(
    capacity: LineWriter.longest + LineWriter.longestNumber)
  private var count = 0

  /// Creates a writer of a line.
  init(_ line: SerialLine) { self.line = line }

  /// Adds a text.
  func text(_ text: StaticString) {
    let length = min(text.utf8CodeUnitCount, Self.longest &- count)
    UnsafeMutableRawPointer(bytes + count).copyMemory(from: text.utf8Start, byteCount: length)
    count &+= length
  }

  /// Adds a number with some digits behind the point: 26202 with three is 26.202.
  func number(_ number: Int, digits: Int = 0) {
    guard Self.longest - count >= Self.longestNumber else { return }
    if number < 0 { byte(UInt8(ascii: "-")) }
    // From the last digit on, to the end of what lies behind the line; then where they belong.
    let end = bytes + Self.longest + Self.longestNumber
    var (rest, next) = (number.magnitude, end)
    for _ in 0..<digits { Self.put(&rest, before: &next) }
    if digits > 0 {
      next -= 1
      next.pointee = UInt8(ascii: ".")
    }
    repeat { Self.put(&rest, before: &next) } while rest > 0
    let length = end - next
    UnsafeMutableRawPointer(bytes + count).copyMemory(from: next, byteCount: length)
    count &+= length
  }

  /// Puts the last digit of a number in front of what is there, and takes it away.
  @inline(__always)
  private static func put(_ rest: inout UInt, before next: inout UnsafeMutablePointer<UInt8>) {
    let quotient = rest / 10
    next -= 1
    next.pointee = UInt8(truncatingIfNeeded: UInt(UInt8(ascii: "0")) &+ rest &- quotient &* 10)
    rest = quotient
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
